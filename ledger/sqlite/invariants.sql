-- What must hold in every ledger at any time (safety.md, "Invariants"), as
-- queries: each row that one returns is a problem, told for people. A line
-- "-- invariant N: …" begins a query. The schema refuses nearly all of this
-- when it is written; here it is asked again, of a ledger that may have been
-- touched by other means.

-- invariant 1: at most one live attempt a payout
-- A dispute that comes up in an attempt after it was over for good is no live
-- attempt: it is named as needing a person, and forbids the next submit.
SELECT 'payout ' || payout_id || ' has ' || count(*) || ' live attempts'
FROM attempts WHERE state NOT IN (SELECT name FROM payout_states WHERE live = 0 OR name = 'disputed')
GROUP BY payout_id HAVING count(*) > 1
UNION ALL
SELECT 'payout ' || m.value || ' is yet to be made by batch ' || b.id || ', and has an attempt'
FROM batches b, json_each(b.members) m WHERE b.made = 0 AND EXISTS (SELECT 1 FROM attempts a WHERE a.payout_id = m.value)
UNION ALL -- none is in two batches of its sheet, for each is in one (invariant 13) and there are as many places as payouts
SELECT 'the batches of the sheets have ' || places || ' places for ' || payouts || ' payouts'
FROM (SELECT (SELECT ifnull(sum(json_array_length(members)), 0) FROM batches) AS places, (SELECT count(*) FROM payouts) AS payouts)
WHERE places <> payouts;

-- invariant 2: every call has an intent, and every intent its event
SELECT 'intent ' || i.no || ' has no event with its payload'
FROM intents i JOIN batches b ON b.no = i.batch_no
WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.batch_id = b.id AND e.kind = i.kind || '_intended' AND instr(e.detail, i.payload_sha256))
UNION ALL
SELECT 'batch ' || e.batch_id || ' has ' || count(*) || ' ' || e.kind || ' events and ' || (SELECT count(*) FROM intents i
	JOIN batches b ON b.no = i.batch_no WHERE b.id = e.batch_id AND i.kind || '_intended' = e.kind) || ' such intents'
FROM events e WHERE e.batch_id <> '' AND e.kind IN ('initiate_intended', 'submit_intended') GROUP BY e.batch_id, e.kind
HAVING count(*) <> (SELECT count(*) FROM intents i JOIN batches b ON b.no = i.batch_no WHERE b.id = e.batch_id AND i.kind || '_intended' = e.kind)
UNION ALL
SELECT 'batch ' || b.id || ' is ' || b.state || ', and has ' || count(i.no) || ' open intents'
FROM batches b LEFT JOIN intents i ON i.batch_no = b.no AND i.outcome IS NULL
GROUP BY b.no HAVING count(i.no) <> (b.state IN ('initiating', 'submitting'));

-- invariant 3: no submit intent after a batch was abandoned, quarantined or refused
SELECT 'batch ' || s.batch_id || ' was to be submitted (event ' || s.seq || ') after ' || e.kind || ' (event ' || e.seq || ')'
FROM events s JOIN events e ON e.batch_id = s.batch_id AND e.seq < s.seq
WHERE s.batch_id <> '' AND s.kind = 'submit_intended'
	AND e.kind IN ('abandoned', 'doubt_expired', 'resolved_not_submitted', 'echo_differs', 'initiate_refused')
UNION ALL
SELECT 'batch ' || b.id || ' is ' || b.state || ' and has a submit intent that may have been accepted'
FROM batches b JOIN intents i ON i.batch_no = b.no
WHERE i.kind = 'submit' AND ifnull(i.outcome, 'accepted') = 'accepted' AND b.state IN ('abandoned', 'quarantined', 'refused');

-- invariant 4: at most one submit intent in doubt; the next needs the last REJECTED or NOT_SENT
SELECT 'intent ' || i.no || ' to ' || i.kind || ' followed intent ' || d.no || ', which ended ' || ifnull(d.outcome, 'not at all')
FROM intents d JOIN intents i ON i.batch_no = d.batch_no AND i.kind = d.kind AND i.no > d.no
WHERE ifnull(d.outcome, '') NOT IN ('rejected', 'not_sent');

-- invariant 5: a payout in a batch with an unknown or accepted submit has no live attempt elsewhere
SELECT 'payout ' || a.payout_id || ' may be paid by batch ' || b.id || ', and its attempt ' || o.number || ' is ' || o.state
FROM intents i JOIN batches b ON b.no = i.batch_no JOIN attempts a ON a.batch_no = b.no
JOIN attempts o ON o.payout_id = a.payout_id AND o.number <> a.number
WHERE i.kind = 'submit' AND ifnull(i.outcome, 'unknown') IN ('unknown', 'accepted') AND b.state <> 'abandoned'
	AND a.state NOT IN (SELECT name FROM payout_states WHERE live = 0 OR name = 'disputed')
	AND o.state NOT IN (SELECT name FROM payout_states WHERE live = 0 OR name = 'disputed');

-- invariant 6: references are unique over all time, history is never deleted or renamed
SELECT 'payout ' || p.id || ' has no place among the used references'
FROM payouts p LEFT JOIN wire_keys k ON k.key = ifnull(p.ref_key, lower(p.ref)) AND k.payout_id = p.id AND k.number = 1
WHERE k.key IS NULL
UNION ALL
SELECT 'attempt ' || f.number || ' of payout ' || f.payout_id || ' has no place among the used references'
FROM further_attempts f JOIN payouts p ON p.id = f.payout_id
LEFT JOIN wire_keys k ON k.key = ifnull(p.ref_key, lower(p.ref)) || lower(substr(f.wire_ref, length(p.ref) + 1))
	AND k.payout_id = f.payout_id AND k.number = f.number
WHERE k.key IS NULL
UNION ALL
SELECT what || ': ' || (last - had) || ' of ' || last || ' are gone' FROM (
	SELECT 'payouts' AS what, ifnull(max(id), 0) AS last, count(*) AS had FROM payouts
	UNION ALL SELECT 'batches', ifnull(max(no), 0), count(*) FROM batches
	UNION ALL SELECT 'sheets', ifnull(max(no), 0), count(*) FROM sheets
	UNION ALL SELECT 'intents', ifnull(max(no), 0), count(*) FROM intents
	UNION ALL SELECT 'used references', (SELECT count(*) FROM payouts) + (SELECT count(*) FROM further_attempts), count(*) FROM wire_keys) WHERE last <> had
UNION ALL
SELECT 'payout ' || payout_id || ' lost an attempt' FROM attempts GROUP BY payout_id HAVING max(number) <> count(*)
UNION ALL
SELECT 'attempt ' || number || ' of payout ' || payout_id || ' lost an observation' FROM observations GROUP BY payout_id, number HAVING max(seq) <> count(*)
UNION ALL
SELECT 'attempt ' || f.number || ' of payout ' || f.payout_id || ' has a permit and does not exist'
FROM further_attempts f LEFT JOIN attempts a ON a.payout_id = f.payout_id AND a.number = f.number AND a.batch_no = f.batch_no WHERE a.number IS NULL
UNION ALL
SELECT 'batch ' || b.id || ' lost the first attempt of payout ' || m.value
FROM batches b, json_each(b.members) m LEFT JOIN attempts a ON a.payout_id = m.value AND a.number = 1 AND a.batch_no = b.no
WHERE b.made <> 0 AND a.number IS NULL
UNION ALL
SELECT 'batch ' || b.id || ' is ' || b.state || ', and its attempts are ' || iif(b.made = 0, 'not all unmade', 'half made') FROM batches b
WHERE b.made = 1 OR (b.made = 0 AND (b.state <> 'planned' OR EXISTS (SELECT 1 FROM attempts a WHERE a.batch_no = b.no)))
UNION ALL
SELECT 'batch ' || b.id || ' has no event that planned it' FROM batches b
WHERE NOT EXISTS (SELECT 1 FROM events e WHERE e.batch_id = b.id AND e.kind = 'batch_planned');

-- invariant 7: one payout a batch unless its partner bank takes bulk; a batch is what it says
SELECT 'batch ' || b.id || ' of partner bank ' || b.partner_bank_id || ' has ' || b.count || ' payouts'
FROM batches b JOIN batch_rules r ON r.batch_no = b.no WHERE b.count > 1 AND r.bulk IS NOT 1
UNION ALL
SELECT 'batch ' || b.id || ' is of a partner bank ' || b.partner_bank_id || ' account of kind "' || b.kind || '", which has no rules'
FROM batches b JOIN batch_rules r ON r.batch_no = b.no WHERE r.bulk IS NULL
UNION ALL
SELECT 'batch ' || id || ' says ' || says || ', and has ' || has
FROM (SELECT b.id, b.count || ' payouts of ' || b.total || ' paise' AS says, (
	SELECT count(p.id) || ' payouts of ' || ifnull(sum(p.amount), 0) || ' paise'
		|| iif(total(p.route_no <> b.route_no OR p.sheet_no <> b.sheet_no), ', of another debit account or sheet', '')
	FROM every_attempt a JOIN payouts p ON p.id = a.payout_id WHERE a.batch_no = b.no) AS has FROM batches b)
WHERE says <> has;

-- invariant 8: a total from its partner bank's LEI line on ⇔ an LEI on the batch, and it is its payouts' one
SELECT 'batch ' || b.id || ' of ' || b.total || ' paise at partner bank ' || b.partner_bank_id || ' has LEI "' || b.bene_lei || '"'
FROM batches b JOIN batch_rules r ON r.batch_no = b.no WHERE (b.bene_lei <> '') <> (r.lei_line > 0 AND b.total >= r.lei_line)
UNION ALL
SELECT 'batch ' || b.id || ' has LEI ' || b.bene_lei || ', its payout ' || p.id || ' has "' || ifnull(p.bene_lei, '') || '"'
FROM batches b JOIN every_attempt a ON a.batch_no = b.no JOIN payouts p ON p.id = a.payout_id
WHERE b.bene_lei <> '' AND ifnull(p.bene_lei, '') <> b.bene_lei;

-- invariant 9: a beneficiary id where the partner bank needs one; else name, account and IFSC
SELECT 'payout ' || p.id || ' in batch ' || b.id || ' lacks what partner bank ' || b.partner_bank_id || ' ' || b.kind || ' needs'
FROM every_attempt a JOIN batches b ON b.no = a.batch_no JOIN payouts p ON p.id = a.payout_id
WHERE CASE WHEN b.no IN (SELECT batch_no FROM batch_rules WHERE needs_beneficiary_id = 1) THEN ifnull(p.open_beneficiary_id, '') = ''
	ELSE p.vendor_name = '' OR p.bank_account_number = '' OR p.ifsc = '' END;

-- invariant 10: a submit intent implies an echo equal to the plan
SELECT 'batch ' || s.batch_id || ' was to be submitted (event ' || s.seq || ') and was never seen as planned'
FROM events s WHERE s.batch_id <> '' AND s.kind = 'submit_intended' AND NOT EXISTS (SELECT 1 FROM events e
	WHERE e.batch_id = s.batch_id AND e.seq < s.seq AND e.kind IN ('initiate_accepted', 'seen_as_planned'));

-- invariant 12: rows of a sheet = accepted + rejected; accepted = payouts created
SELECT 'sheet ' || ifnull(s.id, s.no) || ' says ' || ifnull(s.row_count, 0) || ' rows, ' || ifnull(s.accepted_count, 0) || ' accepted, ' || ifnull(s.rejected_count, 0) || ' rejected, and has ' || count(p.id) || ' payouts'
FROM sheets s LEFT JOIN payouts p ON p.sheet_no = s.no AND p.id BETWEEN s.first_payout AND s.last_payout
GROUP BY s.no HAVING s.sealed = 0 OR count(p.id) <> s.accepted_count OR s.row_count <> s.accepted_count + s.rejected_count
UNION ALL
SELECT 'payout ' || p.id || ' is not among the payouts of its sheet' FROM payouts p JOIN sheets s ON s.no = p.sheet_no
WHERE p.id NOT BETWEEN s.first_payout AND s.last_payout;

-- invariant 13: accepted amount = sum over all payout states
SELECT 'sheet ' || s.id || ' accepted ' || s.accepted_total || ' paise, its payouts stand at ' || ifnull(sum(p.amount), 0)
FROM sheets s LEFT JOIN payouts p ON p.id BETWEEN s.first_payout AND s.last_payout
	AND p.id IN (SELECT payout_id FROM every_attempt)
GROUP BY s.no HAVING ifnull(sum(p.amount), 0) <> s.accepted_total;

-- invariant 14: success only from an observed status success
SELECT 'attempt ' || a.number || ' of payout ' || a.payout_id || ' is success, and no answer said so'
FROM attempts a WHERE a.state = 'success' AND NOT EXISTS (SELECT 1 FROM observations o
	WHERE o.payout_id = a.payout_id AND o.number = a.number AND o.status = 'success');

-- invariant 15: nothing failed because it was missing; an unknown value is never final
SELECT 'attempt ' || a.number || ' of payout ' || a.payout_id || ' is failed, and not two answers said so'
FROM attempts a WHERE a.state = 'failed' AND 2 > (SELECT count(*) FROM observations o
	WHERE o.payout_id = a.payout_id AND o.number = a.number AND o.status = 'failed')
UNION ALL
SELECT 'attempt ' || a.number || ' of payout ' || a.payout_id || ' is returned, and no answer said so'
FROM attempts a WHERE a.state = 'returned' AND NOT EXISTS (SELECT 1 FROM observations o
	WHERE o.payout_id = a.payout_id AND o.number = a.number AND o.bank_status_code = 'RETURNED_FROM_BENEFICIARY')
UNION ALL
SELECT 'batch ' || b.id || ' is settled, and payout ' || a.payout_id || ' is ' || a.state
FROM batches b JOIN attempts a ON a.batch_no = b.no WHERE b.state = 'settled' AND a.state NOT IN (SELECT name FROM payout_states WHERE final = 1 OR name = 'disputed');

-- invariant 16: content of accepted sheets is unique
SELECT 'the same bytes were loaded ' || count(*) || ' times: ' || group_concat(id) FROM sheets GROUP BY sha256 HAVING count(*) > 1
UNION ALL
SELECT 'the same rows were loaded ' || count(*) || ' times: ' || group_concat(id) FROM sheets GROUP BY rows_hash HAVING count(*) > 1;
