-- What SQLite looks up in a list of more than two values it first writes into a tree, and for a
-- CHECK, the condition of an index or a trigger it makes that tree anew for each row: 22 values for a
-- batch, 7 for an event. Alternatives in a row are compared one after the other, and the first is nearly always the one.
-- What is allowed is the same.

DROP TRIGGER events_bound;
DROP TRIGGER events_bank_listed_bound;
CREATE TRIGGER events_bound BEFORE INSERT ON events
WHEN NEW.digest = '' AND NEW.kind IN ('batch_planned', 'sheet_loaded', 'bound', 'bank_listed')
BEGIN SELECT RAISE(ABORT, 'an event of what is recorded carries its digest'); END;

-- A query that asks for one of the kinds is answered by the index, and so is one that has these words.
DROP INDEX events_people;
CREATE INDEX events_people ON events (seq) WHERE kind = 'person_added' OR kind = 'person_changed' OR kind = 'person_removed' OR kind = 'password_set';
DROP VIEW actors;
CREATE VIEW actors (actor, person, named) AS
	SELECT lower(name), name, 1 FROM (SELECT substr(detail, 1, instr(detail || ';', ';') - 1) AS name FROM events
		WHERE (kind = 'person_added' OR kind = 'person_changed' OR kind = 'person_removed' OR kind = 'password_set') AND kind = 'person_added')
	UNION ALL
	SELECT lower(trim(substr(said, 1, instr(said || ';', ';') - 1))), name, 0 FROM (
		SELECT substr(detail, 1, instr(detail || ';', ';') - 1) AS name, substr(detail, instr(detail, '; system user ') + 14) AS said FROM events
		WHERE (kind = 'person_added' OR kind = 'person_changed' OR kind = 'person_removed' OR kind = 'password_set') AND kind IN ('person_added', 'person_changed')
		AND instr(detail, '; system user ') > 0);

-- A CHECK cannot be altered. The migration runs without foreign keys, and looks for references to nothing at its end.
CREATE TABLE batches_before AS SELECT * FROM batches;
DROP TABLE batches; -- with its triggers and indexes

CREATE TABLE batches (
	no              INTEGER PRIMARY KEY, -- the order of planning
	id              TEXT NOT NULL UNIQUE CHECK (id <> ''),
	sheet_no        INTEGER NOT NULL REFERENCES sheets (no),
	sequence        INTEGER NOT NULL CHECK (sequence >= 1),
	attempt         INTEGER NOT NULL CHECK (attempt >= 1),
	state           TEXT NOT NULL DEFAULT 'planned' CHECK (state = 'planned' OR state = 'initiating' OR state = 'initiate_unknown' OR state = 'held'
		OR state = 'submitting' OR state = 'submit_unknown' OR state = 'submitted' OR state = 'settled'
		OR state = 'refused' OR state = 'quarantined' OR state = 'abandoned' OR state = 'set_aside'),
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
	made            INTEGER NOT NULL DEFAULT 2 CHECK (made = 0 OR made = 1 OR made = 2), -- its attempts: 0 not yet, 2 made, 1 only inside the statement that makes them
	members         TEXT CHECK (json_array_length(members) = count), -- the ids of the payouts that a sheet put into it; NULL in a batch of further attempts
	shown           INTEGER NOT NULL DEFAULT 0 CHECK (shown IN (0, 1)),              -- the bank has shown or echoed it
	listed          TEXT NOT NULL DEFAULT '' CHECK (listed = '' OR listed = 'yes' OR listed = 'no'),    -- whether the bank shows it while it is held
	refusal         TEXT NOT NULL DEFAULT '',                                        -- the bank's words where it answered no and the effect is unknown
	planned_with    INTEGER REFERENCES batches (no), -- the batch whose planner it has; NULL: itself
	CHECK (made = 2 OR members IS NOT NULL),
	UNIQUE (sheet_no, sequence, attempt),
	CHECK (bene_lei = '' OR (length(bene_lei) = 20 AND bene_lei NOT GLOB '*[^0-9A-Z]*'))
) STRICT;

INSERT INTO batches SELECT * FROM batches_before ORDER BY no;
DROP TABLE batches_before;

CREATE INDEX batches_by_state ON batches (state, made, count, total);
CREATE INDEX batches_watched ON batches (updated_at) WHERE state = 'settled' OR state = 'refused' OR state = 'abandoned' OR state = 'set_aside';

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

CREATE TRIGGER batches_looked BEFORE UPDATE OF state ON batches
WHEN NEW.state IN ('initiating', 'submitting') AND NOT EXISTS (SELECT 1 FROM intents i JOIN looks l ON l.batch_no = i.batch_no AND l.intent_no = i.no
	WHERE i.batch_no = NEW.no AND i.outcome IS NULL AND l.asked = NEW.id
	AND i.looks = (SELECT count(*) FROM looks WHERE batch_no = NEW.no AND intent_no = i.no)
	AND (l.answer = 'not_known' OR i.kind = 'submit' AND l.answer = 'shown' AND NOT EXISTS (SELECT 1 FROM json_each(l.payouts) WHERE key <> 'request_initiated')))
BEGIN SELECT RAISE(ABORT, 'the bank was not looked at before the call'); END;

CREATE TRIGGER batches_shown BEFORE UPDATE OF shown ON batches WHEN NEW.shown < OLD.shown
BEGIN SELECT RAISE(ABORT, 'what the bank has shown never changes'); END;

CREATE TRIGGER batches_approved BEFORE UPDATE OF state ON batches
WHEN NEW.state = 'initiating' AND (SELECT two_person FROM policy) = 1
	AND NOT EXISTS (SELECT 1 FROM events e JOIN intents i ON i.batch_no = NEW.no AND i.kind = 'initiate' AND i.outcome IS NULL
		WHERE e.batch_id = NEW.id AND e.batch_id <> '' AND e.kind = 'approved' AND e.seq > (SELECT since FROM policy)
		AND e.detail GLOB 'payload ' || i.payload_sha256 || ';*'
		AND lower(trim(e.actor)) <> (SELECT lower(trim(actor)) FROM planners WHERE batch_no = NEW.no))
BEGIN SELECT RAISE(ABORT, 'nobody but its planner has approved the batch'); END;

CREATE TRIGGER batches_set_aside BEFORE UPDATE OF state ON batches
WHEN NEW.state = 'set_aside' AND NOT EXISTS (SELECT 1 FROM proposals WHERE batch_no = NEW.no AND decision = 'not-submitted'
	AND carried = 1 AND at = NEW.state_since)
BEGIN SELECT RAISE(ABORT, 'people set aside, and have not'); END;

CREATE TRIGGER batches_not_resolved_so BEFORE UPDATE OF state ON batches
WHEN OLD.state = 'submit_unknown' AND NEW.state = 'abandoned'
BEGIN SELECT RAISE(ABORT, 'a submit in doubt is set aside, and not abandoned'); END;

CREATE TRIGGER batches_books BEFORE UPDATE OF state ON batches
WHEN NEW.state = 'submitting' AND (SELECT books FROM intents WHERE batch_no = NEW.no AND outcome IS NULL) IS NULL
	AND EXISTS (SELECT 1 FROM attempts a JOIN attempts e ON e.payout_id = a.payout_id AND e.number < a.number
		JOIN batches b ON b.no = e.batch_no AND b.state = 'set_aside'
		WHERE a.batch_no = NEW.no AND NOT EXISTS (SELECT 1 FROM proposals WHERE batch_no = b.no AND decision = 'not-submitted' AND carried = 1 AND books = 0 AND ticket <> ''))
BEGIN SELECT RAISE(ABORT, 'the bank''s books were not read before the call'); END;

CREATE TRIGGER batches_restored BEFORE UPDATE OF state ON batches
WHEN NEW.state = 'submitting' AND EXISTS (SELECT 1 FROM restores r WHERE r.last_sheet >= NEW.sheet_no
	AND NOT EXISTS (SELECT 1 FROM proposals WHERE batch_no = NEW.no AND decision = 'not-submitted' AND carried = 1 AND at >= r.at))
BEGIN SELECT RAISE(ABORT, 'an older copy had its payouts, and people have not decided that they were not paid since'); END;

CREATE TRIGGER batches_approved_by_another_person BEFORE UPDATE OF state ON batches
WHEN NEW.state = 'initiating' AND (SELECT two_person FROM policy) = 1 AND EXISTS (SELECT 1 FROM actors)
	AND NOT EXISTS (SELECT 1 FROM events e JOIN intents i ON i.batch_no = NEW.no AND i.kind = 'initiate' AND i.outcome IS NULL
		JOIN planners p ON p.batch_no = NEW.no
		WHERE e.batch_id = NEW.id AND e.batch_id <> '' AND e.kind = 'approved' AND e.seq > (SELECT since FROM policy)
		AND e.detail GLOB 'payload ' || i.payload_sha256 || ';*'
		AND lower(trim(e.actor)) <> lower(trim(p.actor))
		AND NOT EXISTS (SELECT 1 FROM actors a JOIN actors b ON b.person = a.person
			WHERE a.actor = lower(trim(e.actor)) AND b.actor = lower(trim(p.actor)))
		AND ifnull((SELECT max(named) FROM actors WHERE actor = lower(trim(e.actor))), -1)
			* ifnull((SELECT max(named) FROM actors WHERE actor = lower(trim(p.actor))), -1) <> -1)
BEGIN SELECT RAISE(ABORT, 'nobody who surely is not its planner has approved the batch'); END;
