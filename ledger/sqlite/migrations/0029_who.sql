-- Who is who: a person of the desk may be a system user at a terminal, and where
-- two people have to agree it is people who are told apart, not names. Who somebody
-- is, and who confirmed what they were given, is what the audit trail says.

CREATE INDEX events_confirmed ON events (seq) WHERE kind = 'person_confirmed';

-- The names under which people act: their own, and the system users that they are,
-- or ever were.
CREATE VIEW actors (actor, person, named) AS
	SELECT lower(name), name, 1 FROM (SELECT substr(detail, 1, instr(detail || ';', ';') - 1) AS name FROM events
		WHERE kind IN ('person_added', 'person_changed', 'person_removed', 'password_set') AND kind = 'person_added')
	UNION ALL
	SELECT lower(trim(substr(said, 1, instr(said || ';', ';') - 1))), name, 0 FROM (
		SELECT substr(detail, 1, instr(detail || ';', ';') - 1) AS name, substr(detail, instr(detail, '; system user ') + 14) AS said FROM events
		WHERE kind IN ('person_added', 'person_changed', 'person_removed', 'password_set') AND kind IN ('person_added', 'person_changed')
		AND instr(detail, '; system user ') > 0);

-- Two names are one person's where one person acts under both. Where one is the name
-- of a person, and the other is nobody's, nobody knows.
CREATE TRIGGER approvals_by_another_person BEFORE INSERT ON approvals
WHEN EXISTS (SELECT 1 FROM planners p JOIN actors a ON a.actor = lower(trim(NEW.actor)) JOIN actors b ON b.person = a.person
		WHERE p.batch_no = NEW.batch_no AND b.actor = lower(trim(p.actor)))
	OR ifnull((SELECT max(named) FROM actors WHERE actor = lower(trim(NEW.actor))), -1)
		* ifnull((SELECT max(a.named) FROM planners p JOIN actors a ON a.actor = lower(trim(p.actor)) WHERE p.batch_no = NEW.batch_no), -1) = -1
BEGIN SELECT RAISE(ABORT, 'a batch is approved by a person who surely is not its planner'); END;

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

CREATE TRIGGER proposals_two_persons BEFORE INSERT ON proposals
WHEN NEW.carried = 1 AND NEW.seconds IS NOT NULL AND EXISTS (SELECT 1 FROM proposals f WHERE f.no = NEW.seconds
	AND lower(trim(f.actor)) <> lower(trim(NEW.actor))
	AND (EXISTS (SELECT 1 FROM actors a JOIN actors b ON b.person = a.person
			WHERE a.actor = lower(trim(f.actor)) AND b.actor = lower(trim(NEW.actor)))
		OR ifnull((SELECT max(named) FROM actors WHERE actor = lower(trim(f.actor))), -1)
			* ifnull((SELECT max(named) FROM actors WHERE actor = lower(trim(NEW.actor))), -1) = -1))
BEGIN SELECT RAISE(ABORT, 'another person has to decide the same'); END;

CREATE TRIGGER events_policy_two_persons BEFORE INSERT ON events
WHEN NEW.kind = 'policy_set' AND NEW.detail GLOB 'two_person = *' AND NEW.detail NOT GLOB 'two_person = true;*'
	AND (SELECT two_person FROM policy) = 1 AND EXISTS (SELECT 1 FROM actors)
	AND NOT EXISTS (SELECT 1 FROM events p WHERE p.kind = 'policy_proposed' AND p.detail GLOB 'two_person = false;*'
		AND p.seq > (SELECT max(seq) FROM events WHERE kind = 'policy_set' AND detail GLOB 'two_person = *')
		AND lower(trim(p.actor)) <> lower(trim(NEW.actor))
		AND NOT EXISTS (SELECT 1 FROM actors a JOIN actors b ON b.person = a.person
			WHERE a.actor = lower(trim(p.actor)) AND b.actor = lower(trim(NEW.actor)))
		AND ifnull((SELECT max(named) FROM actors WHERE actor = lower(trim(p.actor))), -1)
			* ifnull((SELECT max(named) FROM actors WHERE actor = lower(trim(NEW.actor))), -1) <> -1)
BEGIN SELECT RAISE(ABORT, 'two people lower a policy'); END;
