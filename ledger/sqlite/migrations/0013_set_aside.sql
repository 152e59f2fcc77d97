-- Setting aside, closing disputes and new references (docs/safety.md): what people
-- decide, what it rests on, and the reads of a submit in doubt.

-- The reads of batches whose submit is in doubt, which a decision counts.
CREATE TABLE reads (
	batch_no INTEGER NOT NULL REFERENCES batches (no),
	no       INTEGER NOT NULL CHECK (no >= 1), -- from 1 for each batch
	run      INTEGER NOT NULL,                 -- when the operation began that read it
	at       INTEGER NOT NULL,
	said_at  INTEGER,                          -- by the bank's clock; NULL where it did not say
	answer   TEXT NOT NULL CHECK (answer IN ('not_known', 'shown')),
	PRIMARY KEY (batch_no, no)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER reads_kept BEFORE DELETE ON reads BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER reads_fixed BEFORE UPDATE ON reads BEGIN SELECT RAISE(ABORT, 'what the bank showed never changes'); END;
CREATE TRIGGER reads_start BEFORE INSERT ON reads
WHEN (SELECT state FROM batches WHERE no = NEW.batch_no) <> 'submit_unknown'
	OR NEW.no <> 1 + (SELECT ifnull(max(no), 0) FROM reads WHERE batch_no = NEW.batch_no)
BEGIN SELECT RAISE(ABORT, 'only of a submit in doubt are the reads kept, without gaps'); END;

-- The bank's clock at the look before a call, and what of its books allowed it.
ALTER TABLE intents ADD COLUMN said_at INTEGER;
ALTER TABLE intents ADD COLUMN books TEXT CHECK (books <> '');
CREATE TRIGGER intents_evidence_fixed BEFORE UPDATE OF said_at, books ON intents
BEGIN SELECT RAISE(ABORT, 'what the bank showed never changes'); END;

-- How people closed a dispute.
ALTER TABLE attempts ADD COLUMN resolved TEXT CHECK (resolved IN ('paid', 'not_paid', 'gone'));

DROP VIEW every_attempt;
CREATE VIEW every_attempt AS
SELECT payout_id, number, batch_no, state, wire_ref, status, bank_status_code, open_txn_id, bank_txn_ref_id, failed_reads, reason, updated_at, resolved
FROM attempts
UNION ALL
SELECT m.value, 1, b.no, 'planned', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL
FROM batches b, json_each(b.members) m WHERE b.made = 0;

-- The times when people accepted an older copy as the ledger, and what it held.
CREATE TABLE restores (
	seq        INTEGER PRIMARY KEY, -- of the event
	at         INTEGER NOT NULL,
	newest_at  INTEGER NOT NULL,    -- the event before it
	last_sheet INTEGER NOT NULL     -- the sheets up to this one were in it
) STRICT;
INSERT INTO restores (seq, at, newest_at, last_sheet)
	SELECT e.seq, e.at, ifnull((SELECT at FROM events WHERE seq = e.seq - 1), e.at),
		(SELECT count(*) FROM events l WHERE l.kind = 'sheet_loaded' AND l.seq < e.seq)
	FROM events e WHERE e.kind = 'restored_accepted';
CREATE TRIGGER restores_kept BEFORE DELETE ON restores BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER restores_fixed BEFORE UPDATE ON restores BEGIN SELECT RAISE(ABORT, 'history never changes'); END;
CREATE TRIGGER restores_start BEFORE INSERT ON restores
WHEN NOT EXISTS (SELECT 1 FROM events WHERE seq = NEW.seq AND kind = 'restored_accepted' AND at = NEW.at)
BEGIN SELECT RAISE(ABORT, 'only a person accepts an older copy'); END;

-- What people decided: now about payouts too, with what it rested on, the first
-- and the second person alike. The table is made anew: a CHECK cannot be altered.
CREATE TABLE proposals_before AS SELECT * FROM proposals;
DROP TABLE proposals; -- with its triggers and indexes
CREATE TABLE proposals (
	no        INTEGER PRIMARY KEY,
	batch_no  INTEGER NOT NULL REFERENCES batches (no),
	payout_id INTEGER,                          -- the attempt it is about; NULL for the batch
	number    INTEGER,
	decision  TEXT NOT NULL CHECK (decision IN ('submitted', 'not-submitted', 'disputed', 'paid', 'not-paid', 'new-references')),
	reason    TEXT NOT NULL CHECK (trim(reason) <> ''),
	ticket    TEXT NOT NULL DEFAULT '',         -- the bank's word in writing
	rests     TEXT NOT NULL DEFAULT '',         -- what it rests on; '' for those of before that was kept, which second nothing
	books     INTEGER NOT NULL DEFAULT 0 CHECK (books IN (0, 1)),
	actor     TEXT NOT NULL CHECK (trim(actor) <> ''),
	at        INTEGER NOT NULL,
	said_at   INTEGER,                          -- the bank's clock then
	carried   INTEGER NOT NULL DEFAULT 0 CHECK (carried IN (0, 1)),
	seconds   INTEGER REFERENCES proposals (no),
	FOREIGN KEY (payout_id, number) REFERENCES attempts (payout_id, number),
	CHECK ((payout_id IS NULL) = (number IS NULL)),
	CHECK ((payout_id IS NOT NULL) = (decision IN ('paid', 'not-paid'))),
	CHECK (carried = 1 OR seconds IS NULL)
) STRICT;
INSERT INTO proposals (no, batch_no, decision, reason, actor, at) SELECT no, batch_no, decision, reason, actor, at FROM proposals_before ORDER BY no;
DROP TABLE proposals_before;

CREATE INDEX proposals_by_batch ON proposals (batch_no);
CREATE INDEX proposals_by_attempt ON proposals (payout_id, number) WHERE payout_id IS NOT NULL;
CREATE UNIQUE INDEX proposals_seconded_once ON proposals (seconds) WHERE seconds IS NOT NULL;

CREATE TRIGGER proposals_kept BEFORE DELETE ON proposals BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER proposals_fixed BEFORE UPDATE ON proposals BEGIN SELECT RAISE(ABORT, 'what a person decided never changes'); END;

CREATE TRIGGER proposals_about BEFORE INSERT ON proposals
WHEN NEW.rests = '' OR NOT EXISTS (SELECT 1 FROM batches b WHERE b.no = NEW.batch_no AND CASE NEW.decision
	WHEN 'not-submitted' THEN b.state IN ('submit_unknown', 'held', 'quarantined')
		OR b.state = 'planned' AND EXISTS (SELECT 1 FROM restores WHERE last_sheet >= b.sheet_no)
	WHEN 'disputed' THEN b.state IN ('submitted', 'submit_unknown')
	WHEN 'new-references' THEN b.state IN ('refused', 'abandoned') AND b.shown = 0
	WHEN 'submitted' THEN 0
	ELSE EXISTS (SELECT 1 FROM attempts a WHERE a.payout_id = NEW.payout_id AND a.number = NEW.number AND a.batch_no = b.no)
	END)
BEGIN SELECT RAISE(ABORT, 'nothing of the kind is decided about it'); END;

-- Two people: the second decides the same within 72 hours of the first. The only
-- person on record is both, but not with the bank's word alone.
CREATE TRIGGER proposals_two_people BEFORE INSERT ON proposals
WHEN NEW.carried = 1 AND (NEW.decision <> 'new-references' OR NEW.seconds IS NOT NULL) AND NOT EXISTS (
	SELECT 1 FROM proposals f WHERE f.no = NEW.seconds AND f.batch_no = NEW.batch_no AND f.decision = NEW.decision
	AND f.payout_id IS NEW.payout_id AND f.number IS NEW.number AND f.carried = 0 AND f.rests <> ''
	AND f.at < NEW.at AND f.at >= NEW.at - 72 * 3600 * 1000000
	AND (lower(trim(f.actor)) <> lower(trim(NEW.actor))
		OR NEW.books = 1 AND (SELECT count(DISTINCT lower(trim(actor))) FROM events WHERE kind <> 'bound') = 1))
BEGIN SELECT RAISE(ABORT, 'another person has to decide the same'); END;

-- Nothing is set aside, freed or given a new name without the bank's books or its
-- word.
CREATE TRIGGER proposals_rest_on BEFORE INSERT ON proposals
WHEN NEW.decision IN ('not-submitted', 'disputed', 'new-references') AND NEW.books = 0 AND NEW.ticket = ''
BEGIN SELECT RAISE(ABORT, 'neither the bank''s books nor its word'); END;

CREATE TRIGGER batches_set_aside BEFORE UPDATE OF state ON batches
WHEN NEW.state = 'set_aside' AND NOT EXISTS (SELECT 1 FROM proposals WHERE batch_no = NEW.no AND decision = 'not-submitted'
	AND carried = 1 AND at = NEW.state_since)
BEGIN SELECT RAISE(ABORT, 'people set aside, and have not'); END;

-- One decision without books gave a submit in doubt up, once. Never again.
CREATE TRIGGER batches_not_resolved_so BEFORE UPDATE OF state ON batches
WHEN OLD.state = 'submit_unknown' AND NEW.state = 'abandoned'
BEGIN SELECT RAISE(ABORT, 'a submit in doubt is set aside, and not abandoned'); END;

CREATE TRIGGER attempts_resolved BEFORE UPDATE OF resolved ON attempts
WHEN NEW.resolved IS NOT OLD.resolved AND NOT EXISTS (SELECT 1 FROM proposals WHERE carried = 1 AND at = NEW.updated_at
	AND (payout_id = NEW.payout_id AND number = NEW.number AND decision = iif(NEW.resolved = 'paid', 'paid', 'not-paid')
		OR payout_id IS NULL AND batch_no = NEW.batch_no AND decision = 'not-submitted' AND NEW.resolved = 'not_paid'))
BEGIN SELECT RAISE(ABORT, 'people close a dispute, and have not'); END;

CREATE TRIGGER attempts_undisputed BEFORE UPDATE OF state ON attempts
WHEN OLD.state = 'disputed' AND NEW.state <> 'disputed' AND NOT (NEW.state = 'success' AND NEW.resolved IS 'paid')
	AND NOT (NEW.state = 'cancelled' AND NEW.resolved IN ('not_paid', 'gone') IS 1)
	AND NOT (NEW.state = 'cancelled' AND (SELECT state FROM batches WHERE no = NEW.batch_no) NOT IN ('submitted', 'settled', 'refused', 'abandoned', 'set_aside'))
BEGIN SELECT RAISE(ABORT, 'people close a dispute, and have not'); END;

-- What follows a batch that was set aside is submitted with the bank's books, or
-- on the word on which it was set aside; what an older copy held, only when people
-- have decided that it was not paid since.
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

DROP TRIGGER batch_transitions_fixed_insert;
INSERT INTO batch_transitions (from_state, event, to_state) VALUES ('quarantined', 'set_aside', 'set_aside');
CREATE TRIGGER batch_transitions_fixed_insert BEFORE INSERT ON batch_transitions BEGIN SELECT RAISE(ABORT, 'the machine is fixed'); END;
DROP TRIGGER payout_transitions_fixed_insert;
INSERT INTO payout_transitions (from_state, to_state) VALUES ('disputed', 'success');
CREATE TRIGGER payout_transitions_fixed_insert BEFORE INSERT ON payout_transitions BEGIN SELECT RAISE(ABORT, 'the machine is fixed'); END;
