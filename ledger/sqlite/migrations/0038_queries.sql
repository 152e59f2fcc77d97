-- What people ask while they wait is found without reading all payouts. To make
-- these of a ledger of 10,000,000 payouts takes about a minute; no table is
-- written anew. A load writes none of them but the batches', which it wrote before.

-- What the batches of each state come to.
DROP INDEX batches_by_state;
CREATE INDEX batches_by_state ON batches (state, made, count, total);

-- The attempts that are neither paid nor on their way: few, and asked for most.
CREATE INDEX attempts_apart ON attempts (state) WHERE state IN ('failed', 'returned', 'cancelled', 'disputed');

-- A UTR, as a statement or a payee shows it, in any case.
CREATE INDEX attempts_by_utr ON attempts (lower(bank_txn_ref_id)) WHERE bank_txn_ref_id IS NOT NULL;
