-- Who may use the desk is what the audit trail says, as the policy is: no table
-- repeats it. Beside it stands only what may not be exported: what is kept of the
-- passwords, each named in its event by its SHA-256, so that none can be put in
-- its place by other means than payrun.

CREATE INDEX events_people ON events (seq) WHERE kind IN ('person_added', 'person_changed', 'person_removed', 'password_set');

CREATE TABLE passwords (
	no   INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE CHECK (length(name) = 64 AND name NOT GLOB '*[^0-9a-f]*'), -- SHA-256 of kept
	kept TEXT NOT NULL CHECK (kept GLOB '$argon2id$*')
);

CREATE TRIGGER passwords_kept BEFORE UPDATE ON passwords
BEGIN SELECT RAISE(ABORT, 'what is kept of a password never changes'); END;

-- A name is never given twice.
CREATE TRIGGER events_person_twice BEFORE INSERT ON events
WHEN NEW.kind = 'person_added' AND EXISTS (SELECT 1 FROM events p
	WHERE p.kind IN ('person_added', 'person_changed', 'person_removed', 'password_set') AND p.kind = 'person_added'
	AND substr(p.detail, 1, instr(p.detail || ';', ';') - 1) = substr(NEW.detail, 1, instr(NEW.detail || ';', ';') - 1))
BEGIN SELECT RAISE(ABORT, 'a name is never given twice'); END;
