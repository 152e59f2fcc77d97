-- What people decided about batches, append-only: who approved which payload
-- (policy.two_person), and who proposed how a doubt is to be resolved. The
-- audit trail tells the same, in the same transaction.

CREATE TABLE approvals (
	no             INTEGER PRIMARY KEY,
	batch_no       INTEGER NOT NULL REFERENCES batches (no),
	payload_sha256 TEXT NOT NULL CHECK (length(payload_sha256) = 64 AND payload_sha256 NOT GLOB '*[^0-9a-f]*'),
	actor          TEXT NOT NULL CHECK (trim(actor) <> ''),
	at             INTEGER NOT NULL
) STRICT;

CREATE INDEX approvals_by_batch ON approvals (batch_no);

CREATE TABLE proposals (
	no       INTEGER PRIMARY KEY,
	batch_no INTEGER NOT NULL REFERENCES batches (no),
	decision TEXT NOT NULL CHECK (decision IN ('submitted', 'not-submitted')),
	reason   TEXT NOT NULL CHECK (trim(reason) <> ''),
	actor    TEXT NOT NULL CHECK (trim(actor) <> ''),
	at       INTEGER NOT NULL
) STRICT;

CREATE INDEX proposals_by_batch ON proposals (batch_no);

-- Who planned a batch. A batch that the program planned anew for one whose
-- initiate was never answered has its sheet and sequence, and its planner.
CREATE VIEW planners (batch_no, actor) AS
	SELECT b.no, e.actor
	FROM batches b JOIN batches f ON f.no = (SELECT min(no) FROM batches WHERE sheet_no = b.sheet_no AND sequence = b.sequence)
	JOIN events e ON e.batch_id = f.id AND e.batch_id <> '' AND e.kind = 'batch_planned';

CREATE TRIGGER approvals_kept BEFORE DELETE ON approvals BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER proposals_kept BEFORE DELETE ON proposals BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER approvals_fixed BEFORE UPDATE ON approvals BEGIN SELECT RAISE(ABORT, 'what a person decided never changes'); END;
CREATE TRIGGER proposals_fixed BEFORE UPDATE ON proposals BEGIN SELECT RAISE(ABORT, 'what a person decided never changes'); END;

CREATE TRIGGER approvals_by_another BEFORE INSERT ON approvals
WHEN (SELECT state FROM batches WHERE no = NEW.batch_no) <> 'planned'
	OR lower(trim(NEW.actor)) = (SELECT lower(trim(actor)) FROM planners WHERE batch_no = NEW.batch_no)
BEGIN SELECT RAISE(ABORT, 'only a planned batch is approved, and not by who planned it'); END;

CREATE TRIGGER proposals_in_doubt BEFORE INSERT ON proposals
WHEN (SELECT state FROM batches WHERE no = NEW.batch_no) <> 'submit_unknown'
BEGIN SELECT RAISE(ABORT, 'only a submit in doubt is resolved by people'); END;
