package simulation

import "errors"

// tableView reads the tables, which are the same in all stores.
type tableView struct{ tables }

// tables are the tables of one store.
type tables interface {
	query(query string, args ...any) (rows, error)
	version() (int64, error)
	close() error
}

// rows are the result of a query.
type rows interface {
	Next() bool
	Scan(into ...any) error
	Err() error
	Close() error
}

func (v tableView) id() (id string, err error) {
	return id, v.each(func(r rows) error { return r.Scan(&id) }, `SELECT id FROM ledger`)
}

func (v tableView) snapshot() (snapshot, error) {
	s := snapshot{batches: map[int64]seenBatch{}}
	batches := v.each(func(r rows) error {
		var b seenBatch
		err := r.Scan(&b.no, &b.id, &b.state, &b.partner, &b.kind, &b.lei, &b.count, &b.total, &b.person, &b.needs, &b.note, &b.accountID, &b.sequence, &b.tries, &b.heldAt, &b.changed)
		s.batches[b.no] = b
		return err
	}, `SELECT b.no, b.id, b.state, b.partner_bank_id, b.kind, b.bene_lei, b.count, b.total, (b.attention <> ''), (b.needs_approval = 1), b.note, r.bank_account_id, b.sequence, b.otp_tries, ifnull(b.held_at, 0), b.updated_at
		FROM batches b JOIN routes r ON r.no = b.route_no`)
	attempts := v.each(func(r rows) error {
		var a seenAttempt
		err := r.Scan(&a.payoutID, &a.number, &a.batchNo, &a.state, &a.ref, &a.status, &a.code, &a.failed, &a.amount, &a.payee, &a.benefic)
		s.attempts = append(s.attempts, a)
		return err
	}, `SELECT a.payout_id, a.number, a.batch_no, a.state, ifnull(a.wire_ref, p.ref), ifnull(a.status, ''), ifnull(a.bank_status_code, ''), ifnull(a.failed_reads, 0), ifnull(c.amount, p.amount), ifnull(c.bank_account_number, p.bank_account_number),
		ifnull(p.open_beneficiary_id, '') FROM (SELECT payout_id, number, batch_no, state, wire_ref, status, bank_status_code, failed_reads FROM attempts
		UNION ALL SELECT CAST(m.value AS bigint), 1, b.no, 'planned', NULL, NULL, NULL, NULL FROM batches b, json_each(b.members) m WHERE b.made = 0) a JOIN payouts p ON p.id = a.payout_id
		LEFT JOIN corrections c ON c.payout_id = a.payout_id AND c.number = (SELECT max(l.number) FROM corrections l WHERE l.payout_id = a.payout_id AND l.number <= a.number) ORDER BY a.payout_id, a.number`)
	intents := v.each(func(r rows) error {
		var i seenIntent
		err := r.Scan(&i.batchNo, &i.kind, &i.outcome)
		s.intents = append(s.intents, i)
		return err
	}, `SELECT batch_no, kind, ifnull(outcome, '') FROM intents ORDER BY no`)
	return s, errors.Join(batches, attempts, intents)
}

func (v tableView) events(after int64, each func(event) error) error {
	return v.each(func(r rows) error {
		var e event
		if err := r.Scan(&e.seq, &e.at, &e.actor, &e.kind, &e.sheet, &e.batch, &e.detail, &e.digest, &e.stands, &e.hash); err != nil {
			return err
		}
		return each(e)
	}, `SELECT seq, at, actor, kind, sheet_id, batch_id, detail, digest, state_digest, hash FROM events WHERE seq > ? ORDER BY seq`, after)
}

func (v tableView) intents(batchID, kind, payloadSHA256 string) (open bool, all int, err error) {
	return open, all, v.each(func(r rows) error {
		var mine bool
		err := r.Scan(&mine)
		open, all = open || mine, all+1
		return err
	}, `SELECT (i.outcome IS NULL AND i.payload_sha256 = ?) FROM intents i JOIN batches b ON b.no = i.batch_no WHERE b.id = ? AND i.kind = ?`, payloadSHA256, batchID, kind)
}

func (v tableView) approved(batchID, payloadSHA256 string) (yes bool, err error) {
	return yes, v.each(func(r rows) error { return r.Scan(&yes) }, `SELECT EXISTS (SELECT 1 FROM batches b JOIN events a ON a.batch_id = b.id AND a.kind = 'approved' JOIN planners p ON p.batch_no = b.no
		WHERE b.id = ? AND a.detail LIKE '%' || ? || '%' AND a.actor <> p.actor)`, batchID, payloadSHA256)
}

func (v tableView) sheet(sha256 string) (s recordedSheet, found bool, err error) {
	return s, found, v.each(func(r rows) error {
		found = true
		return r.Scan(&s.rows, &s.accepted, &s.payouts, &s.total)
	}, `SELECT max(s.row_count), max(s.accepted_total), count(*), CAST(sum(p.amount) AS bigint) FROM sheets s JOIN payouts p ON p.sheet_no = s.no WHERE s.sha256 = ? GROUP BY s.no`, sha256)
}

func (v tableView) each(fn func(rows) error, query string, args ...any) error {
	list, err := v.query(query, args...)
	if err != nil {
		return err
	}
	defer list.Close()
	for list.Next() {
		if err := fn(list); err != nil {
			return err
		}
	}
	return list.Err()
}
