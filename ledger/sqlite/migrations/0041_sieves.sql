-- Which entries of statements carry a name, or move an amount, is asked for one payout at
-- a time: a sieve tells of 512 places of a reading what none of them has (ledger.Sieve). It
-- is made of the entries, here for those that are on record already by the program that
-- takes this step, and leads to them: whatever it lets through is looked at itself.
CREATE TABLE statement_sieves (
	read_no INTEGER NOT NULL REFERENCES statement_reads (no),
	part    INTEGER NOT NULL CHECK (part >= 1),
	newest  TEXT NOT NULL, -- of their days
	signs   BLOB NOT NULL,
	PRIMARY KEY (read_no, part)
) STRICT;

CREATE TRIGGER statement_sieves_kept BEFORE DELETE ON statement_sieves BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER statement_sieves_fixed BEFORE UPDATE ON statement_sieves BEGIN SELECT RAISE(ABORT, 'what a statement said never changes'); END;

-- What was submitted in some days. A load writes nothing of it.
CREATE INDEX batches_by_submit ON batches (submitted_at) WHERE submitted_at IS NOT NULL;
