-- Look again (docs/safety.md): what the bank was asked and what it showed is
-- kept with the call that it allowed; a reference is used up only by a batch
-- that the bank has shown; and every batch that left planned is watched.

-- The table batches is made anew, as in 0007_rules.sql: its states have one more,
-- and a CHECK cannot be altered.
CREATE TABLE batches_before AS SELECT * FROM batches;
DROP TABLE batches; -- with its triggers and indexes

CREATE TABLE batches (
	no              INTEGER PRIMARY KEY, -- the order of planning
	id              TEXT NOT NULL UNIQUE CHECK (id <> ''),
	sheet_no        INTEGER NOT NULL REFERENCES sheets (no),
	sequence        INTEGER NOT NULL CHECK (sequence >= 1),
	attempt         INTEGER NOT NULL CHECK (attempt >= 1),
	state           TEXT NOT NULL DEFAULT 'planned' CHECK (state IN ('planned', 'initiating', 'initiate_unknown', 'held',
		'submitting', 'submit_unknown', 'submitted', 'settled', 'refused', 'quarantined', 'abandoned', 'set_aside')),
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
	attention       TEXT NOT NULL DEFAULT '',
	created_at      INTEGER NOT NULL,
	updated_at      INTEGER NOT NULL,
	state_since     INTEGER NOT NULL,
	held_at         INTEGER,
	submitted_at    INTEGER,
	success_at      INTEGER, -- when a payout of it was last first seen as success
	made            INTEGER NOT NULL DEFAULT 2 CHECK (made IN (0, 1, 2)), -- its attempts: 0 not yet, 2 made, 1 only inside the statement that makes them
	members         TEXT CHECK (json_array_length(members) = count), -- the ids of the payouts that a sheet put into it; NULL in a batch of further attempts
	shown           INTEGER NOT NULL DEFAULT 0 CHECK (shown IN (0, 1)),              -- the bank has shown or echoed it
	listed          TEXT NOT NULL DEFAULT '' CHECK (listed IN ('', 'yes', 'no')),    -- whether the bank shows it while it is held
	refusal         TEXT NOT NULL DEFAULT '',                                        -- the bank's words where it answered no and the effect is unknown
	planned_with    INTEGER REFERENCES batches (no), -- the batch whose planner it has; NULL: itself
	CHECK (made = 2 OR members IS NOT NULL),
	UNIQUE (sheet_no, sequence, attempt),
	CHECK (bene_lei = '' OR (length(bene_lei) = 20 AND bene_lei NOT GLOB '*[^0-9A-Z]*'))
) STRICT;

INSERT INTO batches (no, id, sheet_no, sequence, attempt, state, route_no, partner_bank_id, kind, bene_lei, count, total, reason, open_batch_id, otp_tries,
	note, attention, created_at, updated_at, state_since, held_at, submitted_at, success_at, made, members)
SELECT no, id, sheet_no, sequence, attempt, state, route_no, partner_bank_id, kind, bene_lei, count, total, reason, open_batch_id, otp_tries,
	note, attention, created_at, updated_at, state_since, held_at, submitted_at, success_at, made, members
FROM batches_before ORDER BY no;
DROP TABLE batches_before;

UPDATE batches SET shown = 1 WHERE held_at IS NOT NULL OR submitted_at IS NOT NULL OR state = 'quarantined'
	OR EXISTS (SELECT 1 FROM attempts a JOIN observations o ON o.payout_id = a.payout_id AND o.number = a.number WHERE a.batch_no = batches.no)
	OR EXISTS (SELECT 1 FROM events e WHERE e.batch_id = batches.id AND e.batch_id <> ''
		AND e.kind IN ('initiate_accepted', 'echo_differs', 'seen_as_planned', 'submit_accepted', 'submit_rejected', 'seen_moving'));

-- Before, a sheet and sequence were those of a batch and of what the program
-- planned anew by itself in its place.
UPDATE batches SET planned_with = (SELECT min(no) FROM batches f WHERE f.sheet_no = batches.sheet_no AND f.sequence = batches.sequence)
	WHERE attempt > 1 AND EXISTS (SELECT 1 FROM batches f WHERE f.sheet_no = batches.sheet_no AND f.sequence = batches.sequence AND f.no < batches.no);

-- Watched are all that left planned, by their last change.
CREATE INDEX batches_by_state ON batches (state);
CREATE INDEX batches_watched ON batches (updated_at) WHERE state IN ('settled', 'refused', 'abandoned', 'set_aside');

-- The triggers that batches had, as they were.
CREATE TRIGGER batches_ruled AFTER INSERT ON batches BEGIN
	SELECT CASE
		WHEN bulk IS NULL THEN RAISE(ABORT, 'the partner bank has no accounts of this kind')
		WHEN NEW.count > 1 AND bulk = 0 THEN RAISE(ABORT, 'the partner bank takes one payout a batch')
		WHEN (NEW.bene_lei <> '') <> (lei_line > 0 AND NEW.total >= lei_line) THEN RAISE(ABORT, 'a batch has an LEI from the line of its partner bank on, and none below it')
		END FROM batch_rules WHERE batch_no = NEW.no;
END;

CREATE TRIGGER batches_kept BEFORE DELETE ON batches BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;

CREATE TRIGGER batches_fixed BEFORE UPDATE OF no, id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei,
	count, total, reason, created_at, members, planned_with ON batches
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

CREATE TRIGGER batches_settle BEFORE UPDATE OF state ON batches
WHEN NEW.state = 'settled' AND EXISTS (SELECT 1 FROM attempts WHERE batch_no = NEW.no
	AND state NOT IN (SELECT name FROM payout_states WHERE final = 1))
BEGIN SELECT RAISE(ABORT, 'a payout of the batch is not final'); END;

DROP TRIGGER batch_transitions_fixed_insert;
INSERT INTO batch_transitions (from_state, event, to_state) VALUES
	('planned', 'seen_elsewhere', 'quarantined'),
	('initiate_unknown', 'refusal_stands', 'refused'),
	('held', 'set_aside', 'set_aside'),
	('submit_unknown', 'set_aside', 'set_aside'),
	('set_aside', 'seen_moving', 'submitted'),
	('quarantined', 'seen_moving', 'submitted');
CREATE TRIGGER batch_transitions_fixed_insert BEFORE INSERT ON batch_transitions BEGIN SELECT RAISE(ABORT, 'the machine is fixed'); END;

CREATE TABLE looks (
	batch_no    INTEGER NOT NULL REFERENCES batches (no), -- of the call
	intent_no   INTEGER NOT NULL REFERENCES intents (no),
	place       INTEGER NOT NULL CHECK (place >= 0),      -- in the order in which they were taken
	asked       TEXT NOT NULL CHECK (asked <> ''),        -- the batch id that the bank was asked about; not always one of ours
	answer      TEXT NOT NULL CHECK (answer IN ('not_known', 'shown', 'unanswered')), -- the last where no answer was needed
	word_status INTEGER NOT NULL,  -- the bank's word for not known
	word_code   TEXT NOT NULL,
	complete    INTEGER NOT NULL CHECK (complete IN (0, 1)),
	payouts     TEXT NOT NULL CHECK (json_valid(payouts)), -- how many were shown with which status: {"request_initiated":3}
	at          INTEGER NOT NULL,
	PRIMARY KEY (batch_no, intent_no, place)
) STRICT, WITHOUT ROWID;

-- How many looks an intent has; NULL where it is of a time when they were not
-- kept: before intent number looked_from.
ALTER TABLE intents ADD COLUMN looks INTEGER CHECK (looks > 0);
ALTER TABLE ledger ADD COLUMN looked_from INTEGER NOT NULL DEFAULT 1;
DROP TRIGGER ledger_fixed;
UPDATE ledger SET looked_from = (SELECT ifnull(max(no), 0) + 1 FROM intents);
CREATE TRIGGER ledger_fixed BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger''s identity never changes'); END;

CREATE TRIGGER intents_looked BEFORE INSERT ON intents WHEN NEW.looks IS NULL
BEGIN SELECT RAISE(ABORT, 'the bank was not looked at before the call'); END;
CREATE TRIGGER intents_looks_fixed BEFORE UPDATE OF looks ON intents
BEGIN SELECT RAISE(ABORT, 'what the bank showed never changes'); END;

CREATE TRIGGER looks_kept BEFORE DELETE ON looks BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER looks_fixed BEFORE UPDATE ON looks BEGIN SELECT RAISE(ABORT, 'what the bank showed never changes'); END;
CREATE TRIGGER looks_start BEFORE INSERT ON looks
WHEN NOT EXISTS (SELECT 1 FROM intents i JOIN batches b ON b.no = i.batch_no
	WHERE i.no = NEW.intent_no AND i.batch_no = NEW.batch_no AND i.outcome IS NULL AND b.state IN ('planned', 'held'))
BEGIN SELECT RAISE(ABORT, 'a look belongs to a call that is about to be made'); END;

-- No call without its looks, of which one is at its own batch and shows nothing
-- that forbids it: an initiate needs the bank not to know the batch, a submit
-- that no payout of it moved.
CREATE TRIGGER batches_looked BEFORE UPDATE OF state ON batches
WHEN NEW.state IN ('initiating', 'submitting') AND NOT EXISTS (SELECT 1 FROM intents i JOIN looks l ON l.batch_no = i.batch_no AND l.intent_no = i.no
	WHERE i.batch_no = NEW.no AND i.outcome IS NULL AND l.asked = NEW.id
	AND i.looks = (SELECT count(*) FROM looks WHERE batch_no = NEW.no AND intent_no = i.no)
	AND (l.answer = 'not_known' OR i.kind = 'submit' AND l.answer = 'shown' AND NOT EXISTS (SELECT 1 FROM json_each(l.payouts) WHERE key <> 'request_initiated')))
BEGIN SELECT RAISE(ABORT, 'the bank was not looked at before the call'); END;

-- What the bank has shown, it has shown.
CREATE TRIGGER batches_shown BEFORE UPDATE OF shown ON batches WHEN NEW.shown < OLD.shown
BEGIN SELECT RAISE(ABORT, 'what the bank has shown never changes'); END;

-- A reference that the bank has seen is used up.
CREATE TRIGGER further_attempts_names BEFORE INSERT ON further_attempts
WHEN EXISTS (SELECT 1 FROM attempts a JOIN payouts p ON p.id = a.payout_id JOIN batches b ON b.no = a.batch_no
	WHERE a.payout_id = NEW.payout_id AND ifnull(a.wire_ref, p.ref) = NEW.wire_ref AND b.shown = 1)
BEGIN SELECT RAISE(ABORT, 'the bank has seen this reference: it is used up'); END;

-- Who planned a batch: whoever planned the one it says. A sheet and sequence are
-- no longer those of batches that the program planned anew by itself only: the
-- retry of a whole batch has them too, and who planned that one is a person.
DROP VIEW planners;
CREATE VIEW planners (batch_no, actor) AS
	SELECT b.no, e.actor
	FROM batches b JOIN batches f ON f.no = ifnull(b.planned_with, b.no)
	JOIN events e ON e.batch_id = f.id AND e.batch_id <> '' AND e.kind = 'batch_planned';
