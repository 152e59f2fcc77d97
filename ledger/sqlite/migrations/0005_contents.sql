-- The bytes of each sheet as it was loaded, so that it can be given back at any
-- time. Recorded with its payouts, in one transaction; append-only. A sheet
-- loaded by an earlier program has none.

CREATE TABLE sheet_contents (
	sheet_no INTEGER NOT NULL REFERENCES sheets (no),
	part     INTEGER NOT NULL CHECK (part >= 1),
	packed   INTEGER NOT NULL CHECK (packed IN (0, 1)), -- 1: each part is a DEFLATE stream of its own
	bytes    BLOB NOT NULL CHECK (length(bytes) > 0),
	PRIMARY KEY (sheet_no, part)
) STRICT;

-- How the bytes were read, where they leave a choice.
CREATE TABLE sheet_readings (
	sheet_no    INTEGER PRIMARY KEY REFERENCES sheets (no),
	encoding    TEXT NOT NULL,
	hidden_rows TEXT NOT NULL,
	columns     TEXT NOT NULL -- of --map, as a JSON object
) STRICT;

CREATE TRIGGER sheet_contents_kept BEFORE DELETE ON sheet_contents BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER sheet_readings_kept BEFORE DELETE ON sheet_readings BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER sheet_contents_fixed BEFORE UPDATE ON sheet_contents BEGIN SELECT RAISE(ABORT, 'what was loaded never changes'); END;
CREATE TRIGGER sheet_readings_fixed BEFORE UPDATE ON sheet_readings BEGIN SELECT RAISE(ABORT, 'what was loaded never changes'); END;

CREATE TRIGGER sheet_contents_in_order BEFORE INSERT ON sheet_contents
WHEN (SELECT sealed FROM sheets WHERE no = NEW.sheet_no) <> 0
	OR NEW.part <> 1 + (SELECT ifnull(max(part), 0) FROM sheet_contents WHERE sheet_no = NEW.sheet_no)
BEGIN SELECT RAISE(ABORT, 'parts are recorded in order, before the sheet is sealed'); END;

CREATE TRIGGER sheet_readings_in_time BEFORE INSERT ON sheet_readings
WHEN (SELECT sealed FROM sheets WHERE no = NEW.sheet_no) <> 0
BEGIN SELECT RAISE(ABORT, 'a reading is recorded before the sheet is sealed'); END;
