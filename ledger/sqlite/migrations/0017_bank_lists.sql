-- What the bank listed when it was last asked: its accounts and beneficiaries, and
-- which lists were read whole, and when. It is replaced by what the bank lists
-- next; the audit trail tells of each listing, with a digest of all that is here
-- after it (ledger.BankLists).
CREATE TABLE bank_lists (
	list            TEXT NOT NULL CHECK (list IN ('accounts', 'beneficiaries')),
	sub_merchant_id TEXT NOT NULL, -- '' for everybody's
	bank_account_id TEXT NOT NULL, -- '' for all
	at              INTEGER NOT NULL,
	PRIMARY KEY (list, sub_merchant_id, bank_account_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE bank_accounts (
	bank_account_id TEXT PRIMARY KEY,
	partner_bank_id INTEGER NOT NULL,
	status          TEXT NOT NULL,
	account_number  TEXT NOT NULL, -- masked
	ifsc            TEXT NOT NULL,
	account_name    TEXT NOT NULL,
	identifier      TEXT NOT NULL,
	at              INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE bank_beneficiaries (
	bank_account_id     TEXT NOT NULL, -- the debit account
	open_beneficiary_id TEXT NOT NULL,
	bank_beneficiary_id TEXT NOT NULL,
	vendor_name         TEXT NOT NULL,
	bank_account_number TEXT NOT NULL,
	ifsc                TEXT NOT NULL,
	status              TEXT NOT NULL,
	sub_merchant_id     TEXT NOT NULL,
	at                  INTEGER NOT NULL,
	PRIMARY KEY (bank_account_id, open_beneficiary_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX events_bank_listed ON events (seq) WHERE kind = 'bank_listed';

CREATE TRIGGER events_bank_listed_bound BEFORE INSERT ON events WHEN NEW.kind = 'bank_listed' AND NEW.digest = ''
BEGIN SELECT RAISE(ABORT, 'an event of what is recorded carries its digest'); END;
