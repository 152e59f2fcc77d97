-- The bank's statements as they were read, from the interface and from files: each
-- entry once for an account and a source (ledger.StatementEntry.Key). Account
-- numbers in remarks are masked before they come here.
CREATE TABLE statement_reads (
	no          INTEGER PRIMARY KEY,
	account     TEXT NOT NULL CHECK (account <> ''), -- bank_account_id
	source      TEXT NOT NULL CHECK (source IN ('interface', 'file')),
	shape       TEXT NOT NULL CHECK (shape IN ('entries', 'pending', 'other')),
	file_name   TEXT NOT NULL,
	file_sha256 TEXT NOT NULL,
	file_format TEXT NOT NULL,
	from_day    TEXT NOT NULL,
	to_day      TEXT NOT NULL CHECK (to_day >= from_day),
	opening     INTEGER, -- paise; NULL where the statement does not tell it
	closing     INTEGER,
	request_ids TEXT NOT NULL CHECK (json_type(request_ids) = 'array'),
	balances    TEXT NOT NULL CHECK (json_type(balances) = 'array'), -- what the bank said that the account held, and when
	at          INTEGER NOT NULL,
	actor       TEXT NOT NULL CHECK (trim(actor) <> ''),
	CHECK (shape = 'entries' OR source = 'interface'),
	CHECK ((source = 'file') = (length(file_sha256) = 64))
) STRICT;

CREATE INDEX statement_reads_by_account ON statement_reads (account);

CREATE TABLE statement_entries (
	read_no        INTEGER NOT NULL REFERENCES statement_reads (no), -- the one that brought it
	place          INTEGER NOT NULL CHECK (place >= 1),              -- in it, oldest first
	account        TEXT NOT NULL,
	source         TEXT NOT NULL,
	key            TEXT NOT NULL,
	nth            INTEGER NOT NULL CHECK (nth >= 1),
	transaction_id TEXT NOT NULL,
	debit          INTEGER NOT NULL CHECK (debit IN (0, 1)),
	amount         INTEGER NOT NULL CHECK (amount >= 0), -- paise
	closing        INTEGER NOT NULL,
	transacted     TEXT NOT NULL,
	posted         TEXT NOT NULL,
	value          TEXT NOT NULL,
	reference      TEXT NOT NULL,
	remarks        TEXT NOT NULL,
	details        TEXT CHECK (json_type(details) = 'array'), -- of a batch booking; NULL where there are none
	PRIMARY KEY (read_no, place),
	UNIQUE (account, source, key, nth)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER statement_reads_kept BEFORE DELETE ON statement_reads BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER statement_reads_fixed BEFORE UPDATE ON statement_reads BEGIN SELECT RAISE(ABORT, 'what a statement said never changes'); END;
CREATE TRIGGER statement_entries_kept BEFORE DELETE ON statement_entries BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER statement_entries_fixed BEFORE UPDATE ON statement_entries BEGIN SELECT RAISE(ABORT, 'what a statement said never changes'); END;
CREATE TRIGGER statement_entries_of BEFORE INSERT ON statement_entries
WHEN NOT EXISTS (SELECT 1 FROM statement_reads r WHERE r.no = NEW.read_no AND r.account = NEW.account AND r.source = NEW.source AND r.shape = 'entries')
BEGIN SELECT RAISE(ABORT, 'the entry is not of its reading'); END;
