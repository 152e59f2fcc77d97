-- Look again (docs/safety.md): what the bank was asked and what it showed is
-- kept with the call that it allowed; a reference is used up only by a batch
-- that the bank has shown; and every batch that left planned is watched.

ALTER TABLE batches ADD COLUMN shown INTEGER NOT NULL DEFAULT 0 CHECK (shown IN (0, 1));             -- the bank has shown or echoed it
ALTER TABLE batches ADD COLUMN listed TEXT NOT NULL DEFAULT '' CHECK (listed IN ('', 'yes', 'no')); -- whether the bank shows it while it is held
ALTER TABLE batches ADD COLUMN refusal TEXT NOT NULL DEFAULT '';                                    -- the bank's words where it answered no and the effect is unknown

UPDATE batches SET shown = 1 WHERE held_at IS NOT NULL OR submitted_at IS NOT NULL OR state = 'quarantined'
	OR EXISTS (SELECT 1 FROM attempts a JOIN observations o ON o.payout_id = a.payout_id AND o.number = a.number WHERE a.batch_no = batches.no);

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
	intent_no   INTEGER NOT NULL REFERENCES intents (no),
	place       INTEGER NOT NULL,  -- in the order in which they were taken
	asked       TEXT NOT NULL CHECK (asked <> ''), -- the batch id that the bank was asked about; not always one of ours
	answer      TEXT NOT NULL CHECK (answer IN ('not_known', 'shown')),
	word_status INTEGER NOT NULL,  -- the bank's word for not known
	word_code   TEXT NOT NULL,
	complete    INTEGER NOT NULL CHECK (complete IN (0, 1)),
	payouts     TEXT NOT NULL,     -- how many were shown with which status: {"request_initiated":3}
	at          INTEGER NOT NULL,
	PRIMARY KEY (intent_no, place)
) STRICT, WITHOUT ROWID;

-- How many looks an intent has; NULL where it is of a time when they were not kept.
ALTER TABLE intents ADD COLUMN looks INTEGER CHECK (looks > 0);
CREATE TRIGGER intents_looked BEFORE INSERT ON intents WHEN NEW.looks IS NULL
BEGIN SELECT RAISE(ABORT, 'the bank was not looked at before the call'); END;

CREATE TRIGGER looks_kept BEFORE DELETE ON looks BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER looks_fixed BEFORE UPDATE ON looks BEGIN SELECT RAISE(ABORT, 'what the bank showed never changes'); END;
CREATE TRIGGER looks_start BEFORE INSERT ON looks
WHEN NOT EXISTS (SELECT 1 FROM intents WHERE no = NEW.intent_no AND outcome IS NULL)
BEGIN SELECT RAISE(ABORT, 'a look belongs to a call that is about to be made'); END;

-- No call without a look of its own batch before it.
CREATE TRIGGER batches_looked BEFORE UPDATE OF state ON batches
WHEN NEW.state IN ('initiating', 'submitting') AND NOT EXISTS (SELECT 1 FROM intents i JOIN looks l ON l.intent_no = i.no
	WHERE i.batch_no = NEW.no AND i.outcome IS NULL AND l.asked = NEW.id)
BEGIN SELECT RAISE(ABORT, 'the bank was not looked at before the call'); END;

-- A reference that the bank has seen is used up.
CREATE TRIGGER further_attempts_names BEFORE INSERT ON further_attempts
WHEN EXISTS (SELECT 1 FROM attempts a JOIN payouts p ON p.id = a.payout_id JOIN batches b ON b.no = a.batch_no
	WHERE a.payout_id = NEW.payout_id AND ifnull(a.wire_ref, p.ref) = NEW.wire_ref AND b.shown = 1)
BEGIN SELECT RAISE(ABORT, 'the bank has seen this reference: it is used up'); END;

-- Watched are all that left planned, by their last change.
DROP INDEX batches_watched;
CREATE INDEX batches_watched ON batches (updated_at) WHERE state IN ('settled', 'refused', 'abandoned', 'set_aside');

-- Who planned a batch: who loaded its sheet, or asked for its retry. A retry of
-- a whole batch has its sequence now, so only what took the place of an initiate
-- without an answer, which nobody asked for, has the planner of what it replaces.
DROP VIEW planners;
CREATE VIEW planners (batch_no, actor) AS
	SELECT b.no, e.actor
	FROM batches b JOIN batches f ON f.no = (SELECT max(x.no) FROM batches x
		WHERE x.sheet_no = b.sheet_no AND x.sequence = b.sequence AND x.no <= b.no
		AND NOT EXISTS (SELECT 1 FROM batches r JOIN events d ON d.batch_id = r.id AND d.batch_id <> '' AND d.kind = 'doubt_expired'
			WHERE r.sheet_no = x.sheet_no AND r.sequence = x.sequence AND r.attempt = x.attempt - 1))
	JOIN events e ON e.batch_id = f.id AND e.batch_id <> '' AND e.kind = 'batch_planned';
