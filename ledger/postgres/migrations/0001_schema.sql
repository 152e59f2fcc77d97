-- The ledger on PostgreSQL. Tables, columns and rules are those of ledger/sqlite, where
-- they are explained; a test compares the two. Everything lies in the schema "payrun".

-- Texts are ordered and compared by their bytes, as SQLite does.
CREATE DOMAIN ctext AS text COLLATE "C";

-- no_step refuses what no legal step does. PR001 is ledger.ErrTransition.
CREATE FUNCTION no_step(why text) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
	RAISE EXCEPTION USING ERRCODE = 'PR001', MESSAGE = why;
END $$;

CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	PERFORM no_step(TG_ARGV[0]);
END $$;

-- number_row gives a row the next number: the writer holds the lock of the ledger, or of loads.
CREATE FUNCTION number_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.no IS NULL THEN
		EXECUTE format('SELECT coalesce(max(no), 0) + 1 FROM %I.%I', TG_TABLE_SCHEMA, TG_TABLE_NAME) INTO NEW.no;
	END IF;
	RETURN NEW;
END $$;

-- What the queries of ledger/sqlite ask of SQLite.
CREATE FUNCTION iif(boolean, bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $1 THEN $2 ELSE $3 END';
CREATE FUNCTION iif(boolean, ctext, ctext) RETURNS ctext LANGUAGE sql IMMUTABLE AS 'SELECT CASE WHEN $1 THEN $2 ELSE $3 END';
CREATE FUNCTION min(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT least($1, $2)';
CREATE FUNCTION min(text, text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT least($1, $2)';
CREATE FUNCTION max(bigint, bigint) RETURNS bigint LANGUAGE sql IMMUTABLE AS 'SELECT greatest($1, $2)';
CREATE FUNCTION max(text, text) RETURNS text LANGUAGE sql IMMUTABLE AS 'SELECT greatest($1, $2)';
CREATE FUNCTION json_each(bigint[]) RETURNS TABLE (value bigint) LANGUAGE sql IMMUTABLE ROWS 100 AS 'SELECT unnest($1)';
CREATE FUNCTION json_each(text[]) RETURNS TABLE (value ctext) LANGUAGE sql IMMUTABLE ROWS 100 AS 'SELECT unnest($1)::ctext';
CREATE FUNCTION json_each(jsonb) RETURNS TABLE (value jsonb) LANGUAGE sql IMMUTABLE ROWS 100 AS 'SELECT jsonb_array_elements($1)';
CREATE FUNCTION json_each(text) RETURNS TABLE (value ctext) LANGUAGE sql IMMUTABLE ROWS 100 AS 'SELECT jsonb_array_elements_text($1::jsonb)::ctext';
CREATE FUNCTION json_each(text, path text) RETURNS TABLE (value ctext) LANGUAGE sql IMMUTABLE ROWS 10 AS
	'SELECT jsonb_array_elements_text($1::jsonb -> substr($2, 3))::ctext';

-- A transaction that loads a sheet or plans further attempts holds this row: ids have no gaps.
CREATE TABLE loads (one bigint PRIMARY KEY CHECK (one = 1));

INSERT INTO loads (one) VALUES (1);

-- == The ledger itself ==

-- The migrations that made this schema, this file first. The program compares them
-- with its own whenever it opens the ledger.
CREATE TABLE migrations (
	version bigint PRIMARY KEY, -- from 1 without gaps
	name    ctext NOT NULL,
	sha256  ctext NOT NULL
);

-- The ledger's identity: batch ids derive from it.
CREATE TABLE ledger (
	one        bigint PRIMARY KEY CHECK (one = 1),
	id         ctext NOT NULL CHECK (length(id) >= 20), -- random
	created_at bigint NOT NULL
);

-- clock is the database's, in microseconds since 1970: the ledger's clock.
CREATE FUNCTION clock() RETURNS bigint LANGUAGE sql VOLATILE AS 'SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint';

-- here says which database this is: the cluster's identifier, its timeline, which a
-- promotion or a restore changes, and the database's number. '' on a standby.
CREATE FUNCTION here() RETURNS ctext LANGUAGE sql STABLE AS $$
	SELECT CASE WHEN pg_is_in_recovery() THEN '' ELSE format('cluster %s, timeline %s, database %s', system_identifier,
		substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8), (SELECT oid FROM pg_database WHERE datname = current_database())) END FROM pg_control_system()
$$;

-- Where the ledger is. The newest row holds: one is added where a person accepts the ledger
-- in another place.
CREATE TABLE homes (
	no bigint PRIMARY KEY,
	is_at ctext NOT NULL, -- here() at the time
	at bigint NOT NULL
);

CREATE TRIGGER homes_kept BEFORE DELETE ON homes FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER homes_fixed BEFORE UPDATE ON homes FOR EACH ROW EXECUTE FUNCTION refuse('where the ledger was never changes');

-- That a machine found out that the ledger forgot something. It holds until a person accepts
-- the ledger: restores counts how often one did.
CREATE TABLE suspicions (
	restores bigint PRIMARY KEY,
	why      ctext NOT NULL,
	at       bigint NOT NULL
);

CREATE TRIGGER suspicions_kept BEFORE DELETE ON suspicions FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');

-- A run is one operation that writes. It is over once it ended, or until has passed: then
-- another run takes its calls for lost. A run that is over never begins again.
CREATE TABLE runs (
	id          ctext PRIMARY KEY, -- random
	host        ctext NOT NULL,
	pid         bigint NOT NULL,
	role        ctext NOT NULL DEFAULT current_user,
	os_user     ctext NOT NULL,
	command     ctext NOT NULL,
	person      ctext NOT NULL,
	since       bigint NOT NULL, -- by the machine's own clock
	until       bigint NOT NULL,
	ended       bigint,
	task        ctext -- of which one run does it at a time
);

CREATE INDEX runs_live ON runs (until) WHERE ended IS NULL;

CREATE TRIGGER runs_kept BEFORE DELETE ON runs FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER runs_over BEFORE UPDATE ON runs FOR EACH ROW WHEN (OLD.ended IS NOT NULL) EXECUTE FUNCTION refuse('a run that is over never begins again');

-- A copy has this row, which `ledger backup` writes. Nothing is sent from a copy
-- until a person accepts it (docs/safety.md, "Local faults").
CREATE TABLE copied (
	one bigint PRIMARY KEY CHECK (one = 1),
	seq bigint NOT NULL -- the last event when it was copied
);

CREATE FUNCTION copied_kept() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF (SELECT kind FROM events ORDER BY seq DESC LIMIT 1) <> 'restored_accepted' THEN PERFORM no_step('a copy becomes the ledger only by a person'); END IF;
	RETURN OLD;
END $$;

CREATE TRIGGER copied_kept BEFORE DELETE ON copied FOR EACH ROW EXECUTE FUNCTION copied_kept();

-- == The machine and the rules, as rows ==

-- The batches' machine. A test compares it with ledger.BatchState.Next.
CREATE TABLE batch_transitions (
	from_state ctext NOT NULL,
	event      ctext NOT NULL,
	to_state   ctext NOT NULL,
	PRIMARY KEY (from_state, event)
);

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
	from_state ctext NOT NULL,
	to_state   ctext NOT NULL,
	PRIMARY KEY (from_state, to_state)
);

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
	name ctext PRIMARY KEY
);

INSERT INTO retryable_states (name) VALUES ('failed'), ('returned'), ('cancelled');


-- == Sheets ==

-- A sheet is begun before its payouts and sealed after them, in one transaction:
-- no reader sees one that is not sealed.
CREATE TABLE sheets (
	no              bigint PRIMARY KEY,
	sealed          bigint NOT NULL DEFAULT 0 CHECK (sealed IN (0, 1)),
	id              ctext UNIQUE,
	name            ctext,
	sha256          ctext CHECK (length(sha256) = 64 AND sha256 ~ '^[0-9a-f]*$'),
	rows_hash       ctext UNIQUE CHECK (length(rows_hash) = 64 AND rows_hash ~ '^[0-9a-f]*$'),
	content         ctext UNIQUE CHECK (length(content) = 64 AND content ~ '^[0-9a-f]*$'), -- what its ids derive from
	ref_prefix      ctext NOT NULL DEFAULT '', -- put before every reference
	unprefixed      ctext CHECK (length(unprefixed) = 64 AND unprefixed ~ '^[0-9a-f]*$'), -- rows_hash without it; NULL where there is none
	format          ctext CHECK (format IN ('csv', 'xlsx', 'pain.001')),
	tab             ctext,
	header_row      bigint,
	row_count       bigint,
	blank_count     bigint,
	has_total       bigint CHECK (has_total IN (0, 1)),
	total           bigint, -- paise, over all rows whose amount could be read
	accepted_count  bigint CHECK (accepted_count >= 0),
	accepted_total  bigint CHECK ((accepted_total > 0) = (accepted_count > 0)),
	rejected_count  bigint CHECK (rejected_count >= 0),
	rejected_total  bigint,
	corrected_count bigint NOT NULL DEFAULT 0 CHECK (corrected_count >= 0), -- rows that correct payouts of earlier sheets
	corrected_total bigint NOT NULL DEFAULT 0 CHECK ((corrected_total > 0) = (corrected_count > 0)),
	first_payout    bigint, -- its payouts are first_payout … last_payout, without gaps
	last_payout     bigint,
	loaded_at       bigint,
	loaded_by       ctext,
	UNIQUE (sha256, tab, ref_prefix),
	CHECK ((ref_prefix = '') = (unprefixed IS NULL)),
	CHECK (sealed = 0 OR (id IS NOT NULL AND name IS NOT NULL AND sha256 IS NOT NULL AND rows_hash IS NOT NULL AND content IS NOT NULL
		AND format IS NOT NULL AND tab IS NOT NULL AND header_row IS NOT NULL AND blank_count IS NOT NULL
		AND has_total IS NOT NULL AND loaded_at IS NOT NULL AND loaded_by IS NOT NULL)),
	CHECK (sealed = 0 OR coalesce(accepted_count + corrected_count > 0, false)),
	CHECK (sealed = 0 OR coalesce(row_count = accepted_count + rejected_count + corrected_count, false)),
	CHECK (sealed = 0 OR coalesce(total = accepted_total + rejected_total + corrected_total, false)),
	CHECK (sealed = 0 OR coalesce(accepted_count = last_payout - first_payout + 1, false))
);

CREATE TRIGGER sheets_kept BEFORE DELETE ON sheets FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');

CREATE TRIGGER sheets_fixed BEFORE UPDATE ON sheets FOR EACH ROW WHEN (OLD.sealed = 1 OR NEW.sealed = 0 OR NEW.no <> OLD.no)
	EXECUTE FUNCTION refuse('a sealed sheet never changes');

-- The bytes of a sheet as it was loaded.
CREATE TABLE sheet_contents (
	sheet_no bigint NOT NULL,
	part     bigint NOT NULL CHECK (part >= 1),
	bytes    bytea NOT NULL CHECK (length(bytes) > 0), -- a DEFLATE stream of its own
	PRIMARY KEY (sheet_no, part)
);

CREATE TRIGGER sheet_contents_kept BEFORE DELETE ON sheet_contents FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER sheet_contents_fixed BEFORE UPDATE ON sheet_contents FOR EACH ROW EXECUTE FUNCTION refuse('what was loaded never changes');

-- How the bytes were read, where they leave a choice.
CREATE TABLE sheet_readings (
	sheet_no    bigint PRIMARY KEY,
	encoding    ctext NOT NULL,
	hidden_rows ctext NOT NULL,
	columns     ctext NOT NULL -- of --map, as a JSON object
);

-- The row of an earlier sheet that a payout came from: one row becomes one payout.
CREATE TABLE origins (
	payout_id bigint PRIMARY KEY,
	sheet_no  bigint NOT NULL, -- that it was left out of, and its row there
	row       bigint NOT NULL CHECK (row > 0),
	UNIQUE (sheet_no, row)
);

-- == Payouts ==

-- What payouts of one debit account, sub-merchant and transaction type share.
CREATE TABLE routes (
	no                  bigint PRIMARY KEY,
	bank_account_id     ctext NOT NULL CHECK (bank_account_id <> ''),
	sub_merchant_id     ctext NOT NULL,
	transaction_type_id ctext NOT NULL,
	UNIQUE (bank_account_id, sub_merchant_id, transaction_type_id)
);

-- One row of a sheet, as accepted. It never changes.
CREATE TABLE payouts (
	id                  bigint PRIMARY KEY, -- the order of loading
	sheet_no            bigint NOT NULL,
	row                 bigint NOT NULL CHECK (row > 0),
	route_no            bigint NOT NULL,
	amount              bigint NOT NULL CHECK (amount > 0), -- paise
	ref                 ctext NOT NULL CHECK (ref <> ''),
	vendor_name         ctext NOT NULL,
	bank_account_number ctext NOT NULL,
	ifsc                ctext NOT NULL,
	remarks             ctext,  -- NULL for none, here and below
	open_beneficiary_id ctext,
	bene_lei            ctext CHECK (length(bene_lei) = 20),
	ref_key             ctext   -- the folded reference where it is not simply lower(ref)
);

CREATE TRIGGER payouts_kept BEFORE DELETE ON payouts FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER payouts_fixed BEFORE UPDATE ON payouts FOR EACH ROW EXECUTE FUNCTION refuse('a payout never changes');

-- Every reference that was ever used, folded, of sheets and of further attempts.
-- The key makes a reference unique over all time.
CREATE TABLE wire_keys (
	key       ctext PRIMARY KEY,
	payout_id bigint NOT NULL,
	number    bigint NOT NULL
);

CREATE TRIGGER wire_keys_kept BEFORE DELETE ON wire_keys FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER wire_keys_fixed BEFORE UPDATE ON wire_keys FOR EACH ROW EXECUTE FUNCTION refuse('a used reference never changes');

-- What a payout was corrected to by a row of a later sheet. An attempt sends the row
-- with the highest number that is not above its own, or else what the payout says.
CREATE TABLE corrections (
	payout_id           bigint NOT NULL,
	number              bigint NOT NULL CHECK (number >= 2), -- the first attempt that sends it
	sheet_no            bigint NOT NULL, -- the correcting sheet, and its row
	row                 bigint NOT NULL CHECK (row > 0),
	route_no            bigint NOT NULL,
	amount              bigint NOT NULL CHECK (amount > 0), -- paise
	vendor_name         ctext NOT NULL,
	bank_account_number ctext NOT NULL,
	ifsc                ctext NOT NULL,
	remarks             ctext, -- NULL for none, here and below
	open_beneficiary_id ctext,
	bene_lei            ctext CHECK (length(bene_lei) = 20),
	PRIMARY KEY (payout_id, number),
	UNIQUE (sheet_no, row)
);

CREATE TRIGGER corrections_kept BEFORE DELETE ON corrections FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER corrections_fixed BEFORE UPDATE ON corrections FOR EACH ROW EXECUTE FUNCTION refuse('what an attempt sends never changes');

-- == Batches and attempts ==

-- One transfer to the bank, from its plan to its end.
CREATE TABLE batches (
	no              bigint PRIMARY KEY, -- the order of planning
	id              ctext NOT NULL UNIQUE CHECK (id <> ''),
	sheet_no        bigint NOT NULL REFERENCES sheets (no) DEFERRABLE,
	sequence        bigint NOT NULL CHECK (sequence >= 1),
	attempt         bigint NOT NULL CHECK (attempt >= 1),
	state           ctext NOT NULL DEFAULT 'planned' CHECK (state = 'planned' OR state = 'initiating' OR state = 'initiate_unknown' OR state = 'held'
		OR state = 'submitting' OR state = 'submit_unknown' OR state = 'submitted' OR state = 'settled'
		OR state = 'refused' OR state = 'quarantined' OR state = 'abandoned' OR state = 'set_aside'),
	route_no        bigint NOT NULL REFERENCES routes (no) DEFERRABLE,
	partner_bank_id bigint NOT NULL,
	kind            ctext NOT NULL,
	bene_lei        ctext NOT NULL,
	count           bigint NOT NULL CHECK (count >= 1),
	total           bigint NOT NULL CHECK (total > 0), -- paise
	reason          ctext NOT NULL,
	open_batch_id   ctext NOT NULL DEFAULT '',
	otp_tries       bigint NOT NULL DEFAULT 0 CHECK (otp_tries >= 0),
	note            ctext NOT NULL DEFAULT '',
	attention       ctext NOT NULL DEFAULT '',
	created_at      bigint NOT NULL,
	updated_at      bigint NOT NULL,
	state_since     bigint NOT NULL,
	held_at         bigint,
	submitted_at    bigint,
	success_at      bigint, -- when a payout of it was last first seen as success
	made            bigint NOT NULL DEFAULT 2 CHECK (made = 0 OR made = 1 OR made = 2), -- its attempts: 0 not yet, 2 made, 1 only inside the statement that makes them
	members         ctext CHECK (jsonb_array_length(members::jsonb) = count), -- the ids of the payouts that a sheet put into it; NULL in a batch of further attempts
	shown           bigint NOT NULL DEFAULT 0 CHECK (shown IN (0, 1)),              -- the bank has shown or echoed it
	listed          ctext NOT NULL DEFAULT '' CHECK (listed = '' OR listed = 'yes' OR listed = 'no'),    -- whether the bank shows it while it is held
	new_references  bigint NOT NULL DEFAULT 0 CHECK (new_references IN (0, 1)),     -- two people said that its payouts get references the bank has never seen
	refusal         ctext NOT NULL DEFAULT '',                                        -- the bank's words where it answered no and the effect is unknown
	other_number    ctext NOT NULL DEFAULT '',                                        -- of the debit account, as the last answer with a number showed it; '' as configured
	planned_with    bigint REFERENCES batches (no) DEFERRABLE, -- the batch whose planner it has; NULL: itself
	needs_approval  bigint NOT NULL DEFAULT 0 CHECK (needs_approval IN (0, 1)),     -- by another person, whatever the policy says
	CHECK (made = 2 OR members IS NOT NULL),
	UNIQUE (sheet_no, sequence, attempt),
	CHECK (bene_lei = '' OR (length(bene_lei) = 20 AND bene_lei ~ '^[0-9A-Z]*$'))
);

CREATE INDEX batches_by_state ON batches (state, made, count, total);
CREATE INDEX batches_watched ON batches (updated_at) WHERE state = 'settled' OR state = 'refused' OR state = 'abandoned' OR state = 'set_aside';

CREATE TRIGGER batches_kept BEFORE DELETE ON batches FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');

CREATE TRIGGER batches_fixed BEFORE UPDATE OF no, id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei, count, total, reason, created_at, members, planned_with, needs_approval ON batches FOR EACH ROW EXECUTE FUNCTION refuse('what a batch is never changes');

-- Batches move by the machine: after their attempts are made, once and all
-- of them (made is 1 only while batches_make works); no call without its record and its status
-- check, which shows nothing that forbids it; and no step before the call has its outcome.
CREATE FUNCTION batches_move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NOT EXISTS (SELECT 1 FROM batch_transitions WHERE from_state = OLD.state AND to_state = NEW.state) THEN PERFORM no_step('not a step of the batch machine'); END IF;
	IF NEW.made <> 2 THEN PERFORM no_step('the attempts of the batch are not made'); END IF;
	IF OLD.state IN ('initiating', 'submitting') AND EXISTS (SELECT 1 FROM intents WHERE batch_no = NEW.no AND outcome IS NULL) THEN PERFORM no_step('the intent has no outcome'); END IF;
	IF NEW.state IN ('initiating', 'submitting') AND NOT EXISTS (SELECT 1 FROM intents i JOIN looks l ON l.batch_no = i.batch_no AND l.intent_no = i.no
		WHERE i.batch_no = NEW.no AND i.outcome IS NULL AND i.kind = CASE NEW.state WHEN 'initiating' THEN 'initiate' ELSE 'submit' END AND l.asked = NEW.id
		AND i.looks = (SELECT count(*) FROM looks WHERE batch_no = NEW.no AND intent_no = i.no)
		AND (l.answer = 'not_known' OR i.kind = 'submit' AND l.answer = 'shown' AND NOT EXISTS (SELECT 1 FROM jsonb_object_keys(l.payouts::jsonb) k WHERE k <> 'request_initiated')))
		THEN PERFORM no_step('no intent is recorded, or the bank was not looked at before it'); END IF;
	RETURN NEW;
END $$;

CREATE TRIGGER batches_move BEFORE UPDATE OF state ON batches FOR EACH ROW EXECUTE FUNCTION batches_move();

CREATE FUNCTION batches_made() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.made <> OLD.made + 1 OR (NEW.made = 2 AND (SELECT count(*) FROM attempts WHERE batch_no = NEW.no) <> NEW.count) THEN PERFORM no_step('the attempts of a batch are made once and all'); END IF;
	RETURN NEW;
END $$;

CREATE TRIGGER batches_made BEFORE UPDATE OF made ON batches FOR EACH ROW EXECUTE FUNCTION batches_made();

CREATE FUNCTION batches_make() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	INSERT INTO attempts (payout_id, number, batch_no) SELECT CAST(value AS bigint), 1, NEW.no FROM json_each(NEW.members);
	UPDATE batches SET made = 2 WHERE no = NEW.no;
	RETURN NEW;
END $$;

CREATE TRIGGER batches_make AFTER UPDATE OF made ON batches FOR EACH ROW WHEN (NEW.made = 1) EXECUTE FUNCTION batches_make();

CREATE INDEX batches_by_submit ON batches (submitted_at) WHERE submitted_at IS NOT NULL;


-- One wire reference of one payout in one batch. First attempts are made when their
-- batch takes its first step.
CREATE TABLE attempts (
	payout_id        bigint NOT NULL,
	number           bigint NOT NULL CHECK (number >= 1),
	batch_no         bigint NOT NULL,
	state            ctext NOT NULL DEFAULT 'planned',
	wire_ref         ctext CHECK (wire_ref <> ''), -- NULL for the first attempt, which carries the payout's own reference
	status           ctext, -- raw, as last observed; NULL until then
	bank_status_code ctext,
	open_txn_id      ctext,
	bank_txn_ref_id  ctext,
	failed_reads     bigint CHECK (failed_reads >= 0),
	reason           ctext,
	updated_at       bigint, -- NULL: untouched since its batch was planned
	resolved         ctext CHECK (resolved IN ('paid', 'not_paid', 'gone')), -- what two people said of it
	dispute          ctext, -- why it is disputed
	was              ctext, -- where a value that cannot be read disputes it: the state to which it goes back
	unread           bigint, -- and what cannot be read: a set of ledger.Fields
	PRIMARY KEY (payout_id, number),
	CHECK ((number = 1) = (wire_ref IS NULL)),
	CHECK (CASE coalesce(dispute, '') WHEN 'unread' THEN state = 'disputed' AND was IS NOT NULL AND coalesce(unread, 0) > 0 ELSE was IS NULL AND unread IS NULL END),
	CHECK (state = 'planned' OR (
		state IN ('request_initiated', 'pending', 'initiated', 'success', 'failed', 'returned', 'disputed', 'cancelled')
		AND (state <> 'success' OR coalesce(status, '') = 'success')
		AND (state <> 'failed' OR (coalesce(status, '') = 'failed' AND coalesce(failed_reads, 0) >= 2))
		AND (state <> 'returned' OR coalesce(bank_status_code, '') = 'RETURNED_FROM_BENEFICIARY')))
);

CREATE INDEX attempts_by_batch ON attempts (batch_no);

-- The attempts beyond the first: few.
CREATE INDEX attempts_further ON attempts (payout_id, number) WHERE number > 1;

CREATE TRIGGER attempts_kept BEFORE DELETE ON attempts FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');

CREATE TRIGGER attempts_fixed BEFORE UPDATE OF payout_id, number, batch_no, wire_ref ON attempts FOR EACH ROW EXECUTE FUNCTION refuse('what an attempt is never changes');

-- A first attempt is made with its batch. Of a further one every earlier attempt surely did
-- not pay, and nothing was sent of its batch.
CREATE FUNCTION attempts_start() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.number = 1 AND (SELECT made FROM batches WHERE no = NEW.batch_no) IS DISTINCT FROM 1 THEN PERFORM no_step('a first attempt is made with its batch'); END IF;
	IF NEW.number > 1 AND (NEW.state <> 'planned' OR NEW.number <> (SELECT coalesce(max(number), 0) + 1 FROM attempts WHERE payout_id = NEW.payout_id)
		OR EXISTS (SELECT 1 FROM attempts WHERE payout_id = NEW.payout_id AND state NOT IN (SELECT name FROM retryable_states))
		OR NOT EXISTS (SELECT 1 FROM batches WHERE no = NEW.batch_no AND state = 'planned' AND members IS NULL))
		THEN PERFORM no_step('the payout has an attempt that is not over'); END IF;
	RETURN NEW;
END $$;

CREATE TRIGGER attempts_start BEFORE INSERT ON attempts FOR EACH ROW EXECUTE FUNCTION attempts_start();

CREATE FUNCTION attempts_move() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF NEW.state <> OLD.state AND (NOT EXISTS (SELECT 1 FROM payout_transitions WHERE from_state = OLD.state AND to_state = NEW.state)
		OR OLD.state = 'disputed' AND NEW.state NOT IN ('success', 'cancelled') AND OLD.was IS NULL)
		THEN PERFORM no_step('not a step of a payout'); END IF;
	RETURN NEW;
END $$;

CREATE TRIGGER attempts_move BEFORE UPDATE OF state ON attempts FOR EACH ROW EXECUTE FUNCTION attempts_move();

-- The attempts that are neither paid nor on their way: few, and asked for most.
CREATE INDEX attempts_apart ON attempts (state) WHERE state IN ('failed', 'returned', 'cancelled', 'disputed');

-- A UTR, as a statement or a payee shows it, in any case.
CREATE INDEX attempts_by_utr ON attempts (lower(bank_txn_ref_id)) WHERE bank_txn_ref_id IS NOT NULL;


-- What the bank said of an attempt, raw, each time it said something new.
CREATE TABLE observations (
	payout_id        bigint NOT NULL,
	number           bigint NOT NULL,
	seq              bigint NOT NULL CHECK (seq >= 1),
	at               bigint NOT NULL,
	status           ctext NOT NULL,
	bank_status_code ctext NOT NULL,
	amount           bigint, -- paise; NULL when the answer had none that could be read
	open_txn_id      ctext NOT NULL,
	bank_txn_ref_id  ctext NOT NULL,
	error            ctext NOT NULL,
	unread           bigint CHECK (unread > 0), -- what the answer showed and cannot be read: a set of ledger.Fields
	PRIMARY KEY (payout_id, number, seq)
);

CREATE TRIGGER observations_kept BEFORE DELETE ON observations FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER observations_fixed BEFORE UPDATE ON observations FOR EACH ROW EXECUTE FUNCTION refuse('an observation never changes');

-- == Calls to the bank ==

-- A call that changes something: committed before it is made, its outcome recorded
-- after it. Neither OTP nor token is in the payload hashed.
CREATE TABLE intents (
	no             bigint PRIMARY KEY,
	batch_no       bigint NOT NULL REFERENCES batches (no) DEFERRABLE,
	kind           ctext NOT NULL CHECK (kind IN ('initiate', 'submit')),
	payload_sha256 ctext NOT NULL CHECK (length(payload_sha256) = 64 AND payload_sha256 ~ '^[0-9a-f]*$'),
	at             bigint NOT NULL,
	outcome        ctext CHECK (outcome IN ('not_sent', 'accepted', 'rejected', 'unknown')), -- NULL while it is open
	http_status    bigint,
	code           ctext,
	message        ctext,
	ended_at       bigint,
	looks          bigint NOT NULL CHECK (looks > 0), -- how many status checks came before it
	bank_time        bigint,                            -- the bank's clock at the last of them
	run            ctext DEFAULT nullif(current_setting('payrun.run', true), ''), -- that makes the call
	CHECK ((outcome IS NULL) = (ended_at IS NULL))
);

CREATE INDEX intents_by_batch ON intents (batch_no);
CREATE INDEX intents_submits ON intents (greatest(at, coalesce(bank_time, at))) WHERE kind = 'submit'; -- by the later of the two clocks

CREATE UNIQUE INDEX intents_one_open ON intents (batch_no) WHERE outcome IS NULL;

-- The next call of a kind needs the last one REJECTED or NOT_SENT.
CREATE UNIQUE INDEX intents_one_in_doubt ON intents (batch_no, kind)
	WHERE outcome IS NULL OR outcome IN ('unknown', 'accepted');

CREATE TRIGGER intents_kept BEFORE DELETE ON intents FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');

CREATE TRIGGER intents_fixed BEFORE UPDATE ON intents FOR EACH ROW
	WHEN (OLD.outcome IS NOT NULL OR NEW.outcome IS NULL OR NEW.no <> OLD.no OR NEW.batch_no <> OLD.batch_no OR NEW.kind <> OLD.kind
		OR NEW.payload_sha256 <> OLD.payload_sha256 OR NEW.at <> OLD.at OR NEW.looks <> OLD.looks OR NEW.bank_time IS DISTINCT FROM OLD.bank_time OR NEW.run IS DISTINCT FROM OLD.run)
	EXECUTE FUNCTION refuse('an intent only ever gets its outcome, once');

-- An intent is recorded just before the batch moves on, and not in a copy. Money moves only
-- at submit: every payout is echoed, and nowhere else alive.
CREATE FUNCTION intents_start() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	IF EXISTS (SELECT 1 FROM copied) THEN PERFORM no_step('nothing is sent from a copy'); END IF;
	IF NEW.outcome IS NOT NULL OR NOT EXISTS (SELECT 1 FROM batches WHERE no = NEW.batch_no AND made = 2
		AND state = CASE NEW.kind WHEN 'initiate' THEN 'planned' ELSE 'held' END) THEN PERFORM no_step('the batch is not where this call may be made'); END IF;
	IF NEW.kind = 'submit' AND EXISTS (SELECT 1 FROM attempts a WHERE a.batch_no = NEW.batch_no
		AND (a.state <> 'request_initiated' OR EXISTS (SELECT 1 FROM attempts o WHERE o.payout_id = a.payout_id
			AND o.number <> a.number AND o.state NOT IN (SELECT name FROM retryable_states))))
		THEN PERFORM no_step('a payout of the batch is not held, or is alive elsewhere'); END IF;
	RETURN NEW;
END $$;

CREATE TRIGGER intents_start BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION intents_start();

-- The status checks before a call, and what the bank showed.
CREATE TABLE looks (
	batch_no    bigint NOT NULL REFERENCES batches (no) DEFERRABLE, -- of the call
	intent_no   bigint NOT NULL REFERENCES intents (no) DEFERRABLE,
	place       bigint NOT NULL CHECK (place >= 0),      -- in the order in which they were taken
	asked       ctext NOT NULL CHECK (asked <> ''),        -- the batch id that was looked up; not always one of ours
	answer      ctext NOT NULL CHECK (answer IN ('not_known', 'shown', 'unanswered')), -- the last where no answer was needed
	not_found_status bigint NOT NULL,  -- how the bank says not known
	not_found_code   ctext NOT NULL,
	complete    bigint NOT NULL CHECK (complete IN (0, 1)),
	payouts     ctext NOT NULL CHECK (jsonb_typeof(payouts::jsonb) = 'object'), -- how many were shown with which status: {"request_initiated":3}
	at          bigint NOT NULL,
	PRIMARY KEY (batch_no, intent_no, place)
);

CREATE TRIGGER looks_kept BEFORE DELETE ON looks FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER looks_fixed BEFORE UPDATE ON looks FOR EACH ROW EXECUTE FUNCTION refuse('what the bank showed never changes');

-- == People ==

-- What people said in releases, each with the evidence that they saw.
CREATE TABLE proposals (
	no        bigint PRIMARY KEY,
	batch_no  bigint NOT NULL REFERENCES batches (no) DEFERRABLE,
	payout_id bigint,                                             -- the attempt it is about; NULL for all locked attempts of the batch
	number    bigint,
	outcome   ctext NOT NULL CHECK (outcome IN ('not-paid', 'paid')),
	reason    ctext NOT NULL CHECK (trim(reason) <> ''),
	ticket    ctext NOT NULL CHECK (trim(ticket) <> '' OR outcome = 'paid'), -- the bank's written confirmation
	evidence  ctext NOT NULL CHECK (jsonb_typeof(evidence::jsonb) = 'object'),
	actor     ctext NOT NULL CHECK (trim(actor) <> ''),
	at        bigint NOT NULL,
	bank_time   bigint,                                             -- by the bank's clock
	carried   bigint NOT NULL DEFAULT 0 CHECK (carried IN (0, 1)),
	seconds   bigint REFERENCES proposals (no) DEFERRABLE,                   -- the first word
	CHECK ((payout_id IS NULL) = (number IS NULL)),
	CHECK ((carried = 1) = (seconds IS NOT NULL))
);

CREATE INDEX proposals_by_batch ON proposals (batch_no);

CREATE UNIQUE INDEX proposals_seconded_once ON proposals (seconds) WHERE seconds IS NOT NULL;

CREATE TRIGGER proposals_kept BEFORE DELETE ON proposals FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER proposals_fixed BEFORE UPDATE ON proposals FOR EACH ROW EXECUTE FUNCTION refuse('what a person decided never changes');

-- The password hashes, and the secrets and public keys of second factors. Each is named in its event by its SHA-256, and never exported.
CREATE TABLE passwords (
	no   bigint PRIMARY KEY,
	name ctext NOT NULL UNIQUE CHECK (length(name) = 64 AND name ~ '^[0-9a-f]*$'), -- SHA-256 of kept
	kept ctext NOT NULL CHECK (kept LIKE '$argon2id$%' OR kept LIKE '$totp$%' OR kept LIKE '$passkey$%')
);

-- == The audit trail ==

-- The audit trail. hash covers the event and the hash of the one before it; digest
-- and state_digest bind the rows that the event is about (docs/adr/0010-digests.md).
CREATE TABLE events (
	seq          bigint PRIMARY KEY,
	at           bigint NOT NULL,
	actor        ctext NOT NULL,
	kind         ctext NOT NULL CHECK (kind <> ''),
	sheet_id     ctext NOT NULL,
	batch_id     ctext NOT NULL,
	detail       ctext NOT NULL,
	hash         ctext NOT NULL UNIQUE CHECK (length(hash) = 64),
	digest       ctext NOT NULL CHECK (digest = '' OR length(digest) = 64), -- of what never changes; '' for none
	state_digest ctext NOT NULL CHECK (state_digest = '' OR length(state_digest) = 64), -- of the state of the batch after it; '' for none
	proof        ctext NOT NULL,                                            -- what showed that the actor is who they are; '' at a terminal
	nonce        ctext DEFAULT nullif(current_setting('payrun.nonce', true), '') -- of its transaction, by which that is found again where the answer to COMMIT was lost
);

CREATE INDEX events_by_batch ON events (batch_id) WHERE batch_id <> '';

CREATE TRIGGER events_kept BEFORE DELETE ON events FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER events_fixed BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION refuse('an event never changes');

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

-- == What the bank and others listed ==

-- The branch list that was imported last, replaced as a whole.
CREATE TABLE branch_list (
	one         bigint PRIMARY KEY CHECK (one = 1),
	name        ctext NOT NULL CHECK (name <> ''),
	sha256      ctext NOT NULL CHECK (length(sha256) = 64 AND sha256 ~ '^[0-9a-f]*$'),
	count       bigint NOT NULL CHECK (count > 0),
	imported_at bigint NOT NULL,
	imported_by ctext NOT NULL
);

CREATE TABLE branches (
	ifsc   ctext PRIMARY KEY CHECK (length(ifsc) = 11),
	bank   ctext NOT NULL,
	branch ctext NOT NULL,
	city   ctext NOT NULL,
	state  ctext NOT NULL
);

-- What the bank listed when it was last asked, as a ledger.BankLists. The next listing
-- replaces it, and its event has the digest of it.
CREATE TABLE bank_lists (
	one    bigint PRIMARY KEY CHECK (one = 1),
	listed ctext NOT NULL CHECK (jsonb_typeof(listed::jsonb) = 'object')
);

-- == Statements ==

-- One reading of a bank statement, from the interface or from a file: append-only.
CREATE TABLE statement_readings (
	no          bigint PRIMARY KEY,
	account     ctext NOT NULL CHECK (account <> ''), -- bank_account_id
	source      ctext NOT NULL CHECK (source IN ('bank', 'file')),
	shape       ctext NOT NULL CHECK (shape IN ('entries', 'pending', 'other')),
	file_name   ctext NOT NULL,
	file_sha256 ctext NOT NULL,
	file_format ctext NOT NULL,
	from_day    ctext NOT NULL,
	to_day      ctext NOT NULL CHECK (to_day >= from_day),
	period      bigint NOT NULL CHECK (period IN (0, 1)), -- the file states its days
	opening     bigint, -- paise; NULL where the statement does not tell it
	closing     bigint,
	lines       bigint NOT NULL CHECK (lines >= 0),
	request_ids ctext NOT NULL CHECK (jsonb_typeof(request_ids::jsonb) = 'array'),
	balances    ctext NOT NULL CHECK (jsonb_typeof(balances::jsonb) = 'array'), -- what the bank said that the account held, and when
	at          bigint NOT NULL, -- when it was asked for, or imported
	actor       ctext NOT NULL CHECK (trim(actor) <> ''),
	CHECK (shape = 'entries' OR source = 'bank'),
	CHECK ((source = 'file') = (length(file_sha256) = 64))
);

CREATE INDEX statement_readings_by_account ON statement_readings (account);

-- A day whose lines an earlier reading holds, word for word.
CREATE TABLE statement_same (
	reading bigint NOT NULL REFERENCES statement_readings (no) DEFERRABLE,
	day     ctext NOT NULL,
	held_by bigint NOT NULL REFERENCES statement_readings (no) DEFERRABLE CHECK (held_by < reading),
	PRIMARY KEY (reading, day)
);

-- The lines of readings. Account numbers in remarks are masked.
CREATE TABLE statement_lines (
	reading        bigint NOT NULL REFERENCES statement_readings (no) DEFERRABLE,
	line           bigint NOT NULL CHECK (line >= 1), -- oldest first
	account        ctext NOT NULL,
	day            ctext NOT NULL, -- posted
	transaction_id ctext NOT NULL,
	debit          bigint NOT NULL CHECK (debit IN (0, 1)),
	amount         bigint NOT NULL CHECK (amount >= 0), -- paise
	closing        bigint NOT NULL,
	transacted     ctext NOT NULL,
	posted         ctext NOT NULL,
	value          ctext NOT NULL,
	reference      ctext NOT NULL,
	remarks        ctext NOT NULL,
	details        ctext CHECK (jsonb_typeof(details::jsonb) = 'array'), -- of a batch booking; NULL where there are none
	PRIMARY KEY (reading, line)
);

CREATE INDEX statement_lines_by_day ON statement_lines (account, day);
CREATE INDEX statement_lines_by_id ON statement_lines (account, transaction_id) WHERE transaction_id <> '';

-- What people said of a reading, or of lines. A word holds once it carries out the one
-- of another person.
CREATE TABLE statement_words (
	no        bigint PRIMARY KEY,
	word      ctext NOT NULL CHECK (word IN ('void', 'explain')),
	reading   bigint REFERENCES statement_readings (no) DEFERRABLE,
	entries   ctext NOT NULL CHECK (jsonb_typeof(entries::jsonb) = 'array'),
	payout_id bigint, -- NULL for no payout
	ref       ctext NOT NULL,
	reason    ctext NOT NULL CHECK (trim(reason) <> ''),
	actor     ctext NOT NULL CHECK (trim(actor) <> ''),
	at        bigint NOT NULL,
	first     bigint UNIQUE REFERENCES statement_words (no) DEFERRABLE CHECK (first < no),
	CHECK ((word = 'void') = (reading IS NOT NULL)),
	CHECK ((word = 'explain') = (jsonb_array_length(entries::jsonb) > 0))
);

-- What is kept of statements never changes.
CREATE TRIGGER statement_readings_kept BEFORE DELETE ON statement_readings FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER statement_readings_fixed BEFORE UPDATE ON statement_readings FOR EACH ROW EXECUTE FUNCTION refuse('what a statement said never changes');
CREATE TRIGGER statement_lines_kept BEFORE DELETE ON statement_lines FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER statement_lines_fixed BEFORE UPDATE ON statement_lines FOR EACH ROW EXECUTE FUNCTION refuse('what a statement said never changes');
CREATE TRIGGER statement_words_kept BEFORE DELETE ON statement_words FOR EACH ROW EXECUTE FUNCTION refuse('history is never deleted');
CREATE TRIGGER statement_words_fixed BEFORE UPDATE ON statement_words FOR EACH ROW EXECUTE FUNCTION refuse('what people said of a statement never changes');

-- The four tables below are derived (ledger/reconcile) and brought up to date by a transaction that
-- reads them first: verify compares them.

-- From which day on the matches of an account are out of date.
CREATE TABLE statement_stale (
	account ctext PRIMARY KEY,
	day     ctext NOT NULL
);

-- Lines that are an attempt's, or with a why could be.
CREATE TABLE statement_matches (
	payout_id      bigint NOT NULL,
	number         bigint NOT NULL,
	reading        bigint NOT NULL,
	line           bigint NOT NULL,
	part           bigint NOT NULL, -- of a batch booking, from 1; 0 for the line
	place          bigint NOT NULL, -- among what counts of its day; 0 where it does not count
	account        ctext NOT NULL,
	day            ctext NOT NULL,
	source         ctext NOT NULL,
	transaction_id ctext NOT NULL,
	debit          bigint NOT NULL,
	amount         bigint NOT NULL, -- paise, of the line
	matched_by     ctext NOT NULL,
	share          bigint NOT NULL CHECK (share BETWEEN 0 AND amount),
	why            ctext NOT NULL,
	PRIMARY KEY (payout_id, number, reading, line, part),
	CHECK ((why = '') = (share > 0))
);

CREATE INDEX statement_matches_by_day ON statement_matches (account, day, reading, line, part);
CREATE INDEX statement_matches_odd ON statement_matches (payout_id) WHERE why <> '' OR debit = 0; -- see Contradicted

-- Lines that are no attempt's.
CREATE TABLE statement_open (
	account        ctext NOT NULL,
	day            ctext NOT NULL,
	reading        bigint NOT NULL,
	line           bigint NOT NULL,
	part           bigint NOT NULL,
	place          bigint NOT NULL,
	source         ctext NOT NULL,
	transaction_id ctext NOT NULL,
	debit          bigint NOT NULL,
	amount         bigint NOT NULL,
	why            ctext NOT NULL CHECK (why <> ''),
	named          bigint NOT NULL CHECK (named IN (0, 1)),
	PRIMARY KEY (account, day, reading, line, part)
);

-- Where the balances of an account do not chain.
CREATE TABLE statement_breaks (
	account  ctext NOT NULL,
	day      ctext NOT NULL, -- of the line behind it
	from_day ctext NOT NULL,
	reading  bigint NOT NULL,
	line     bigint NOT NULL,
	amount   bigint NOT NULL CHECK (amount > 0), -- paise
	PRIMARY KEY (account, day, reading, line)
);

-- == Payees ==

-- Who was paid before, found by hashes of the folded name and of the account. What
-- is found is read again from the payouts. The index is filled behind the payouts,
-- never while a sheet is loaded.
CREATE TABLE payees_indexed (
	one  bigint PRIMARY KEY CHECK (one = 1),
	upto bigint NOT NULL -- the last payout that is in the tables below
);

INSERT INTO payees_indexed (one, upto) VALUES (1, 0);

-- Each account that a name was paid at, with the first such payout.
CREATE TABLE payee_names (
	name      bigint NOT NULL,
	account   bigint NOT NULL,
	payout_id bigint NOT NULL,
	PRIMARY KEY (name, account)
);

-- Every payout to an account.
CREATE TABLE payee_payouts (
	account   bigint NOT NULL,
	payout_id bigint NOT NULL,
	amount    bigint NOT NULL, -- paise
	PRIMARY KEY (account, payout_id)
);

-- == Views, and numbers ==

-- Who planned a batch: the planner of the batch that planned_with names, or its own.
CREATE VIEW planners (batch_no, actor) AS
	SELECT b.no, e.actor
	FROM batches b JOIN batches f ON f.no = coalesce(b.planned_with, b.no)
	JOIN events e ON e.batch_id = f.id AND e.batch_id <> '' AND e.kind = 'batch_planned';

-- When people accepted an older copy as the ledger, the time of the event before that, and
-- how many sheets it held.
CREATE VIEW restores (seq, at, newest_at, last_sheet) AS
	SELECT e.seq, e.at, coalesce((SELECT at FROM events WHERE seq = e.seq - 1), e.at),
		(SELECT count(*) FROM events l WHERE l.kind = 'sheet_loaded' AND l.seq < e.seq)
	FROM events e WHERE e.kind = 'restored_accepted';

CREATE TRIGGER sheets_number BEFORE INSERT ON sheets FOR EACH ROW EXECUTE FUNCTION number_row();
CREATE TRIGGER routes_number BEFORE INSERT ON routes FOR EACH ROW EXECUTE FUNCTION number_row();
CREATE TRIGGER homes_number BEFORE INSERT ON homes FOR EACH ROW EXECUTE FUNCTION number_row();
CREATE TRIGGER intents_number BEFORE INSERT ON intents FOR EACH ROW EXECUTE FUNCTION number_row();
CREATE TRIGGER proposals_number BEFORE INSERT ON proposals FOR EACH ROW EXECUTE FUNCTION number_row();
CREATE TRIGGER passwords_number BEFORE INSERT ON passwords FOR EACH ROW EXECUTE FUNCTION number_row();
