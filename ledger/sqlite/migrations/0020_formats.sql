-- A pain.001 (customer credit transfer initiation) is a third kind of sheet.

-- The table sheets is made anew, for what a column may hold cannot be altered.
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
	format          TEXT CHECK (format IN ('csv', 'xlsx', 'pain.001')),
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

INSERT INTO sheets (no, sealed, id, name, sha256, rows_hash, content, ref_prefix, unprefixed, format, tab, header_row, row_count, blank_count, has_total,
	total, accepted_count, accepted_total, rejected_count, rejected_total, corrected_count, corrected_total, first_payout, last_payout,
	loaded_at, loaded_by)
SELECT no, sealed, id, name, sha256, rows_hash, content, ref_prefix, unprefixed, format, tab, header_row, row_count, blank_count, has_total,
	total, accepted_count, accepted_total, rejected_count, rejected_total, corrected_count, corrected_total, first_payout, last_payout,
	loaded_at, loaded_by
FROM sheets_before ORDER BY no;
DROP TABLE sheets_before;

-- The triggers that sheets had, as they were.
CREATE TRIGGER sheets_kept BEFORE DELETE ON sheets BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER sheets_fixed BEFORE UPDATE ON sheets WHEN OLD.sealed = 1 OR NEW.sealed = 0 OR NEW.no <> OLD.no
BEGIN SELECT RAISE(ABORT, 'a sealed sheet never changes'); END;
