-- The partner banks' rules and what the states of a payout mean, as rows: the
-- triggers and ledger verify ask them, and a test holds them against
-- ledger.RulesFor and ledger.PayoutState.
--
-- A rule that changes is one line in ledger/bank.go and one migration, which
-- takes partner_bank_rules_added away, inserts the row with the first batch it
-- holds for, and makes the trigger again:
--
--	INSERT INTO partner_bank_rules SELECT 4, '', ifnull(max(no), 0) + 1, 1, 0, 0, 0, 0 FROM batches;
--
-- Batches before it keep the rules they were planned by.

CREATE TABLE partner_bank_rules (
	partner_bank_id      INTEGER NOT NULL, -- 0: every partner bank without a row of its own
	kind                 TEXT NOT NULL,    -- of the debit account; one without a row is refused
	from_batch           INTEGER NOT NULL, -- the first batch the row holds for
	bulk                 INTEGER NOT NULL CHECK (bulk IN (0, 1)),
	needs_token          INTEGER NOT NULL CHECK (needs_token IN (0, 1)),
	lei_line             INTEGER NOT NULL CHECK (lei_line >= 0), -- paise; 0 for never
	needs_beneficiary_id INTEGER NOT NULL CHECK (needs_beneficiary_id IN (0, 1)),
	async_statements     INTEGER NOT NULL CHECK (async_statements IN (0, 1)),
	PRIMARY KEY (partner_bank_id, kind, from_batch)
) STRICT, WITHOUT ROWID;

INSERT INTO partner_bank_rules (partner_bank_id, kind, from_batch, bulk, needs_token, lei_line, needs_beneficiary_id, async_statements) VALUES
	(0,  '',    1, 0, 0, 0,           0, 0), -- interface.md, "Initiate transfer", rule 1: every other partner bank
	(1,  '',    1, 1, 1, 50000000000, 0, 0), -- interface.md, "Submit transfer", bene_lei: from 500,000,000.00 rupees
	(3,  '',    1, 1, 0, 0,           0, 0),
	(8,  '',    1, 0, 0, 0,           0, 1),
	(12, 'rib', 1, 1, 0, 0,           1, 0),
	(12, 'cib', 1, 1, 0, 0,           0, 0);

CREATE TABLE payout_states (
	name      TEXT PRIMARY KEY,
	final     INTEGER NOT NULL CHECK (final IN (0, 1)),     -- the bank has nothing more to do
	retryable INTEGER NOT NULL CHECK (retryable IN (0, 1)), -- a new attempt may be planned
	live      INTEGER NOT NULL CHECK (live = 1 - retryable) -- the money may be with the payee, or on its way
) STRICT, WITHOUT ROWID;

INSERT INTO payout_states (name, final, retryable, live) VALUES
	('planned',           0, 0, 1),
	('request_initiated', 0, 0, 1),
	('pending',           0, 0, 1),
	('initiated',         0, 0, 1),
	('success',           1, 0, 1),
	('failed',            1, 1, 0),
	('returned',          1, 1, 0),
	('disputed',          0, 0, 1),
	('cancelled',         1, 1, 0);

CREATE TRIGGER partner_bank_rules_added BEFORE INSERT ON partner_bank_rules BEGIN SELECT RAISE(ABORT, 'the rules are fixed'); END;
CREATE TRIGGER partner_bank_rules_fixed BEFORE UPDATE ON partner_bank_rules BEGIN SELECT RAISE(ABORT, 'the rules are fixed'); END;
CREATE TRIGGER partner_bank_rules_kept BEFORE DELETE ON partner_bank_rules BEGIN SELECT RAISE(ABORT, 'the rules are fixed'); END;
CREATE TRIGGER payout_states_added BEFORE INSERT ON payout_states BEGIN SELECT RAISE(ABORT, 'the states are fixed'); END;
CREATE TRIGGER payout_states_fixed BEFORE UPDATE ON payout_states BEGIN SELECT RAISE(ABORT, 'the states are fixed'); END;
CREATE TRIGGER payout_states_kept BEFORE DELETE ON payout_states BEGIN SELECT RAISE(ABORT, 'the states are fixed'); END;

-- The table batches is made anew without the CHECKs that were rules: a CHECK
-- cannot be altered. The migration runs without foreign keys, because DROP
-- TABLE would delete each row, and looks for references to nothing at its end.
CREATE TABLE batches_before AS SELECT * FROM batches;
DROP TABLE batches; -- with its triggers and indexes

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
	kind            TEXT NOT NULL,
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
	CHECK (bene_lei = '' OR (length(bene_lei) = 20 AND bene_lei NOT GLOB '*[^0-9A-Z]*'))
) STRICT;

INSERT INTO batches SELECT * FROM batches_before ORDER BY no;
DROP TABLE batches_before;

CREATE INDEX batches_by_state ON batches (state);
CREATE INDEX batches_watched ON batches (success_at) WHERE state = 'settled';

-- The rules each batch was planned by. NULL where there are none: such a batch
-- is refused.
CREATE VIEW batch_rules (batch_no, bulk, needs_token, lei_line, needs_beneficiary_id, async_statements) AS
	SELECT b.no, r.bulk, r.needs_token, r.lei_line, r.needs_beneficiary_id, r.async_statements
	FROM batches b LEFT JOIN partner_bank_rules r ON r.kind = b.kind
		AND r.partner_bank_id = iif(EXISTS (SELECT 1 FROM partner_bank_rules WHERE partner_bank_id = b.partner_bank_id AND from_batch <= b.no), b.partner_bank_id, 0)
		AND r.from_batch = (SELECT max(from_batch) FROM partner_bank_rules
			WHERE partner_bank_id = r.partner_bank_id AND kind = r.kind AND from_batch <= b.no);

CREATE TRIGGER batches_ruled AFTER INSERT ON batches BEGIN
	SELECT CASE
		WHEN bulk IS NULL THEN RAISE(ABORT, 'the partner bank has no accounts of this kind')
		WHEN NEW.count > 1 AND bulk = 0 THEN RAISE(ABORT, 'the partner bank takes one payout a batch')
		WHEN (NEW.bene_lei <> '') <> (lei_line > 0 AND NEW.total >= lei_line) THEN RAISE(ABORT, 'a batch has an LEI from the line of its partner bank on, and none below it')
		END FROM batch_rules WHERE batch_no = NEW.no;
END;

-- The triggers that batches had, as they were.
CREATE TRIGGER batches_kept BEFORE DELETE ON batches BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;

CREATE TRIGGER batches_fixed BEFORE UPDATE OF no, id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei,
	count, total, reason, created_at, members ON batches
BEGIN SELECT RAISE(ABORT, 'what a batch is never changes'); END;

CREATE TRIGGER batches_start BEFORE INSERT ON batches
WHEN NEW.state <> 'planned' OR NEW.held_at IS NOT NULL OR NEW.submitted_at IS NOT NULL OR NEW.otp_tries <> 0
	OR NEW.made <> iif(NEW.members IS NULL, 2, 0)
BEGIN SELECT RAISE(ABORT, 'a batch starts planned'); END;

CREATE TRIGGER batches_move BEFORE UPDATE OF state ON batches
WHEN NOT EXISTS (SELECT 1 FROM batch_transitions WHERE from_state = OLD.state AND to_state = NEW.state)
BEGIN SELECT RAISE(ABORT, 'not a step of the batch machine'); END;

-- A batch takes no step before its attempts are made, and they are made once,
-- all of them, from its members and in no other way: made is 1 only while this
-- trigger works.
CREATE TRIGGER batches_move_made BEFORE UPDATE OF state ON batches WHEN NEW.made <> 2
BEGIN SELECT RAISE(ABORT, 'the attempts of the batch are not made'); END;

CREATE TRIGGER batches_made BEFORE UPDATE OF made ON batches
WHEN NEW.made <> OLD.made + 1 OR (NEW.made = 2 AND (SELECT count(*) FROM attempts WHERE batch_no = NEW.no) <> NEW.count)
BEGIN SELECT RAISE(ABORT, 'the attempts of a batch are made once and all'); END;

CREATE TRIGGER batches_make AFTER UPDATE OF made ON batches WHEN NEW.made = 1 BEGIN
	INSERT INTO attempts (payout_id, number, batch_no) SELECT value, 1, NEW.no FROM json_each(NEW.members);
	UPDATE batches SET made = 2 WHERE no = NEW.no;
END;

CREATE TRIGGER batches_call_recorded BEFORE UPDATE OF state ON batches
WHEN NEW.state IN ('initiating', 'submitting') AND NOT EXISTS (SELECT 1 FROM intents WHERE batch_no = NEW.no AND outcome IS NULL
	AND kind = CASE NEW.state WHEN 'initiating' THEN 'initiate' ELSE 'submit' END)
BEGIN SELECT RAISE(ABORT, 'no intent is recorded'); END;

CREATE TRIGGER batches_outcome_recorded BEFORE UPDATE OF state ON batches
WHEN OLD.state IN ('initiating', 'submitting') AND EXISTS (SELECT 1 FROM intents WHERE batch_no = NEW.no AND outcome IS NULL)
BEGIN SELECT RAISE(ABORT, 'the intent has no outcome'); END;

-- The triggers that spelt the states out, asking for them.
CREATE TRIGGER batches_settle BEFORE UPDATE OF state ON batches
WHEN NEW.state = 'settled' AND EXISTS (SELECT 1 FROM attempts WHERE batch_no = NEW.no
	AND state NOT IN (SELECT name FROM payout_states WHERE final = 1))
BEGIN SELECT RAISE(ABORT, 'a payout of the batch is not final'); END;

-- Money moves only at submit, so submit is where everything must be right:
-- every payout echoed and nowhere else alive.
DROP TRIGGER intents_submit;
CREATE TRIGGER intents_submit BEFORE INSERT ON intents
WHEN NEW.kind = 'submit' AND EXISTS (SELECT 1 FROM attempts a WHERE a.batch_no = NEW.batch_no
	AND (a.state <> 'request_initiated' OR EXISTS (SELECT 1 FROM attempts o WHERE o.payout_id = a.payout_id
		AND o.number <> a.number AND o.state NOT IN (SELECT name FROM payout_states WHERE live = 0))))
BEGIN SELECT RAISE(ABORT, 'a payout of the batch is not held, or is alive elsewhere'); END;

-- A further attempt needs every earlier one to be made and to have surely not
-- paid, and a batch of which nothing was sent.
DROP TRIGGER further_attempts_permit;
CREATE TRIGGER further_attempts_permit BEFORE INSERT ON further_attempts
WHEN NEW.number <> (SELECT ifnull(max(number), 0) + 1 FROM attempts WHERE payout_id = NEW.payout_id)
	OR EXISTS (SELECT 1 FROM attempts WHERE payout_id = NEW.payout_id AND state NOT IN (SELECT name FROM payout_states WHERE retryable = 1))
	OR NOT EXISTS (SELECT 1 FROM batches WHERE no = NEW.batch_no AND state = 'planned' AND members IS NULL)
BEGIN SELECT RAISE(ABORT, 'the payout has an attempt that is not over'); END;
