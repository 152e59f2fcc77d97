package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"payrun/ledger"
)

// known reads what a step is to be held against. It is read inside the
// transaction that writes what comes of it.
func (s *Store) known(ctx context.Context, tx *sql.Tx, b batchRow, step ledger.Step) (k ledger.Known, err error) {
	k = ledger.Known{Batch: b.Batch, LedgerID: s.id, SheetContent: b.sheetContent}
	if k.Attempts, err = knownAttempts(ctx, tx, b); err != nil {
		return k, err
	}
	if k.Intents, err = intentsOf(ctx, tx, b.no); err != nil {
		return k, err
	}
	if step.HeldAtMost > 0 {
		if k.Waiting, err = otpsWaiting(ctx, tx, b); err != nil {
			return k, err
		}
	}
	if step.Event == ledger.InitiateIntended {
		k.Consent, err = consentWanted(ctx, tx, b.ID)
		return k, err
	}
	if step.Event != ledger.SubmitIntended {
		return k, nil
	}
	earlier, err := earlierAttempts(ctx, tx, b.no)
	for i := range k.Attempts {
		k.Attempts[i].Earlier = earlier[k.Attempts[i].ID]
	}
	return k, err
}

// Known returns what a submit of the batch would be held against; of one that
// is planned nothing is, and it may have no attempts.
func (s *Store) Known(ctx context.Context, batchID string) (k ledger.Known, err error) {
	tx, err := s.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true}) // one moment of the ledger
	if err != nil {
		return k, damage("read batch "+batchID, err)
	}
	defer tx.Rollback() //nolint:errcheck // nothing was written
	b, err := batchByID(ctx, tx, batchID)
	if err == nil {
		k, err = s.known(ctx, tx, b, ledger.Step{Event: ledger.SubmitIntended})
	}
	return k, damage("read batch "+batchID, err)
}

// earlierAttempts reads the attempts of the batch's payouts before those in the
// batch, oldest first, whatever became of their batches.
func earlierAttempts(ctx context.Context, r reader, batchNo int64) (map[int64][]ledger.Earlier, error) {
	byPayout := map[int64][]ledger.Earlier{}
	err := each(ctx, r, func(rows *sql.Rows) error {
		var e ledger.Earlier
		err := rows.Scan(&e.PayoutID, &e.Number, &e.WireRef, &e.BatchID, &e.State, &e.Status, &e.Code, &e.OpenTxnID)
		byPayout[e.PayoutID] = append(byPayout[e.PayoutID], e)
		return err
	}, `SELECT e.payout_id, e.number, ifnull(e.wire_ref, p.ref), b.id, e.state, ifnull(e.status, ''), ifnull(e.bank_status_code, ''), ifnull(e.open_txn_id, '')
		FROM attempts a JOIN attempts e ON e.payout_id = a.payout_id AND e.number < a.number
		JOIN payouts p ON p.id = e.payout_id JOIN batches b ON b.no = e.batch_no
		WHERE a.batch_no = ? ORDER BY e.payout_id, e.number`, batchNo)
	return byPayout, err
}

// LastWord returns the bank's last word for "not known" that a look brought;
// the zero Word where none did.
func (s *Store) LastWord(ctx context.Context) (w ledger.Word, err error) {
	err = s.read.QueryRowContext(ctx, `SELECT l.word_status, l.word_code FROM intents i JOIN looks l ON l.batch_no = i.batch_no AND l.intent_no = i.no
		WHERE l.answer = 'not_known' ORDER BY i.no DESC, l.place DESC LIMIT 1`).Scan(&w.HTTPStatus, &w.Code)
	if errors.Is(err, sql.ErrNoRows) {
		return w, nil
	}
	return w, damage("look for the bank's word", err)
}

// knownAttempts reads the batch's attempts with the last observation of each.
// Full account numbers are in neither.
func knownAttempts(ctx context.Context, tx *sql.Tx, b batchRow) ([]ledger.KnownAttempt, error) {
	list := make([]ledger.KnownAttempt, 0, b.Count)
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var k ledger.KnownAttempt
		var amount, updated sql.NullInt64
		a, l := &k.Attempt, &k.Last
		err := rows.Scan(&a.ID, &a.Ref, &a.WireRef, &a.Number, &a.State, &a.Status, &a.BankStatusCode, &a.OpenTxnID, &a.BankTxnRefID, &a.FailedReads,
			&a.Reason, &updated, &k.Seen, &l.Status, &l.BankStatusCode, &amount, &l.OpenTxnID, &l.BankTxnRefID, &l.Error,
			&k.Moved, &k.AliveElsewhere, &k.RefShown)
		a.SheetID, a.BatchID, a.UpdatedAt = b.SheetID, b.ID, fromMicros(updated)
		l.Amount, l.HasAmount = ledger.Paise(amount.Int64), amount.Valid
		list = append(list, k)
		return err
	}, `SELECT a.payout_id, p.ref, ifnull(a.wire_ref, p.ref), a.number, a.state, ifnull(a.status, ''), ifnull(a.bank_status_code, ''), ifnull(a.open_txn_id, ''),
		ifnull(a.bank_txn_ref_id, ''), ifnull(a.failed_reads, 0), ifnull(a.reason, ''), a.updated_at,
		ifnull(o.seq, 0), ifnull(o.status, ''), ifnull(o.bank_status_code, ''), o.amount, ifnull(o.open_txn_id, ''),
		ifnull(o.bank_txn_ref_id, ''), ifnull(o.error, ''),
		EXISTS (SELECT 1 FROM observations m WHERE m.payout_id = a.payout_id AND m.number = a.number AND m.status <> 'request_initiated'),
		EXISTS (SELECT 1 FROM attempts e WHERE e.payout_id = a.payout_id AND e.number <> a.number
			AND e.state IN (SELECT name FROM payout_states WHERE retryable = 0)),
		EXISTS (SELECT 1 FROM attempts e JOIN batches s ON s.no = e.batch_no WHERE e.payout_id = a.payout_id AND e.number < a.number
			AND ifnull(e.wire_ref, p.ref) = ifnull(a.wire_ref, p.ref) AND s.shown = 1)
		FROM attempts a JOIN payouts p ON p.id = a.payout_id
		LEFT JOIN observations o ON o.payout_id = a.payout_id AND o.number = a.number
			AND o.seq = (SELECT max(seq) FROM observations l WHERE l.payout_id = a.payout_id AND l.number = a.number)
		WHERE a.batch_no = ? ORDER BY a.payout_id`, b.no)
	return list, err
}

// intentsOf reads the batch's calls, oldest first.
func intentsOf(ctx context.Context, tx *sql.Tx, batchNo int64) ([]ledger.Intent, error) {
	var list []ledger.Intent
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var i ledger.Intent
		var at, ended sql.NullInt64
		err := rows.Scan(&i.Kind, &i.PayloadSHA256, &at, &i.Outcome, &i.HTTPStatus, &i.Code, &i.Message, &ended)
		i.At, i.EndedAt = fromMicros(at), fromMicros(ended)
		list = append(list, i)
		return err
	}, `SELECT kind, payload_sha256, at, ifnull(outcome, ''), ifnull(http_status, 0), ifnull(code, ''), ifnull(message, ''), ended_at
		FROM intents WHERE batch_no = ? ORDER BY no`, batchNo)
	return list, err
}

// otpsWaiting counts the other batches of the debit account whose OTP is, or
// may be, on its way to a phone.
func otpsWaiting(ctx context.Context, tx *sql.Tx, b batchRow) (n int, err error) {
	err = tx.QueryRowContext(ctx, `SELECT count(*) FROM batches b JOIN routes r ON r.no = b.route_no
		WHERE b.state IN (?, ?, ?) AND r.bank_account_id = ? AND b.no <> ?`,
		ledger.BatchInitiating, ledger.BatchInitiateUnknown, ledger.BatchHeld, b.BankAccountID, b.no).Scan(&n)
	return n, err
}

// LastShown returns the newest batch that a status of the bank is known to show:
// one that was submitted, or that it listed while it was held. An echo says
// nothing of that.
func (s *Store) LastShown(ctx context.Context) (b ledger.Batch, ok bool, err error) {
	list, err := batchesWhere(ctx, s.read, `b.no = (SELECT max(no) FROM batches WHERE submitted_at IS NOT NULL OR listed = 'yes')`)
	if err != nil || len(list) == 0 {
		return b, false, err
	}
	return list[0], true, nil
}
