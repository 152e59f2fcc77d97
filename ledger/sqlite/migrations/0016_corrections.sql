-- Corrections (docs/adr/0012-corrections.md): what a further attempt sends in
-- place of what its payout's sheet says, as a row of a later sheet gave it.

-- The table sheets is made anew: a sheet may only correct, and its rows count
-- besides. A CHECK cannot be altered.
CREATE TABLE sheets_before AS SELECT * FROM sheets;
DROP TABLE sheets; -- with its triggers

CREATE TABLE sheets (
	no              INTEGER PRIMARY KEY,
	sealed          INTEGER NOT NULL DEFAULT 0 CHECK (sealed IN (0, 1)),
	id              TEXT UNIQUE,
	name            TEXT,
	sha256          TEXT CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
	rows_hash       TEXT UNIQUE CHECK (length(rows_hash) = 64 AND rows_hash NOT GLOB '*[^0-9a-f]*'),
	content         TEXT UNIQUE CHECK (length(content) = 64 AND content NOT GLOB '*[^0-9a-f]*'), -- what its ids derive from
	ref_prefix      TEXT NOT NULL DEFAULT '', -- put before every reference
	unprefixed      TEXT CHECK (length(unprefixed) = 64 AND unprefixed NOT GLOB '*[^0-9a-f]*'), -- rows_hash without it; NULL where there is none
	format          TEXT CHECK (format IN ('csv', 'xlsx')),
	tab             TEXT,
	header_row      INTEGER,
	row_count       INTEGER,
	blank_count     INTEGER,
	has_total       INTEGER CHECK (has_total IN (0, 1)),
	total           INTEGER, -- paise, over all rows whose amount could be read
	accepted_count  INTEGER CHECK (accepted_count >= 0),
	accepted_total  INTEGER CHECK ((accepted_total > 0) = (accepted_count > 0)),
	rejected_count  INTEGER CHECK (rejected_count >= 0),
	rejected_total  INTEGER,
	corrected_count INTEGER NOT NULL DEFAULT 0 CHECK (corrected_count >= 0), -- rows that correct payouts of earlier sheets
	corrected_total INTEGER NOT NULL DEFAULT 0 CHECK ((corrected_total > 0) = (corrected_count > 0)),
	first_payout    INTEGER, -- its payouts are first_payout … last_payout, without gaps
	last_payout     INTEGER,
	loaded_at       INTEGER,
	loaded_by       TEXT,
	UNIQUE (sha256, tab, ref_prefix),
	CHECK ((ref_prefix = '') = (unprefixed IS NULL)),
	CHECK (sealed = 0 OR (id IS NOT NULL AND name IS NOT NULL AND sha256 IS NOT NULL AND rows_hash IS NOT NULL AND content IS NOT NULL
		AND format IS NOT NULL AND tab IS NOT NULL AND header_row IS NOT NULL AND blank_count IS NOT NULL
		AND has_total IS NOT NULL AND loaded_at IS NOT NULL AND loaded_by IS NOT NULL)),
	CHECK (sealed = 0 OR ifnull(accepted_count + corrected_count > 0, 0)),
	CHECK (sealed = 0 OR ifnull(row_count = accepted_count + rejected_count + corrected_count, 0)),
	CHECK (sealed = 0 OR ifnull(total = accepted_total + rejected_total + corrected_total, 0)),
	CHECK (sealed = 0 OR ifnull(accepted_count = last_payout - first_payout + 1, 0))
) STRICT;

INSERT INTO sheets (no, sealed, id, name, sha256, rows_hash, content, ref_prefix, unprefixed, format, tab, header_row, row_count, blank_count,
	has_total, total, accepted_count, accepted_total, rejected_count, rejected_total, first_payout, last_payout, loaded_at, loaded_by)
SELECT no, sealed, id, name, sha256, rows_hash, content, ref_prefix, unprefixed, format, tab, header_row, row_count, blank_count,
	has_total, total, accepted_count, accepted_total, rejected_count, rejected_total, first_payout, last_payout, loaded_at, loaded_by
FROM sheets_before ORDER BY no;
DROP TABLE sheets_before;

-- The triggers that sheets had, as they were.
CREATE TRIGGER sheets_kept BEFORE DELETE ON sheets BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER sheets_fixed BEFORE UPDATE ON sheets WHEN OLD.sealed = 1 OR NEW.sealed = 0 OR NEW.no <> OLD.no
BEGIN SELECT RAISE(ABORT, 'a sealed sheet never changes'); END;

-- An attempt sends what the payout says, or what it was last corrected to by then:
-- the row here with the highest number that is not above the attempt's.
CREATE TABLE corrections (
	payout_id           INTEGER NOT NULL REFERENCES payouts (id),
	number              INTEGER NOT NULL CHECK (number >= 2), -- the first attempt that sends it
	sheet_no            INTEGER NOT NULL REFERENCES sheets (no), -- the correcting sheet, and its row
	row                 INTEGER NOT NULL CHECK (row > 0),
	route_no            INTEGER NOT NULL REFERENCES routes (no),
	amount              INTEGER NOT NULL CHECK (amount > 0), -- paise
	vendor_name         TEXT NOT NULL,
	bank_account_number TEXT NOT NULL,
	ifsc                TEXT NOT NULL,
	remarks             TEXT, -- NULL for none, here and below
	open_beneficiary_id TEXT,
	bene_lei            TEXT CHECK (length(bene_lei) = 20),
	PRIMARY KEY (payout_id, number),
	UNIQUE (sheet_no, row)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER corrections_kept BEFORE DELETE ON corrections BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER corrections_fixed BEFORE UPDATE ON corrections BEGIN SELECT RAISE(ABORT, 'what an attempt sends never changes'); END;

-- A correction is for the next attempt of a payout that was surely not paid, and
-- comes with a sheet that is being loaded.
CREATE TRIGGER corrections_start BEFORE INSERT ON corrections
WHEN NEW.number <> (SELECT ifnull(max(number), 0) + 1 FROM attempts WHERE payout_id = NEW.payout_id)
	OR EXISTS (SELECT 1 FROM attempts a JOIN batches b ON b.no = a.batch_no WHERE a.payout_id = NEW.payout_id
		AND (a.state NOT IN (SELECT name FROM payout_states WHERE retryable = 1)
			OR b.state IN ('initiating', 'initiate_unknown', 'submitting', 'submit_unknown', 'quarantined', 'set_aside')))
	OR (SELECT sealed FROM sheets WHERE no = NEW.sheet_no) IS NOT 0
BEGIN SELECT RAISE(ABORT, 'the payout may be paid, or is not corrected by a sheet'); END;

-- A row that was left out of a sheet and came with a later one, where it became a
-- payout: one row becomes one payout.
CREATE TABLE origins (
	payout_id INTEGER PRIMARY KEY REFERENCES payouts (id),
	sheet_no  INTEGER NOT NULL REFERENCES sheets (no), -- that it was left out of, and its row there
	row       INTEGER NOT NULL CHECK (row > 0),
	UNIQUE (sheet_no, row)
) STRICT;

CREATE TRIGGER origins_kept BEFORE DELETE ON origins BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER origins_fixed BEFORE UPDATE ON origins BEGIN SELECT RAISE(ABORT, 'where a row came from never changes'); END;
CREATE TRIGGER origins_start BEFORE INSERT ON origins
WHEN (SELECT sealed FROM sheets WHERE no = NEW.sheet_no) IS NOT 1
	OR (SELECT s.sealed FROM sheets s JOIN payouts p ON p.sheet_no = s.no WHERE p.id = NEW.payout_id) IS NOT 0
BEGIN SELECT RAISE(ABORT, 'a row comes from a sheet that was loaded, with one that is being loaded'); END;
