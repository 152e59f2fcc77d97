-- The branch list: the one that was imported last, replaced as a whole. It is
-- no history; the audit trail tells which lists there were.

CREATE TABLE branch_list (
	one         INTEGER PRIMARY KEY CHECK (one = 1),
	name        TEXT NOT NULL CHECK (name <> ''),
	sha256      TEXT NOT NULL CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
	count       INTEGER NOT NULL CHECK (count > 0),
	imported_at INTEGER NOT NULL,
	imported_by TEXT NOT NULL
) STRICT;

CREATE TABLE branches (
	ifsc   TEXT PRIMARY KEY CHECK (length(ifsc) = 11),
	bank   TEXT NOT NULL,
	branch TEXT NOT NULL,
	city   TEXT NOT NULL,
	state  TEXT NOT NULL
) STRICT, WITHOUT ROWID;
