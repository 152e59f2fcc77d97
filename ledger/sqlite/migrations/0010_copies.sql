-- A copy says of itself that it is one (docs/safety.md, "Local faults"):
-- `ledger backup` writes this row into what it writes, and nowhere else. Wherever
-- the file is put, nothing is sent from it until a person accepts it.

CREATE TABLE copied (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	seq INTEGER NOT NULL -- the last event when it was copied
) STRICT;

CREATE TRIGGER copied_fixed BEFORE UPDATE ON copied BEGIN SELECT RAISE(ABORT, 'what a copy is of never changes'); END;
CREATE TRIGGER copied_kept BEFORE DELETE ON copied
WHEN (SELECT kind FROM events ORDER BY seq DESC LIMIT 1) <> 'restored_accepted'
BEGIN SELECT RAISE(ABORT, 'a copy becomes the ledger only by a person'); END;
CREATE TRIGGER copied_sends_nothing BEFORE INSERT ON intents WHEN EXISTS (SELECT 1 FROM copied)
BEGIN SELECT RAISE(ABORT, 'nothing is sent from a copy'); END;
