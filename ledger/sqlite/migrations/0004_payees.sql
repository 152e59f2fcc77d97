-- Who was paid before, found by hashes of the folded name and of the account.
-- These tables say nothing that the payouts do not say: they hold no name and
-- no account number, and what they find is read again from the payouts. They
-- are filled behind the payouts, up to payees_indexed.upto, and never while a
-- sheet is loaded: a million rows would pay for it.

CREATE TABLE payees_indexed (
	one  INTEGER PRIMARY KEY CHECK (one = 1),
	upto INTEGER NOT NULL -- the last payout that is in the tables below
) STRICT;

INSERT INTO payees_indexed (one, upto) VALUES (1, 0);

-- Each account that a name was paid at, with the first such payout.
CREATE TABLE payee_names (
	name      INTEGER NOT NULL,
	account   INTEGER NOT NULL,
	payout_id INTEGER NOT NULL,
	PRIMARY KEY (name, account)
) STRICT, WITHOUT ROWID;

-- Every payout to an account.
CREATE TABLE payee_payouts (
	account   INTEGER NOT NULL,
	payout_id INTEGER NOT NULL,
	amount    INTEGER NOT NULL, -- paise
	PRIMARY KEY (account, payout_id)
) STRICT, WITHOUT ROWID;
