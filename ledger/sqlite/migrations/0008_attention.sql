-- Why a batch needs somebody, by name (ledger.Attention) in place of a flag.
-- What was flagged before gets the name that its state and note tell.

ALTER TABLE batches ADD COLUMN attention TEXT NOT NULL DEFAULT '';

UPDATE batches SET attention = CASE
	WHEN state = 'quarantined' THEN 'echo_differs'
	WHEN note LIKE 'the bank''s status%' THEN 'status_differs'
	WHEN state = 'held' AND note LIKE 'not submitted: an earlier attempt%' THEN 'disputed_earlier'
	WHEN state = 'held' AND otp_tries > 0 THEN 'otp_spent'
	WHEN state = 'held' THEN 'otp_late'
	WHEN state IN ('submitting', 'submit_unknown') THEN 'submit_overdue'
	WHEN state IN ('submitted', 'settled') THEN 'overdue'
	ELSE '' END
WHERE needs_person = 1;

ALTER TABLE batches DROP COLUMN needs_person;
