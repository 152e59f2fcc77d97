-- The ledger. Amounts are INTEGER paise. Times are INTEGER UTC Unix microseconds;
-- nothing is ordered or decided by them. Rows are ordered by their numbers, which
-- only grow. Triggers whose names end in _kept or _fixed keep what is known of money:
-- nothing is deleted and no fact changes. INSERT OR REPLACE deletes too, and fires them
-- because every connection has recursive_triggers on.

-- == The ledger itself ==

-- The migrations that made this schema, this file first. The program compares them
-- with its own whenever it opens the ledger.
CREATE TABLE migrations (
	version INTEGER PRIMARY KEY, -- from 1 without gaps
	name    TEXT NOT NULL,
	sha256  TEXT NOT NULL
) STRICT;

-- The ledger's identity: batch ids derive from it.
CREATE TABLE ledger (
	one        INTEGER PRIMARY KEY CHECK (one = 1),
	id         TEXT NOT NULL CHECK (length(id) >= 20), -- random
	created_at INTEGER NOT NULL
) STRICT;

-- A copy has this row, which `ledger backup` writes. Nothing is sent from a copy
-- until a person accepts it (docs/safety.md, "Local faults").
CREATE TABLE copied (
	one INTEGER PRIMARY KEY CHECK (one = 1),
	seq INTEGER NOT NULL -- the last event when it was copied
) STRICT;

CREATE TRIGGER copied_kept BEFORE DELETE ON copied
WHEN (SELECT kind FROM events ORDER BY seq DESC LIMIT 1) <> 'restored_accepted'
BEGIN SELECT RAISE(ABORT, 'a copy becomes the ledger only by a person'); END;

-- == The machine and the rules, as rows ==

-- The batches' machine. A test compares it with ledger.BatchState.Next.
CREATE TABLE batch_transitions (
	from_state TEXT NOT NULL,
	event      TEXT NOT NULL,
	to_state   TEXT NOT NULL,
	PRIMARY KEY (from_state, event)
) STRICT, WITHOUT ROWID;

INSERT INTO batch_transitions (from_state, event, to_state) VALUES
	('planned', 'abandoned', 'abandoned'),
	('planned', 'initiate_intended', 'initiating'),
	('planned', 'seen_elsewhere', 'quarantined'),
	('initiating', 'echo_differs', 'quarantined'),
	('initiating', 'initiate_accepted', 'held'),
	('initiating', 'initiate_lost', 'initiate_unknown'),
	('initiating', 'initiate_refused', 'refused'),
	('initiating', 'initiate_undone', 'planned'),
	('initiate_unknown', 'abandoned', 'abandoned'),
	('initiate_unknown', 'doubt_expired', 'abandoned'),
	('initiate_unknown', 'echo_differs', 'quarantined'),
	('initiate_unknown', 'refusal_stands', 'refused'),
	('initiate_unknown', 'seen_as_planned', 'held'),
	('held', 'abandoned', 'abandoned'),
	('held', 'echo_differs', 'quarantined'),
	('held', 'seen_moving', 'submitted'),
	('held', 'submit_intended', 'submitting'),
	('submitting', 'submit_accepted', 'submitted'),
	('submitting', 'submit_lost', 'submit_unknown'),
	('submitting', 'submit_rejected', 'held'),
	('submitting', 'submit_undone', 'held'),
	('submit_unknown', 'closed_as_paid', 'submitted'),
	('submit_unknown', 'late_answer', 'submitted'),
	('submit_unknown', 'seen_moving', 'submitted'),
	('submit_unknown', 'set_aside', 'set_aside'),
	('submitted', 'all_final', 'settled'),
	('quarantined', 'abandoned', 'abandoned'),
	('quarantined', 'seen_moving', 'submitted'),
	('quarantined', 'set_aside', 'set_aside'),
	('set_aside', 'late_answer', 'submitted'),
	('set_aside', 'seen_moving', 'submitted');

-- The steps of an attempt: what ledger.Judge and ledger.BatchEvent.PayoutsBecome
-- can do. A test compares it with both.
CREATE TABLE payout_transitions (
	from_state TEXT NOT NULL,
	to_state   TEXT NOT NULL,
	PRIMARY KEY (from_state, to_state)
) STRICT, WITHOUT ROWID;

INSERT INTO payout_transitions (from_state, to_state) VALUES
	('planned', 'request_initiated'), ('planned', 'disputed'), ('planned', 'cancelled'),
	('request_initiated', 'pending'), ('request_initiated', 'initiated'), ('request_initiated', 'success'), ('request_initiated', 'failed'), ('request_initiated', 'returned'), ('request_initiated', 'disputed'), ('request_initiated', 'cancelled'),
	('pending', 'initiated'), ('pending', 'success'), ('pending', 'failed'), ('pending', 'returned'), ('pending', 'disputed'), ('pending', 'cancelled'),
	('initiated', 'pending'), ('initiated', 'success'), ('initiated', 'failed'), ('initiated', 'returned'), ('initiated', 'disputed'), ('initiated', 'cancelled'),
	('success', 'returned'), ('success', 'disputed'),
	('failed', 'returned'), ('failed', 'disputed'), ('failed', 'cancelled'),
	('returned', 'disputed'), ('returned', 'cancelled'),
	('disputed', 'success'), ('disputed', 'cancelled'), ('disputed', 'request_initiated'), ('disputed', 'pending'), ('disputed', 'initiated'), ('disputed', 'failed'), ('disputed', 'returned'),
	('cancelled', 'disputed');

-- The states of a payout after which a new attempt may be planned: in any other the money may
-- be with the payee, or on its way. A test compares them with ledger.PayoutState.
CREATE TABLE retryable_states (
	name TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

INSERT INTO retryable_states (name) VALUES ('failed'), ('returned'), ('cancelled');

-- == Sheets ==

-- A sheet is begun before its payouts and sealed after them, in one transaction:
-- no reader sees one that is not sealed.
CREATE TABLE sheets (
	no              INTEGER PRIMARY KEY,
	sealed          INTEGER NOT NULL DEFAULT 0 CHECK (sealed IN (0, 1)),
	id              TEXT UNIQUE,
	name            TEXT,
	sha256          TEXT CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
	rows_hash       TEXT UNIQUE CHECK (length(rows_hash) = 64 AND rows_hash NOT GLOB '*[^0-9a-f]*'),
	content         TEXT UNIQUE CHECK (length(content) = 64 AND content NOT GLOB '*[^0-9a-f]*'), -- what its ids derive from
	ref_prefix      TEXT NOT NULL DEFAULT '', -- put before every reference
	unprefixed      TEXT CHECK (length(unprefixed) = 64 AND unprefixed NOT GLOB '*[^0-9a-f]*'), -- rows_hash without it; NULL where there is none
	format          TEXT CHECK (format IN ('csv', 'xlsx', 'pain.001')),
	tab             TEXT,
	header_row      INTEGER,
	row_count       INTEGER,
	blank_count     INTEGER,
	has_total       INTEGER CHECK (has_total IN (0, 1)),
	total           INTEGER, -- paise, over all rows whose amount could be read
	accepted_count  INTEGER CHECK (accepted_count >= 0),
	accepted_total  INTEGER CHECK ((accepted_total > 0) = (accepted_count > 0)),
	rejected_count  INTEGER CHECK (rejected_count >= 0),
	rejected_total  INTEGER,
	corrected_count INTEGER NOT NULL DEFAULT 0 CHECK (corrected_count >= 0), -- rows that correct payouts of earlier sheets
	corrected_total INTEGER NOT NULL DEFAULT 0 CHECK ((corrected_total > 0) = (corrected_count > 0)),
	first_payout    INTEGER, -- its payouts are first_payout … last_payout, without gaps
	last_payout     INTEGER,
	loaded_at       INTEGER,
	loaded_by       TEXT,
	UNIQUE (sha256, tab, ref_prefix),
	CHECK ((ref_prefix = '') = (unprefixed IS NULL)),
	CHECK (sealed = 0 OR (id IS NOT NULL AND name IS NOT NULL AND sha256 IS NOT NULL AND rows_hash IS NOT NULL AND content IS NOT NULL
		AND format IS NOT NULL AND tab IS NOT NULL AND header_row IS NOT NULL AND blank_count IS NOT NULL
		AND has_total IS NOT NULL AND loaded_at IS NOT NULL AND loaded_by IS NOT NULL)),
	CHECK (sealed = 0 OR ifnull(accepted_count + corrected_count > 0, 0)),
	CHECK (sealed = 0 OR ifnull(row_count = accepted_count + rejected_count + corrected_count, 0)),
	CHECK (sealed = 0 OR ifnull(total = accepted_total + rejected_total + corrected_total, 0)),
	CHECK (sealed = 0 OR ifnull(accepted_count = last_payout - first_payout + 1, 0))
) STRICT;

CREATE TRIGGER sheets_kept BEFORE DELETE ON sheets BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;

CREATE TRIGGER sheets_fixed BEFORE UPDATE ON sheets WHEN OLD.sealed = 1 OR NEW.sealed = 0 OR NEW.no <> OLD.no
BEGIN SELECT RAISE(ABORT, 'a sealed sheet never changes'); END;

-- The bytes of a sheet as it was loaded.
CREATE TABLE sheet_contents (
	sheet_no INTEGER NOT NULL REFERENCES sheets (no),
	part     INTEGER NOT NULL CHECK (part >= 1),
	bytes    BLOB NOT NULL CHECK (length(bytes) > 0), -- a DEFLATE stream of its own
	PRIMARY KEY (sheet_no, part)
) STRICT;

CREATE TRIGGER sheet_contents_kept BEFORE DELETE ON sheet_contents BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER sheet_contents_fixed BEFORE UPDATE ON sheet_contents BEGIN SELECT RAISE(ABORT, 'what was loaded never changes'); END;

-- How the bytes were read, where they leave a choice.
CREATE TABLE sheet_readings (
	sheet_no    INTEGER PRIMARY KEY REFERENCES sheets (no),
	encoding    TEXT NOT NULL,
	hidden_rows TEXT NOT NULL,
	columns     TEXT NOT NULL -- of --map, as a JSON object
) STRICT;

-- The row of an earlier sheet that a payout came from: one row becomes one payout.
CREATE TABLE origins (
	payout_id INTEGER PRIMARY KEY REFERENCES payouts (id),
	sheet_no  INTEGER NOT NULL REFERENCES sheets (no), -- that it was left out of, and its row there
	row       INTEGER NOT NULL CHECK (row > 0),
	UNIQUE (sheet_no, row)
) STRICT;

-- == Payouts ==

-- What payouts of one debit account, sub-merchant and transaction type share.
CREATE TABLE routes (
	no                  INTEGER PRIMARY KEY,
	bank_account_id     TEXT NOT NULL CHECK (bank_account_id <> ''),
	sub_merchant_id     TEXT NOT NULL,
	transaction_type_id TEXT NOT NULL,
	UNIQUE (bank_account_id, sub_merchant_id, transaction_type_id)
) STRICT;

-- One row of a sheet, as accepted. It never changes.
CREATE TABLE payouts (
	id                  INTEGER PRIMARY KEY, -- the order of loading
	sheet_no            INTEGER NOT NULL REFERENCES sheets (no),
	row                 INTEGER NOT NULL CHECK (row > 0),
	route_no            INTEGER NOT NULL REFERENCES routes (no),
	amount              INTEGER NOT NULL CHECK (amount > 0), -- paise
	ref                 TEXT NOT NULL CHECK (ref <> ''),
	vendor_name         TEXT NOT NULL,
	bank_account_number TEXT NOT NULL,
	ifsc                TEXT NOT NULL,
	remarks             TEXT,  -- NULL for none, here and below
	open_beneficiary_id TEXT,
	bene_lei            TEXT CHECK (length(bene_lei) = 20),
	ref_key             TEXT   -- the folded reference where it is not simply lower(ref)
) STRICT;

CREATE TRIGGER payouts_kept BEFORE DELETE ON payouts BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER payouts_fixed BEFORE UPDATE ON payouts BEGIN SELECT RAISE(ABORT, 'a payout never changes'); END;

-- Every reference that was ever used, folded, of sheets and of further attempts.
-- The key makes a reference unique over all time.
CREATE TABLE wire_keys (
	key       TEXT PRIMARY KEY,
	payout_id INTEGER NOT NULL,
	number    INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TRIGGER wire_keys_kept BEFORE DELETE ON wire_keys BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER wire_keys_fixed BEFORE UPDATE ON wire_keys BEGIN SELECT RAISE(ABORT, 'a used reference never changes'); END;

-- What a payout was corrected to by a row of a later sheet. An attempt sends the row
-- with the highest number that is not above its own, or else what the payout says.
CREATE TABLE corrections (
	payout_id           INTEGER NOT NULL REFERENCES payouts (id),
	number              INTEGER NOT NULL CHECK (number >= 2), -- the first attempt that sends it
	sheet_no            INTEGER NOT NULL REFERENCES sheets (no), -- the correcting sheet, and its row
	row                 INTEGER NOT NULL CHECK (row > 0),
	route_no            INTEGER NOT NULL REFERENCES routes (no),
	amount              INTEGER NOT NULL CHECK (amount > 0), -- paise
	vendor_name         TEXT NOT NULL,
	bank_account_number TEXT NOT NULL,
	ifsc                TEXT NOT NULL,
	remarks             TEXT, -- NULL for none, here and below
	open_beneficiary_id TEXT,
	bene_lei            TEXT CHECK (length(bene_lei) = 20),
	PRIMARY KEY (payout_id, number),
	UNIQUE (sheet_no, row)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER corrections_kept BEFORE DELETE ON corrections BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER corrections_fixed BEFORE UPDATE ON corrections BEGIN SELECT RAISE(ABORT, 'what an attempt sends never changes'); END;

-- == Batches and attempts ==

-- One transfer to the bank, from its plan to its end.
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
	new_references  INTEGER NOT NULL DEFAULT 0 CHECK (new_references IN (0, 1)),     -- two people said that its payouts get references the bank has never seen
	refusal         TEXT NOT NULL DEFAULT '',                                        -- the bank's words where it answered no and the effect is unknown
	other_number    TEXT NOT NULL DEFAULT '',                                        -- of the debit account, as the last answer with a number showed it; '' as configured
	planned_with    INTEGER REFERENCES batches (no), -- the batch whose planner it has; NULL: itself
	needs_approval  INTEGER NOT NULL DEFAULT 0 CHECK (needs_approval IN (0, 1)),     -- by another person, whatever the policy says
	CHECK (made = 2 OR members IS NOT NULL),
	UNIQUE (sheet_no, sequence, attempt),
	CHECK (bene_lei = '' OR (length(bene_lei) = 20 AND bene_lei NOT GLOB '*[^0-9A-Z]*'))
) STRICT;

CREATE INDEX batches_by_state ON batches (state, made, count, total);
CREATE INDEX batches_watched ON batches (updated_at) WHERE state = 'settled' OR state = 'refused' OR state = 'abandoned' OR state = 'set_aside';

CREATE TRIGGER batches_kept BEFORE DELETE ON batches BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;

CREATE TRIGGER batches_fixed BEFORE UPDATE OF no, id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei,
	count, total, reason, created_at, members, planned_with, needs_approval ON batches
BEGIN SELECT RAISE(ABORT, 'what a batch is never changes'); END;

-- Batches move by the machine: after their attempts are made, once and all
-- of them (made is 1 only while batches_make works); no call without its record and its status
-- check, which shows nothing that forbids it; and no step before the call has its outcome.
CREATE TRIGGER batches_move BEFORE UPDATE OF state ON batches BEGIN SELECT CASE
	WHEN NOT EXISTS (SELECT 1 FROM batch_transitions WHERE from_state = OLD.state AND to_state = NEW.state) THEN RAISE(ABORT, 'not a step of the batch machine')
	WHEN NEW.made <> 2 THEN RAISE(ABORT, 'the attempts of the batch are not made')
	WHEN OLD.state IN ('initiating', 'submitting') AND EXISTS (SELECT 1 FROM intents WHERE batch_no = NEW.no AND outcome IS NULL) THEN RAISE(ABORT, 'the intent has no outcome')
	WHEN NEW.state IN ('initiating', 'submitting') AND NOT EXISTS (SELECT 1 FROM intents i JOIN looks l ON l.batch_no = i.batch_no AND l.intent_no = i.no
		WHERE i.batch_no = NEW.no AND i.outcome IS NULL AND i.kind = iif(NEW.state = 'initiating', 'initiate', 'submit') AND l.asked = NEW.id
		AND i.looks = (SELECT count(*) FROM looks WHERE batch_no = NEW.no AND intent_no = i.no)
		AND (l.answer = 'not_known' OR i.kind = 'submit' AND l.answer = 'shown' AND NOT EXISTS (SELECT 1 FROM json_each(l.payouts) WHERE key <> 'request_initiated')))
		THEN RAISE(ABORT, 'no intent is recorded, or the bank was not looked at before it')
	END;
END;

CREATE TRIGGER batches_made BEFORE UPDATE OF made ON batches
WHEN NEW.made <> OLD.made + 1 OR (NEW.made = 2 AND (SELECT count(*) FROM attempts WHERE batch_no = NEW.no) <> NEW.count)
BEGIN SELECT RAISE(ABORT, 'the attempts of a batch are made once and all'); END;

CREATE TRIGGER batches_make AFTER UPDATE OF made ON batches WHEN NEW.made = 1 BEGIN
	INSERT INTO attempts (payout_id, number, batch_no) SELECT value, 1, NEW.no FROM json_each(NEW.members);
	UPDATE batches SET made = 2 WHERE no = NEW.no;
END;

CREATE INDEX batches_by_submit ON batches (submitted_at) WHERE submitted_at IS NOT NULL;

-- Who planned a batch: the planner of the batch that planned_with names, or its own.
CREATE VIEW planners (batch_no, actor) AS
	SELECT b.no, e.actor
	FROM batches b JOIN batches f ON f.no = ifnull(b.planned_with, b.no)
	JOIN events e ON e.batch_id = f.id AND e.batch_id <> '' AND e.kind = 'batch_planned';

-- One wire reference of one payout in one batch. First attempts are made when their
-- batch takes its first step.
CREATE TABLE attempts (
	payout_id        INTEGER NOT NULL REFERENCES payouts (id),
	number           INTEGER NOT NULL CHECK (number >= 1),
	batch_no         INTEGER NOT NULL REFERENCES batches (no),
	state            TEXT NOT NULL DEFAULT 'planned',
	wire_ref         TEXT CHECK (wire_ref <> ''), -- NULL for the first attempt, which carries the payout's own reference
	status           TEXT, -- raw, as last observed; NULL until then
	bank_status_code TEXT,
	open_txn_id      TEXT,
	bank_txn_ref_id  TEXT,
	failed_reads     INTEGER CHECK (failed_reads >= 0),
	reason           TEXT,
	updated_at       INTEGER, -- NULL: untouched since its batch was planned
	resolved         TEXT CHECK (resolved IN ('paid', 'not_paid', 'gone')), -- what two people said of it
	dispute          TEXT, -- why it is disputed
	was              TEXT, -- where a value that cannot be read disputes it: the state to which it goes back
	unread           INTEGER, -- and what cannot be read: a set of ledger.Fields
	PRIMARY KEY (payout_id, number),
	CHECK ((number = 1) = (wire_ref IS NULL)),
	CHECK (iif(ifnull(dispute, '') = 'unread', state = 'disputed' AND was IS NOT NULL AND ifnull(unread, 0) > 0, was IS NULL AND unread IS NULL)),
	CHECK (state = 'planned' OR (
		state IN ('request_initiated', 'pending', 'initiated', 'success', 'failed', 'returned', 'disputed', 'cancelled')
		AND (state <> 'success' OR ifnull(status, '') = 'success')
		AND (state <> 'failed' OR (ifnull(status, '') = 'failed' AND ifnull(failed_reads, 0) >= 2))
		AND (state <> 'returned' OR ifnull(bank_status_code, '') = 'RETURNED_FROM_BENEFICIARY')))
) STRICT, WITHOUT ROWID;

CREATE INDEX attempts_by_batch ON attempts (batch_no);

-- The attempts beyond the first: few.
CREATE INDEX attempts_further ON attempts (payout_id, number) WHERE number > 1;

CREATE TRIGGER attempts_kept BEFORE DELETE ON attempts BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;

CREATE TRIGGER attempts_fixed BEFORE UPDATE OF payout_id, number, batch_no, wire_ref ON attempts
BEGIN SELECT RAISE(ABORT, 'what an attempt is never changes'); END;

-- A first attempt is made with its batch. Of a further one every earlier attempt surely did
-- not pay, and nothing was sent of its batch.
CREATE TRIGGER attempts_start BEFORE INSERT ON attempts BEGIN SELECT CASE
	WHEN NEW.number = 1 AND (SELECT made FROM batches WHERE no = NEW.batch_no) IS NOT 1 THEN RAISE(ABORT, 'a first attempt is made with its batch')
	WHEN NEW.number > 1 AND (NEW.state <> 'planned' OR NEW.number <> (SELECT ifnull(max(number), 0) + 1 FROM attempts WHERE payout_id = NEW.payout_id)
		OR EXISTS (SELECT 1 FROM attempts WHERE payout_id = NEW.payout_id AND state NOT IN (SELECT name FROM retryable_states))
		OR NOT EXISTS (SELECT 1 FROM batches WHERE no = NEW.batch_no AND state = 'planned' AND members IS NULL))
		THEN RAISE(ABORT, 'the payout has an attempt that is not over')
	END;
END;

CREATE TRIGGER attempts_move BEFORE UPDATE OF state ON attempts
WHEN NEW.state <> OLD.state AND (NOT EXISTS (SELECT 1 FROM payout_transitions WHERE from_state = OLD.state AND to_state = NEW.state)
	OR OLD.state = 'disputed' AND NEW.state NOT IN ('success', 'cancelled') AND OLD.was IS NULL)
BEGIN SELECT RAISE(ABORT, 'not a step of a payout'); END;

-- The attempts that are neither paid nor on their way: few, and asked for most.
CREATE INDEX attempts_apart ON attempts (state) WHERE state IN ('failed', 'returned', 'cancelled', 'disputed');

-- A UTR, as a statement or a payee shows it, in any case.
CREATE INDEX attempts_by_utr ON attempts (lower(bank_txn_ref_id)) WHERE bank_txn_ref_id IS NOT NULL;

-- What the bank said of an attempt, raw, each time it said something new.
CREATE TABLE observations (
	payout_id        INTEGER NOT NULL,
	number           INTEGER NOT NULL,
	seq              INTEGER NOT NULL CHECK (seq >= 1),
	at               INTEGER NOT NULL,
	status           TEXT NOT NULL,
	bank_status_code TEXT NOT NULL,
	amount           INTEGER, -- paise; NULL when the answer had none that could be read
	open_txn_id      TEXT NOT NULL,
	bank_txn_ref_id  TEXT NOT NULL,
	error            TEXT NOT NULL,
	unread           INTEGER CHECK (unread > 0), -- what the answer showed and cannot be read: a set of ledger.Fields
	PRIMARY KEY (payout_id, number, seq),
	FOREIGN KEY (payout_id, number) REFERENCES attempts (payout_id, number)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER observations_kept BEFORE DELETE ON observations BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER observations_fixed BEFORE UPDATE ON observations BEGIN SELECT RAISE(ABORT, 'an observation never changes'); END;

-- == Calls to the bank ==

-- A call that changes something: committed before it is made, its outcome recorded
-- after it. Neither OTP nor token is in the payload hashed.
CREATE TABLE intents (
	no             INTEGER PRIMARY KEY,
	batch_no       INTEGER NOT NULL REFERENCES batches (no),
	kind           TEXT NOT NULL CHECK (kind IN ('initiate', 'submit')),
	payload_sha256 TEXT NOT NULL CHECK (length(payload_sha256) = 64 AND payload_sha256 NOT GLOB '*[^0-9a-f]*'),
	at             INTEGER NOT NULL,
	outcome        TEXT CHECK (outcome IN ('not_sent', 'accepted', 'rejected', 'unknown')), -- NULL while it is open
	http_status    INTEGER,
	code           TEXT,
	message        TEXT,
	ended_at       INTEGER,
	looks          INTEGER NOT NULL CHECK (looks > 0), -- how many status checks came before it
	bank_time        INTEGER,                            -- the bank's clock at the last of them
	CHECK ((outcome IS NULL) = (ended_at IS NULL))
) STRICT;

CREATE INDEX intents_by_batch ON intents (batch_no);
CREATE INDEX intents_submits ON intents (max(at, ifnull(bank_time, at))) WHERE kind = 'submit'; -- by the later of the two clocks

CREATE UNIQUE INDEX intents_one_open ON intents (batch_no) WHERE outcome IS NULL;

-- The next call of a kind needs the last one REJECTED or NOT_SENT.
CREATE UNIQUE INDEX intents_one_in_doubt ON intents (batch_no, kind)
	WHERE outcome IS NULL OR outcome IN ('unknown', 'accepted');

CREATE TRIGGER intents_kept BEFORE DELETE ON intents BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;

CREATE TRIGGER intents_fixed BEFORE UPDATE ON intents
WHEN OLD.outcome IS NOT NULL OR NEW.outcome IS NULL OR NEW.no <> OLD.no OR NEW.batch_no <> OLD.batch_no OR NEW.kind <> OLD.kind
	OR NEW.payload_sha256 <> OLD.payload_sha256 OR NEW.at <> OLD.at OR NEW.looks <> OLD.looks OR NEW.bank_time IS NOT OLD.bank_time
BEGIN SELECT RAISE(ABORT, 'an intent only ever gets its outcome, once'); END;

-- An intent is recorded just before the batch moves on, and not in a copy. Money moves only
-- at submit: every payout is echoed, and nowhere else alive.
CREATE TRIGGER intents_start BEFORE INSERT ON intents BEGIN SELECT CASE
	WHEN EXISTS (SELECT 1 FROM copied) THEN RAISE(ABORT, 'nothing is sent from a copy')
	WHEN NEW.outcome IS NOT NULL OR NOT EXISTS (SELECT 1 FROM batches WHERE no = NEW.batch_no AND made = 2
		AND state = iif(NEW.kind = 'initiate', 'planned', 'held')) THEN RAISE(ABORT, 'the batch is not where this call may be made')
	WHEN NEW.kind = 'submit' AND EXISTS (SELECT 1 FROM attempts a WHERE a.batch_no = NEW.batch_no
		AND (a.state <> 'request_initiated' OR EXISTS (SELECT 1 FROM attempts o WHERE o.payout_id = a.payout_id
			AND o.number <> a.number AND o.state NOT IN (SELECT name FROM retryable_states))))
		THEN RAISE(ABORT, 'a payout of the batch is not held, or is alive elsewhere')
	END;
END;

-- The status checks before a call, and what the bank showed.
CREATE TABLE looks (
	batch_no    INTEGER NOT NULL REFERENCES batches (no), -- of the call
	intent_no   INTEGER NOT NULL REFERENCES intents (no),
	place       INTEGER NOT NULL CHECK (place >= 0),      -- in the order in which they were taken
	asked       TEXT NOT NULL CHECK (asked <> ''),        -- the batch id that was looked up; not always one of ours
	answer      TEXT NOT NULL CHECK (answer IN ('not_known', 'shown', 'unanswered')), -- the last where no answer was needed
	not_found_status INTEGER NOT NULL,  -- how the bank says not known
	not_found_code   TEXT NOT NULL,
	complete    INTEGER NOT NULL CHECK (complete IN (0, 1)),
	payouts     TEXT NOT NULL CHECK (json_valid(payouts)), -- how many were shown with which status: {"request_initiated":3}
	at          INTEGER NOT NULL,
	PRIMARY KEY (batch_no, intent_no, place)
) STRICT, WITHOUT ROWID;

CREATE TRIGGER looks_kept BEFORE DELETE ON looks BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER looks_fixed BEFORE UPDATE ON looks BEGIN SELECT RAISE(ABORT, 'what the bank showed never changes'); END;

-- == People ==

-- What people said in releases, each with the evidence that they saw.
CREATE TABLE proposals (
	no        INTEGER PRIMARY KEY,
	batch_no  INTEGER NOT NULL REFERENCES batches (no),
	payout_id INTEGER,                                             -- the attempt it is about; NULL for all locked attempts of the batch
	number    INTEGER,
	outcome   TEXT NOT NULL CHECK (outcome IN ('not-paid', 'paid')),
	reason    TEXT NOT NULL CHECK (trim(reason) <> ''),
	ticket    TEXT NOT NULL CHECK (trim(ticket) <> '' OR outcome = 'paid'), -- the bank's written confirmation
	evidence  TEXT NOT NULL CHECK (json_type(evidence) = 'object'),
	actor     TEXT NOT NULL CHECK (trim(actor) <> ''),
	at        INTEGER NOT NULL,
	bank_time   INTEGER,                                             -- by the bank's clock
	carried   INTEGER NOT NULL DEFAULT 0 CHECK (carried IN (0, 1)),
	seconds   INTEGER REFERENCES proposals (no),                   -- the first word
	FOREIGN KEY (payout_id, number) REFERENCES attempts (payout_id, number),
	CHECK ((payout_id IS NULL) = (number IS NULL)),
	CHECK (carried = (seconds IS NOT NULL))
) STRICT;

CREATE INDEX proposals_by_batch ON proposals (batch_no);

CREATE UNIQUE INDEX proposals_seconded_once ON proposals (seconds) WHERE seconds IS NOT NULL;

CREATE TRIGGER proposals_kept BEFORE DELETE ON proposals BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER proposals_fixed BEFORE UPDATE ON proposals BEGIN SELECT RAISE(ABORT, 'what a person decided never changes'); END;

-- The password hashes, and the secrets and public keys of second factors. Each is named in its event by its SHA-256, and never exported.
CREATE TABLE passwords (
	no   INTEGER PRIMARY KEY,
	name TEXT NOT NULL UNIQUE CHECK (length(name) = 64 AND name NOT GLOB '*[^0-9a-f]*'), -- SHA-256 of kept
	kept TEXT NOT NULL CHECK (kept GLOB '$argon2id$*' OR kept GLOB '$totp$*' OR kept GLOB '$passkey$*')
);

-- == The audit trail ==

-- The audit trail. hash covers the event and the hash of the one before it; digest
-- and state_digest bind the rows that the event is about (docs/adr/0010-digests.md).
CREATE TABLE events (
	seq          INTEGER PRIMARY KEY,
	at           INTEGER NOT NULL,
	actor        TEXT NOT NULL,
	kind         TEXT NOT NULL CHECK (kind <> ''),
	sheet_id     TEXT NOT NULL,
	batch_id     TEXT NOT NULL,
	detail       TEXT NOT NULL,
	hash         TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
	digest       TEXT NOT NULL CHECK (digest = '' OR length(digest) = 64), -- of what never changes; '' for none
	state_digest TEXT NOT NULL CHECK (state_digest = '' OR length(state_digest) = 64), -- of the state of the batch after it; '' for none
	proof        TEXT NOT NULL                                             -- what showed that the actor is who they are; '' at a terminal
) STRICT;

CREATE INDEX events_by_batch ON events (batch_id) WHERE batch_id <> '';

CREATE TRIGGER events_kept BEFORE DELETE ON events BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER events_fixed BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'an event never changes'); END;

-- Who may do what, and the policy, is what these events say: a rule of ledger, which
-- verify replays.
CREATE INDEX events_of_none ON events (kind, seq) WHERE batch_id = '' AND sheet_id = '';

CREATE INDEX events_environment ON events (seq) WHERE kind = 'environment_confirmed';

CREATE INDEX events_restored ON events (seq) WHERE kind = 'restored_accepted';

CREATE INDEX events_loaded ON events (seq) WHERE kind = 'sheet_loaded';

CREATE INDEX events_bank_listed ON events (seq) WHERE kind = 'bank_listed';

-- A query with these alternatives is answered by the index; a list (IN) is made again
-- for each row that is inserted.
CREATE INDEX events_words ON events (sheet_id) WHERE kind = 'sent_back' OR kind = 'commented';

CREATE INDEX events_decided ON events (batch_id) WHERE kind = 'approved' OR kind = 'sent_back';

CREATE INDEX events_columns ON events (seq) WHERE kind = 'columns_kept' OR kind = 'columns_forgotten';

-- When people accepted an older copy as the ledger, the time of the event before that, and
-- how many sheets it held.
CREATE VIEW restores (seq, at, newest_at, last_sheet) AS
	SELECT e.seq, e.at, ifnull((SELECT at FROM events WHERE seq = e.seq - 1), e.at),
		(SELECT count(*) FROM events l WHERE l.kind = 'sheet_loaded' AND l.seq < e.seq)
	FROM events e WHERE e.kind = 'restored_accepted';

-- == What the bank and others listed ==

-- The branch list that was imported last, replaced as a whole.
CREATE TABLE branch_list (
	one         INTEGER PRIMARY KEY CHECK (one = 1),
	name        TEXT NOT NULL CHECK (name <> ''),
	sha256      TEXT NOT NULL CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*'),
	count       INTEGER NOT NULL CHECK (count > 0),
	imported_at INTEGER NOT NULL,
	imported_by TEXT NOT NULL
) STRICT;

CREATE TABLE branches (
	ifsc   TEXT PRIMARY KEY CHECK (length(ifsc) = 11),
	bank   TEXT NOT NULL,
	branch TEXT NOT NULL,
	city   TEXT NOT NULL,
	state  TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- What the bank listed when it was last asked, as a ledger.BankLists. The next listing
-- replaces it, and its event has the digest of it.
CREATE TABLE bank_lists (
	one    INTEGER PRIMARY KEY CHECK (one = 1),
	listed TEXT NOT NULL CHECK (json_valid(listed))
) STRICT;

-- == Statements ==

-- One reading of a bank statement, from the interface or from a file: append-only.
CREATE TABLE statement_readings (
	no          INTEGER PRIMARY KEY,
	account     TEXT NOT NULL CHECK (account <> ''), -- bank_account_id
	source      TEXT NOT NULL CHECK (source IN ('bank', 'file')),
	shape       TEXT NOT NULL CHECK (shape IN ('entries', 'pending', 'other')),
	file_name   TEXT NOT NULL,
	file_sha256 TEXT NOT NULL,
	file_format TEXT NOT NULL,
	from_day    TEXT NOT NULL,
	to_day      TEXT NOT NULL CHECK (to_day >= from_day),
	period      INTEGER NOT NULL CHECK (period IN (0, 1)), -- the file states its days
	opening     INTEGER, -- paise; NULL where the statement does not tell it
	closing     INTEGER,
	lines       INTEGER NOT NULL CHECK (lines >= 0),
	request_ids TEXT NOT NULL CHECK (json_type(request_ids) = 'array'),
	balances    TEXT NOT NULL CHECK (json_type(balances) = 'array'), -- what the bank said that the account held, and when
	at          INTEGER NOT NULL, -- when it was asked for, or imported
	actor       TEXT NOT NULL CHECK (trim(actor) <> ''),
	CHECK (shape = 'entries' OR source = 'bank'),
	CHECK ((source = 'file') = (length(file_sha256) = 64))
) STRICT;

CREATE INDEX statement_readings_by_account ON statement_readings (account);

-- A day whose lines an earlier reading holds, word for word.
CREATE TABLE statement_same (
	reading INTEGER NOT NULL REFERENCES statement_readings (no),
	day     TEXT NOT NULL,
	held_by INTEGER NOT NULL REFERENCES statement_readings (no) CHECK (held_by < reading),
	PRIMARY KEY (reading, day)
) STRICT, WITHOUT ROWID;

-- The lines of readings. Account numbers in remarks are masked.
CREATE TABLE statement_lines (
	reading        INTEGER NOT NULL REFERENCES statement_readings (no),
	line           INTEGER NOT NULL CHECK (line >= 1), -- oldest first
	account        TEXT NOT NULL,
	day            TEXT NOT NULL, -- posted
	transaction_id TEXT NOT NULL,
	debit          INTEGER NOT NULL CHECK (debit IN (0, 1)),
	amount         INTEGER NOT NULL CHECK (amount >= 0), -- paise
	closing        INTEGER NOT NULL,
	transacted     TEXT NOT NULL,
	posted         TEXT NOT NULL,
	value          TEXT NOT NULL,
	reference      TEXT NOT NULL,
	remarks        TEXT NOT NULL,
	details        TEXT CHECK (json_type(details) = 'array'), -- of a batch booking; NULL where there are none
	PRIMARY KEY (reading, line)
) STRICT, WITHOUT ROWID;

CREATE INDEX statement_lines_by_day ON statement_lines (account, day);
CREATE INDEX statement_lines_by_id ON statement_lines (account, transaction_id) WHERE transaction_id <> '';

-- What people said of a reading, or of lines. A word holds once it carries out the one
-- of another person.
CREATE TABLE statement_words (
	no        INTEGER PRIMARY KEY,
	word      TEXT NOT NULL CHECK (word IN ('void', 'explain')),
	reading   INTEGER REFERENCES statement_readings (no),
	entries   TEXT NOT NULL CHECK (json_type(entries) = 'array'),
	payout_id INTEGER REFERENCES payouts (id), -- NULL for no payout
	ref       TEXT NOT NULL,
	reason    TEXT NOT NULL CHECK (trim(reason) <> ''),
	actor     TEXT NOT NULL CHECK (trim(actor) <> ''),
	at        INTEGER NOT NULL,
	first     INTEGER UNIQUE REFERENCES statement_words (no) CHECK (first < no),
	CHECK ((word = 'void') = (reading IS NOT NULL)),
	CHECK ((word = 'explain') = (json_array_length(entries) > 0))
) STRICT;

-- What is kept of statements never changes.
CREATE TRIGGER statement_readings_kept BEFORE DELETE ON statement_readings BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER statement_readings_fixed BEFORE UPDATE ON statement_readings BEGIN SELECT RAISE(ABORT, 'what a statement said never changes'); END;
CREATE TRIGGER statement_lines_kept BEFORE DELETE ON statement_lines BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER statement_lines_fixed BEFORE UPDATE ON statement_lines BEGIN SELECT RAISE(ABORT, 'what a statement said never changes'); END;
CREATE TRIGGER statement_words_kept BEFORE DELETE ON statement_words BEGIN SELECT RAISE(ABORT, 'history is never deleted'); END;
CREATE TRIGGER statement_words_fixed BEFORE UPDATE ON statement_words BEGIN SELECT RAISE(ABORT, 'what people said of a statement never changes'); END;

-- The four tables below are derived (ledger/reconcile) and brought up to date by a transaction that
-- reads them first: verify compares them.

-- From which day on the matches of an account are out of date.
CREATE TABLE statement_stale (
	account TEXT PRIMARY KEY,
	day     TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- Lines that are an attempt's, or with a why could be.
CREATE TABLE statement_matches (
	payout_id      INTEGER NOT NULL,
	number         INTEGER NOT NULL,
	reading        INTEGER NOT NULL,
	line           INTEGER NOT NULL,
	part           INTEGER NOT NULL, -- of a batch booking, from 1; 0 for the line
	place          INTEGER NOT NULL, -- among what counts of its day; 0 where it does not count
	account        TEXT NOT NULL,
	day            TEXT NOT NULL,
	source         TEXT NOT NULL,
	transaction_id TEXT NOT NULL,
	debit          INTEGER NOT NULL,
	amount         INTEGER NOT NULL, -- paise, of the line
	matched_by     TEXT NOT NULL,
	share          INTEGER NOT NULL CHECK (share BETWEEN 0 AND amount),
	why            TEXT NOT NULL,
	PRIMARY KEY (payout_id, number, reading, line, part),
	CHECK ((why = '') = (share > 0))
) STRICT, WITHOUT ROWID;

CREATE INDEX statement_matches_by_day ON statement_matches (account, day, reading, line, part);
CREATE INDEX statement_matches_odd ON statement_matches (payout_id) WHERE why <> '' OR debit = 0; -- see Contradicted

-- Lines that are no attempt's.
CREATE TABLE statement_open (
	account        TEXT NOT NULL,
	day            TEXT NOT NULL,
	reading        INTEGER NOT NULL,
	line           INTEGER NOT NULL,
	part           INTEGER NOT NULL,
	place          INTEGER NOT NULL,
	source         TEXT NOT NULL,
	transaction_id TEXT NOT NULL,
	debit          INTEGER NOT NULL,
	amount         INTEGER NOT NULL,
	why            TEXT NOT NULL CHECK (why <> ''),
	named          INTEGER NOT NULL CHECK (named IN (0, 1)),
	PRIMARY KEY (account, day, reading, line, part)
) STRICT, WITHOUT ROWID;

-- Where the balances of an account do not chain.
CREATE TABLE statement_breaks (
	account  TEXT NOT NULL,
	day      TEXT NOT NULL, -- of the line behind it
	from_day TEXT NOT NULL,
	reading  INTEGER NOT NULL,
	line     INTEGER NOT NULL,
	amount   INTEGER NOT NULL CHECK (amount > 0), -- paise
	PRIMARY KEY (account, day, reading, line)
) STRICT, WITHOUT ROWID;

-- == Payees ==

-- Who was paid before, found by hashes of the folded name and of the account. What
-- is found is read again from the payouts. The index is filled behind the payouts,
-- never while a sheet is loaded.
CREATE TABLE payees_indexed (
	one  INTEGER PRIMARY KEY CHECK (one = 1),
	upto INTEGER NOT NULL -- the last payout that is in the tables below
) STRICT;

INSERT INTO payees_indexed (one, upto) VALUES (1, 0);

-- Each account that a name was paid at, with the first such payout.
CREATE TABLE payee_names (
	name      INTEGER NOT NULL,
	account   INTEGER NOT NULL,
	payout_id INTEGER NOT NULL,
	PRIMARY KEY (name, account)
) STRICT, WITHOUT ROWID;

-- Every payout to an account.
CREATE TABLE payee_payouts (
	account   INTEGER NOT NULL,
	payout_id INTEGER NOT NULL,
	amount    INTEGER NOT NULL, -- paise
	PRIMARY KEY (account, payout_id)
) STRICT, WITHOUT ROWID;
