-- The ledger's tables. Amounts are INTEGER paise. Times are INTEGER UTC Unix
-- microseconds; nothing is ever ordered or decided by them. Rows are ordered
-- by their numbers, which only grow.

CREATE TABLE ledger (
	one        INTEGER PRIMARY KEY CHECK (one = 1),
	id         TEXT NOT NULL CHECK (length(id) >= 20), -- random; batch ids derive from it
	created_at INTEGER NOT NULL
) STRICT;

-- A sheet is begun before its payouts and sealed after them, in the same
-- transaction: no reader ever sees one that is not sealed.
CREATE TABLE sheets (
	no             INTEGER PRIMARY KEY,
	sealed         INTEGER NOT NULL DEFAULT 0 CHECK (sealed IN (0, 1)),
	id             TEXT UNIQUE,
	name           TEXT,
	sha256         TEXT UNIQUE CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
	rows_hash      TEXT UNIQUE CHECK (length(rows_hash) = 64 AND rows_hash NOT GLOB '*[^0-9a-f]*'),
	format         TEXT CHECK (format IN ('csv', 'xlsx')),
	tab            TEXT,
	header_row     INTEGER,
	row_count      INTEGER,
	blank_count    INTEGER,
	has_total      INTEGER CHECK (has_total IN (0, 1)),
	total          INTEGER, -- paise, over all rows whose amount could be read
	accepted_count INTEGER CHECK (accepted_count > 0),
	accepted_total INTEGER CHECK (accepted_total > 0),
	rejected_count INTEGER CHECK (rejected_count >= 0),
	rejected_total INTEGER,
	first_payout   INTEGER, -- its payouts are first_payout … last_payout, without gaps
	last_payout    INTEGER,
	loaded_at      INTEGER,
	loaded_by      TEXT,
	CHECK (sealed = 0 OR (id IS NOT NULL AND name IS NOT NULL AND sha256 IS NOT NULL AND rows_hash IS NOT NULL
		AND format IS NOT NULL AND tab IS NOT NULL AND header_row IS NOT NULL AND blank_count IS NOT NULL
		AND has_total IS NOT NULL AND loaded_at IS NOT NULL AND loaded_by IS NOT NULL)),
	CHECK (sealed = 0 OR ifnull(row_count = accepted_count + rejected_count, 0)),
	CHECK (sealed = 0 OR ifnull(total = accepted_total + rejected_total, 0)),
	CHECK (sealed = 0 OR ifnull(accepted_count = last_payout - first_payout + 1, 0))
) STRICT;

-- What payouts of one debit account, sub-merchant and transaction type share.
CREATE TABLE routes (
	no                  INTEGER PRIMARY KEY,
	bank_account_id     TEXT NOT NULL CHECK (bank_account_id <> ''),
	sub_merchant_id     TEXT NOT NULL,
	transaction_type_id TEXT NOT NULL,
	UNIQUE (bank_account_id, sub_merchant_id, transaction_type_id)
) STRICT;

-- One row of a sheet, as accepted. Never changes.
CREATE TABLE payouts (
	id                  INTEGER PRIMARY KEY, -- the order of loading
	sheet_no            INTEGER NOT NULL REFERENCES sheets (no),
	row                 INTEGER NOT NULL CHECK (row > 0),
	route_no            INTEGER NOT NULL REFERENCES routes (no),
	amount              INTEGER NOT NULL CHECK (amount > 0), -- paise
	ref                 TEXT NOT NULL CHECK (ref <> ''),
	vendor_name         TEXT NOT NULL,
	bank_account_number TEXT NOT NULL,
	ifsc                TEXT NOT NULL,
	remarks             TEXT,  -- NULL for none, here and below
	open_beneficiary_id TEXT,
	bene_lei            TEXT CHECK (length(bene_lei) = 20),
	ref_key             TEXT   -- the folded reference where it is not simply lower(ref)
) STRICT;

CREATE TABLE batches (
	no              INTEGER PRIMARY KEY, -- the order of planning
	id              TEXT NOT NULL UNIQUE CHECK (id <> ''),
	sheet_no        INTEGER NOT NULL REFERENCES sheets (no),
	sequence        INTEGER NOT NULL CHECK (sequence >= 1),
	attempt         INTEGER NOT NULL CHECK (attempt >= 1),
	state           TEXT NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'initiating', 'initiate_unknown', 'held',
		'submitting', 'submit_unknown', 'submitted', 'settled', 'refused', 'quarantined', 'abandoned')),
	route_no        INTEGER NOT NULL REFERENCES routes (no),
	partner_bank_id INTEGER NOT NULL,
	kind            TEXT NOT NULL CHECK (kind IN ('', 'rib', 'cib')),
	bene_lei        TEXT NOT NULL,
	count           INTEGER NOT NULL CHECK (count >= 1),
	total           INTEGER NOT NULL CHECK (total > 0), -- paise
	reason          TEXT NOT NULL,
	open_batch_id   TEXT NOT NULL DEFAULT '',
	otp_tries       INTEGER NOT NULL DEFAULT 0 CHECK (otp_tries >= 0),
	note            TEXT NOT NULL DEFAULT '',
	needs_person    INTEGER NOT NULL DEFAULT 0 CHECK (needs_person IN (0, 1)),
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL,
	state_since     INTEGER NOT NULL,
	held_at         INTEGER,
	submitted_at    INTEGER,
	success_at      INTEGER, -- when a payout of it was last first seen as success
	made            INTEGER NOT NULL DEFAULT 2 CHECK (made IN (0, 1, 2)), -- its attempts: 0 not yet, 2 made, 1 only inside the statement that makes them
	members         TEXT CHECK (json_array_length(members) = count), -- the ids of the payouts that a sheet put into it; NULL in a batch of further attempts
	CHECK (made = 2 OR members IS NOT NULL),
	UNIQUE (sheet_no, sequence, attempt),
	-- interface.md, "Initiate transfer", rule 1
	CHECK (count = 1 OR partner_bank_id IN (1, 3, 12)),
	-- interface.md, "Submit transfer", bene_lei: from 500,000,000.00 rupees
	CHECK ((bene_lei <> '') = (partner_bank_id = 1 AND total >= 50000000000)),
	CHECK (bene_lei = '' OR (length(bene_lei) = 20 AND bene_lei NOT GLOB '*[^0-9A-Z]*')),
	CHECK ((kind = '') = (partner_bank_id <> 12))
) STRICT;

CREATE INDEX batches_by_state ON batches (state);
CREATE INDEX batches_watched ON batches (success_at) WHERE state = 'settled';

-- What makes an attempt beyond the first: a row here is its permit, and a
-- trigger grants it and makes the attempt. So the rule that a payout has one
-- live attempt costs first attempts, a million a sheet, nothing.
CREATE TABLE further_attempts (
	payout_id INTEGER NOT NULL REFERENCES payouts (id),
	number    INTEGER NOT NULL CHECK (number >= 2),
	wire_ref  TEXT NOT NULL CHECK (wire_ref <> ''),
	batch_no  INTEGER NOT NULL REFERENCES batches (no),
	PRIMARY KEY (payout_id, number),
	UNIQUE (payout_id, number, wire_ref)
) STRICT, WITHOUT ROWID;

-- One wire reference of one payout in one batch. First attempts are made when
-- their batch takes its first step; readers ask every_attempt.
CREATE TABLE attempts (
	payout_id        INTEGER NOT NULL REFERENCES payouts (id),
	number           INTEGER NOT NULL CHECK (number >= 1),
	batch_no         INTEGER NOT NULL REFERENCES batches (no),
	state            TEXT NOT NULL DEFAULT 'planned',
	wire_ref         TEXT, -- NULL for the first attempt, which carries the payout's own reference
	status           TEXT, -- raw, as last observed; NULL until then
	bank_status_code TEXT,
	open_txn_id      TEXT,
	bank_txn_ref_id  TEXT,
	failed_reads     INTEGER CHECK (failed_reads >= 0),
	reason           TEXT,
	updated_at       INTEGER, -- NULL: untouched since its batch was planned
	PRIMARY KEY (payout_id, number),
	FOREIGN KEY (payout_id, number, wire_ref) REFERENCES further_attempts (payout_id, number, wire_ref), -- not asked where wire_ref is NULL
	CHECK ((number = 1) = (wire_ref IS NULL)),
	CHECK (state = 'planned' OR (
		state IN ('request_initiated', 'pending', 'initiated', 'success', 'failed', 'returned', 'disputed', 'cancelled')
		AND (state <> 'success' OR ifnull(status, '') = 'success')
		AND (state <> 'failed' OR (ifnull(status, '') = 'failed' AND ifnull(failed_reads, 0) >= 2))
		AND (state <> 'returned' OR ifnull(bank_status_code, '') = 'RETURNED_FROM_BENEFICIARY')))
) STRICT, WITHOUT ROWID;

CREATE INDEX attempts_by_batch ON attempts (batch_no);

-- The attempts there are, made or not. A sheet brings a million of them, all
-- alike: until the batch takes its first step its members say all there is to
-- say, and that its payouts are planned.
CREATE VIEW every_attempt AS
SELECT payout_id, number, batch_no, state, wire_ref, status, bank_status_code, open_txn_id, bank_txn_ref_id, failed_reads, reason, updated_at
FROM attempts
UNION ALL
SELECT m.value, 1, b.no, 'planned', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM batches b, json_each(b.members) m WHERE b.made = 0;

-- Every reference that was ever used, folded: of sheets and of later attempts
-- alike. Its key is what makes a reference unique over all time.
CREATE TABLE wire_keys (
	key       TEXT PRIMARY KEY,
	payout_id INTEGER NOT NULL,
	number    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What the bank said of an attempt, raw, each time it said something new.
CREATE TABLE observations (
	payout_id        INTEGER NOT NULL,
	number           INTEGER NOT NULL,
	seq              INTEGER NOT NULL CHECK (seq >= 1),
	at               INTEGER NOT NULL,
	status           TEXT NOT NULL,
	bank_status_code TEXT NOT NULL,
	amount           INTEGER, -- paise; NULL when the answer had none that could be read
	open_txn_id      TEXT NOT NULL,
	bank_txn_ref_id  TEXT NOT NULL,
	error            TEXT NOT NULL,
	PRIMARY KEY (payout_id, number, seq),
	FOREIGN KEY (payout_id, number) REFERENCES attempts (payout_id, number)
) STRICT, WITHOUT ROWID;

-- A call to the bank that changes something: committed before it is made, its
-- outcome recorded after it. Neither OTP nor token is in the payload hashed.
CREATE TABLE intents (
	no             INTEGER PRIMARY KEY,
	batch_no       INTEGER NOT NULL REFERENCES batches (no),
	kind           TEXT NOT NULL CHECK (kind IN ('initiate', 'submit')),
	payload_sha256 TEXT NOT NULL CHECK (length(payload_sha256) = 64 AND payload_sha256 NOT GLOB '*[^0-9a-f]*'),
	at             INTEGER NOT NULL,
	outcome        TEXT CHECK (outcome IN ('not_sent', 'accepted', 'rejected', 'unknown')), -- NULL while it is open
	http_status    INTEGER,
	code           TEXT,
	message        TEXT,
	ended_at       INTEGER,
	CHECK ((outcome IS NULL) = (ended_at IS NULL))
) STRICT;

CREATE INDEX intents_by_batch ON intents (batch_no);
CREATE UNIQUE INDEX intents_one_open ON intents (batch_no) WHERE outcome IS NULL;
-- The next call of a kind needs the last one REJECTED or NOT_SENT.
CREATE UNIQUE INDEX intents_one_in_doubt ON intents (batch_no, kind)
	WHERE outcome IS NULL OR outcome IN ('unknown', 'accepted');

-- The audit trail. hash covers the event and the hash of the one before it.
CREATE TABLE events (
	seq      INTEGER PRIMARY KEY,
	at       INTEGER NOT NULL,
	actor    TEXT NOT NULL,
	kind     TEXT NOT NULL CHECK (kind <> ''),
	sheet_id TEXT NOT NULL,
	batch_id TEXT NOT NULL,
	detail   TEXT NOT NULL,
	hash     TEXT NOT NULL UNIQUE CHECK (length(hash) = 64)
) STRICT;

CREATE INDEX events_by_batch ON events (batch_id) WHERE batch_id <> '';
