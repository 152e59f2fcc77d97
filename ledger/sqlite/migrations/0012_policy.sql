-- What people have to agree to is a fact of the ledger (docs/security.md,
-- "People"). The policy is what the audit trail says it is, and so is who
-- approved what: no table repeats it, so none can be changed instead.

CREATE INDEX events_policy_set ON events (seq) WHERE kind = 'policy_set';
CREATE INDEX events_policy_proposed ON events (seq) WHERE kind = 'policy_proposed';
CREATE INDEX events_environment ON events (seq) WHERE kind = 'environment_confirmed';

CREATE VIEW policy (two_person, since) AS SELECT
	ifnull((SELECT detail GLOB 'two_person = true;*' FROM events WHERE kind = 'policy_set' AND detail GLOB 'two_person = *' ORDER BY seq DESC LIMIT 1), 0),
	ifnull((SELECT max(seq) FROM events WHERE kind = 'policy_set'), 0);

-- Lowered by two people.
CREATE TRIGGER events_policy_lowered BEFORE INSERT ON events
WHEN NEW.kind = 'policy_set' AND NEW.detail GLOB 'two_person = *' AND NEW.detail NOT GLOB 'two_person = true;*'
	AND (SELECT two_person FROM policy) = 1
	AND NOT EXISTS (SELECT 1 FROM events p WHERE p.kind = 'policy_proposed' AND p.detail GLOB 'two_person = false;*'
		AND p.seq > (SELECT max(seq) FROM events WHERE kind = 'policy_set' AND detail GLOB 'two_person = *')
		AND lower(trim(p.actor)) <> lower(trim(NEW.actor)))
BEGIN SELECT RAISE(ABORT, 'two people lower a policy'); END;

-- Where two people have to agree, nothing is initiated that another person than
-- its planner has not approved, with this payload, since the policy changed last.
CREATE TRIGGER batches_approved BEFORE UPDATE OF state ON batches
WHEN NEW.state = 'initiating' AND (SELECT two_person FROM policy) = 1
	AND NOT EXISTS (SELECT 1 FROM events e JOIN intents i ON i.batch_no = NEW.no AND i.kind = 'initiate' AND i.outcome IS NULL
		WHERE e.batch_id = NEW.id AND e.batch_id <> '' AND e.kind = 'approved' AND e.seq > (SELECT since FROM policy)
		AND e.detail GLOB 'payload ' || i.payload_sha256 || ';*'
		AND lower(trim(e.actor)) <> (SELECT lower(trim(actor)) FROM planners WHERE batch_no = NEW.no))
BEGIN SELECT RAISE(ABORT, 'nobody but its planner has approved the batch'); END;
