package sqlite

import (
	"context"
	"database/sql"

	"payrun/ledger"
)

// known reads what a step is to be held against. It is read inside the
// transaction that writes what comes of it.
func (s *Store) known(ctx context.Context, tx *sql.Tx, b batchRow, step ledger.Step) (k ledger.Known, err error) {
	k = ledger.Known{Batch: b.Batch, LedgerID: s.id, SheetSHA256: b.sheetSHA256}
	if k.Attempts, err = knownAttempts(ctx, tx, b); err != nil {
		return k, err
	}
	if k.Intents, err = intentsOf(ctx, tx, b.no); err != nil {
		return k, err
	}
	if step.HeldAtMost > 0 {
		k.Waiting, err = otpsWaiting(ctx, tx, b)
	}
	return k, err
}

// knownAttempts reads the batch's attempts with the last observation of each.
// Full account numbers are in neither.
func knownAttempts(ctx context.Context, tx *sql.Tx, b batchRow) ([]ledger.KnownAttempt, error) {
	list := make([]ledger.KnownAttempt, 0, b.Count)
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var k ledger.KnownAttempt
		var amount, updated sql.NullInt64
		a, l := &k.Attempt, &k.Last
		err := rows.Scan(&a.ID, &a.Ref, &a.Number, &a.State, &a.Status, &a.BankStatusCode, &a.OpenTxnID, &a.BankTxnRefID, &a.FailedReads,
			&a.Reason, &updated, &k.Seen, &l.Status, &l.BankStatusCode, &amount, &l.OpenTxnID, &l.BankTxnRefID, &l.Error,
			&k.Moved, &k.AliveElsewhere)
		a.SheetID, a.BatchID, a.UpdatedAt = b.SheetID, b.ID, fromMicros(updated)
		l.Amount, l.HasAmount = ledger.Paise(amount.Int64), amount.Valid
		list = append(list, k)
		return err
	}, `SELECT a.payout_id, p.ref, a.number, a.state, ifnull(a.status, ''), ifnull(a.bank_status_code, ''), ifnull(a.open_txn_id, ''),
		ifnull(a.bank_txn_ref_id, ''), ifnull(a.failed_reads, 0), ifnull(a.reason, ''), a.updated_at,
		ifnull(o.seq, 0), ifnull(o.status, ''), ifnull(o.bank_status_code, ''), o.amount, ifnull(o.open_txn_id, ''),
		ifnull(o.bank_txn_ref_id, ''), ifnull(o.error, ''),
		EXISTS (SELECT 1 FROM observations m WHERE m.payout_id = a.payout_id AND m.number = a.number AND m.status <> 'request_initiated'),
		EXISTS (SELECT 1 FROM attempts e WHERE e.payout_id = a.payout_id AND e.number <> a.number
			AND e.state IN (SELECT name FROM payout_states WHERE retryable = 0))
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
