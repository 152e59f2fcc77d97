-- The domain's rules again, where no program can forget them.

-- The batches' machine, held against ledger.BatchState.Next by a test.
CREATE TABLE batch_transitions (
	from_state TEXT NOT NULL,
	event      TEXT NOT NULL,
	to_state   TEXT NOT NULL,
	PRIMARY KEY (from_state, event)
) STRICT, WITHOUT ROWID;

INSERT INTO batch_transitions (from_state, event, to_state) VALUES
	('planned', 'initiate_intended', 'initiating'),
	('planned', 'abandoned', 'abandoned'),
	('initiating', 'initiate_accepted', 'held'),
	('initiating', 'initiate_refused', 'refused'),
	('initiating', 'initiate_undone', 'planned'),
	('initiating', 'initiate_lost', 'initiate_unknown'),
	('initiating', 'echo_differs', 'quarantined'),
	('initiate_unknown', 'seen_as_planned', 'held'),
	('initiate_unknown', 'echo_differs', 'quarantined'),
	('initiate_unknown', 'doubt_expired', 'abandoned'),
	('initiate_unknown', 'abandoned', 'abandoned'),
	('held', 'submit_intended', 'submitting'),
	('held', 'seen_moving', 'submitted'),
	('held', 'echo_differs', 'quarantined'),
	('held', 'abandoned', 'abandoned'),
	('submitting', 'submit_accepted', 'submitted'),
	('submitting', 'submit_rejected', 'held'),
	('submitting', 'submit_undone', 'held'),
	('submitting', 'submit_lost', 'submit_unknown'),
	('submit_unknown', 'seen_moving', 'submitted'),
	('submit_unknown', 'resolved_submitted', 'submitted'),
	('submit_unknown', 'resolved_not_submitted', 'abandoned'),
	('submitted', 'all_final', 'settled'),
	('quarantined', 'abandoned', 'abandoned');

-- Where an attempt may go: what ledger.Judge and ledger.BatchEvent.PayoutsBecome
-- can do, no more. Held against Judge by a test.
CREATE TABLE payout_transitions (
	from_state TEXT NOT NULL,
	to_state   TEXT NOT NULL,
	PRIMARY KEY (from_state, to_state)
) STRICT, WITHOUT ROWID;

INSERT INTO payout_transitions (from_state, to_state) VALUES
	('planned', 'request_initiated'), ('planned', 'cancelled'), ('planned', 'disputed'),
	('request_initiated', 'pending'), ('request_initiated', 'initiated'), ('request_initiated', 'success'),
	('request_initiated', 'failed'), ('request_initiated', 'returned'), ('request_initiated', 'disputed'),
	('request_initiated', 'cancelled'),
	('pending', 'initiated'), ('pending', 'success'), ('pending', 'failed'), ('pending', 'returned'), ('pending', 'disputed'),
	('initiated', 'pending'), ('initiated', 'success'), ('initiated', 'failed'), ('initiated', 'returned'), ('initiated', 'disputed'),
	('success', 'returned'), ('success', 'disputed'),
	('failed', 'disputed'),
	('returned', 'disputed'),
	('disputed', 'cancelled'),
	('cancelled', 'disputed');

CREATE TRIGGER batch_transitions_fixed_insert BEFORE INSERT ON batch_transitions BEGIN SELECT RAISE(ABORT, 'the machine is fixed'); END;
CREATE TRIGGER batch_transitions_fixed_update BEFORE UPDATE ON batch_transitions BEGIN SELECT RAISE(ABORT, 'the machine is fixed'); END;
CREATE TRIGGER batch_transitions_fixed_delete BEFORE DELETE ON batch_transitions BEGIN SELECT RAISE(ABORT, 'the machine is fixed'); END;
CREATE TRIGGER payout_transitions_fixed_insert BEFORE INSERT ON payout_transitions BEGIN SELECT RAISE(ABORT, 'the machine is fixed'); END;
CREATE TRIGGER payout_transitions_fixed_update BEFORE UPDATE ON payout_transitions BEGIN SELECT RAISE(ABORT, 'the machine is fixed'); END;
CREATE TRIGGER payout_transitions_fixed_delete BEFORE DELETE ON payout_transitions BEGIN SELECT RAISE(ABORT, 'the machine is fixed'); END;

-- History is never deleted. INSERT OR REPLACE deletes too, and fires these
-- because every connection has recursive_triggers on.
CREATE TRIGGER ledger_kept BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER sheets_kept BEFORE DELETE ON sheets BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER routes_kept BEFORE DELETE ON routes BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER payouts_kept BEFORE DELETE ON payouts BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER batches_kept BEFORE DELETE ON batches BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER further_attempts_kept BEFORE DELETE ON further_attempts BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER attempts_kept BEFORE DELETE ON attempts BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER wire_keys_kept BEFORE DELETE ON wire_keys BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER observations_kept BEFORE DELETE ON observations BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER intents_kept BEFORE DELETE ON intents BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER events_kept BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;

-- What never changes.
CREATE TRIGGER ledger_fixed BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger''s identity never changes'); END;
CREATE TRIGGER routes_fixed BEFORE UPDATE ON routes BEGIN SELECT RAISE(ABORT, 'a route never changes'); END;
CREATE TRIGGER payouts_fixed BEFORE UPDATE ON payouts BEGIN SELECT RAISE(ABORT, 'a payout never changes'); END;
CREATE TRIGGER further_attempts_fixed BEFORE UPDATE ON further_attempts BEGIN SELECT RAISE(ABORT, 'an attempt never changes its reference'); END;
CREATE TRIGGER wire_keys_fixed BEFORE UPDATE ON wire_keys BEGIN SELECT RAISE(ABORT, 'a used reference never changes'); END;
CREATE TRIGGER observations_fixed BEFORE UPDATE ON observations BEGIN SELECT RAISE(ABORT, 'an observation never changes'); END;
CREATE TRIGGER events_fixed BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'an event never changes'); END;
CREATE TRIGGER sheets_fixed BEFORE UPDATE ON sheets WHEN OLD.sealed = 1 OR NEW.sealed = 0 OR NEW.no <> OLD.no
BEGIN SELECT RAISE(ABORT, 'a sealed sheet never changes'); END;
CREATE TRIGGER batches_fixed BEFORE UPDATE OF no, id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei,
	count, total, reason, created_at, members ON batches
BEGIN SELECT RAISE(ABORT, 'what a batch is never changes'); END;
CREATE TRIGGER attempts_fixed BEFORE UPDATE OF payout_id, number, batch_no, wire_ref ON attempts
BEGIN SELECT RAISE(ABORT, 'what an attempt is never changes'); END;
CREATE TRIGGER intents_fixed BEFORE UPDATE ON intents
WHEN OLD.outcome IS NOT NULL OR NEW.outcome IS NULL OR NEW.no <> OLD.no OR NEW.batch_no <> OLD.batch_no
	OR NEW.kind <> OLD.kind OR NEW.payload_sha256 <> OLD.payload_sha256 OR NEW.at <> OLD.at
BEGIN SELECT RAISE(ABORT, 'an intent only ever gets its outcome, once'); END;

-- Batches start planned and move by the machine.
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

CREATE TRIGGER attempts_first BEFORE INSERT ON attempts
WHEN NEW.number = 1 AND (SELECT made FROM batches WHERE no = NEW.batch_no) IS NOT 1
BEGIN SELECT RAISE(ABORT, 'a first attempt is made with its batch'); END;

-- No record, no call; and no outcome without its record.
CREATE TRIGGER batches_call_recorded BEFORE UPDATE OF state ON batches
WHEN NEW.state IN ('initiating', 'submitting') AND NOT EXISTS (SELECT 1 FROM intents WHERE batch_no = NEW.no AND outcome IS NULL
	AND kind = CASE NEW.state WHEN 'initiating' THEN 'initiate' ELSE 'submit' END)
BEGIN SELECT RAISE(ABORT, 'no intent is recorded'); END;

CREATE TRIGGER batches_outcome_recorded BEFORE UPDATE OF state ON batches
WHEN OLD.state IN ('initiating', 'submitting') AND EXISTS (SELECT 1 FROM intents WHERE batch_no = NEW.no AND outcome IS NULL)
BEGIN SELECT RAISE(ABORT, 'the intent has no outcome'); END;

CREATE TRIGGER batches_settle BEFORE UPDATE OF state ON batches
WHEN NEW.state = 'settled' AND EXISTS (SELECT 1 FROM attempts WHERE batch_no = NEW.no
	AND state NOT IN ('success', 'failed', 'returned', 'cancelled'))
BEGIN SELECT RAISE(ABORT, 'a payout of the batch is not final'); END;

-- An intent is recorded just before the batch moves on; an abandoned, refused
-- or quarantined batch never gets one.
CREATE TRIGGER intents_start BEFORE INSERT ON intents
WHEN NEW.outcome IS NOT NULL OR NOT EXISTS (SELECT 1 FROM batches WHERE no = NEW.batch_no AND made = 2
	AND state = CASE NEW.kind WHEN 'initiate' THEN 'planned' ELSE 'held' END)
BEGIN SELECT RAISE(ABORT, 'the batch is not where this call may be made'); END;

-- Money moves only at submit, so submit is where everything must be right:
-- every payout echoed and nowhere else alive.
CREATE TRIGGER intents_submit BEFORE INSERT ON intents
WHEN NEW.kind = 'submit' AND EXISTS (SELECT 1 FROM attempts a WHERE a.batch_no = NEW.batch_no
	AND (a.state <> 'request_initiated' OR EXISTS (SELECT 1 FROM attempts o WHERE o.payout_id = a.payout_id
		AND o.number <> a.number AND o.state NOT IN ('failed', 'returned', 'cancelled'))))
BEGIN SELECT RAISE(ABORT, 'a payout of the batch is not held, or is alive elsewhere'); END;

-- A further attempt needs every earlier one to be made and to have surely not
-- paid, and a batch of which nothing was sent.
CREATE TRIGGER further_attempts_permit BEFORE INSERT ON further_attempts
WHEN NEW.number <> (SELECT ifnull(max(number), 0) + 1 FROM attempts WHERE payout_id = NEW.payout_id)
	OR EXISTS (SELECT 1 FROM attempts WHERE payout_id = NEW.payout_id AND state NOT IN ('failed', 'returned', 'cancelled'))
	OR NOT EXISTS (SELECT 1 FROM batches WHERE no = NEW.batch_no AND state = 'planned' AND members IS NULL)
BEGIN SELECT RAISE(ABORT, 'the payout has an attempt that is not over'); END;

CREATE TRIGGER further_attempts_make AFTER INSERT ON further_attempts BEGIN
	INSERT INTO attempts (payout_id, number, batch_no, wire_ref) VALUES (NEW.payout_id, NEW.number, NEW.batch_no, NEW.wire_ref);
END;

CREATE TRIGGER attempts_move BEFORE UPDATE OF state ON attempts
WHEN NEW.state <> OLD.state AND NOT EXISTS (SELECT 1 FROM payout_transitions WHERE from_state = OLD.state AND to_state = NEW.state)
BEGIN SELECT RAISE(ABORT, 'not a step of a payout'); END;

-- Observations count up without gaps, and so does the audit trail.
CREATE TRIGGER observations_in_order BEFORE INSERT ON observations
WHEN NEW.seq <> 1 + (SELECT ifnull(max(seq), 0) FROM observations WHERE payout_id = NEW.payout_id AND number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'observations have no gaps'); END;

CREATE TRIGGER events_in_order BEFORE INSERT ON events
WHEN NEW.seq <> 1 + (SELECT ifnull(max(seq), 0) FROM events)
BEGIN SELECT RAISE(ABORT, 'events have no gaps'); END;
