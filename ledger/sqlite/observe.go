package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"

	"payrun/ledger"
)

// observedNews counts what a step's observations brought.
type observedNews struct {
	rows      int // new observations
	succeeded int // payouts first seen as success
	states    map[ledger.PayoutState]int
}

// String tells it in the order of the states: "3 success, 1 pending".
func (n observedNews) String() string {
	var parts []string
	for _, state := range ledger.PayoutStates {
		if c := n.states[state]; c > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", c, state))
		}
	}
	return strings.Join(parts, ", ")
}

// known is an attempt as the ledger has it, with its last observation. Full
// account numbers are in neither.
type known struct {
	attempt ledger.Attempt
	seq     int64 // of the last observation; 0 for none
	last    seen
}

// seen is what the ledger keeps of an observation.
type seen struct {
	status, code, openTxnID, bankTxnRefID, error string
	amount                                       sql.NullInt64
}

func seenIn(o ledger.Observation) seen {
	return seen{o.Status, o.BankStatusCode, o.OpenTxnID, o.BankTxnRefID, truncate(o.Error, messageLimit),
		sql.NullInt64{Int64: int64(o.Amount), Valid: o.HasAmount}}
}

type attemptKey struct {
	payoutID int64
	number   int
}

// recordObserved appends the observations that say something new and moves
// their attempts by the verdicts.
func recordObserved(ctx context.Context, tx *sql.Tx, b batchRow, step ledger.Step) (observedNews, error) {
	news := observedNews{states: map[ledger.PayoutState]int{}}
	if len(step.Observed) == 0 {
		return news, nil
	}
	attempts, err := knownAttempts(ctx, tx, b.no)
	if err != nil {
		return news, err
	}
	insert, err := tx.PrepareContext(ctx, `INSERT INTO observations (payout_id, number, seq, at, status, bank_status_code, amount, open_txn_id,
		bank_txn_ref_id, error) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return news, err
	}
	defer insert.Close()
	update, err := tx.PrepareContext(ctx, `UPDATE attempts SET state = ?, status = ?, bank_status_code = ?, open_txn_id = ?, bank_txn_ref_id = ?,
		failed_reads = ?, reason = ?, updated_at = ? WHERE payout_id = ? AND number = ? AND state = ?`)
	if err != nil {
		return news, err
	}
	defer update.Close()
	at := micros(step.At)
	for _, o := range step.Observed {
		k, ok := attempts[attemptKey{o.PayoutID, o.Number}]
		if !ok {
			return news, fmt.Errorf("attempt %d of payout %d is not in the batch: %w", o.Number, o.PayoutID, ledger.ErrNotFound)
		}
		if k.seq > 0 && k.last == seenIn(o.Observation) && !moves(k.attempt, o.Verdict) {
			continue
		}
		if o.Verdict.State == ledger.PayoutSuccess && k.attempt.State != ledger.PayoutSuccess {
			news.succeeded++
		}
		if err := k.record(ctx, insert, update, o, at); err != nil {
			return news, fmt.Errorf("attempt %d of payout %d: %w", o.Number, o.PayoutID, err)
		}
		news.rows++
		news.states[o.Verdict.State]++
	}
	return news, nil
}

// moves reports whether a verdict changes anything beyond the raw values: the
// second read that confirms a failure says nothing new, and still counts.
func moves(a ledger.Attempt, v ledger.Verdict) bool {
	return v.State != a.State || v.FailedReads != a.FailedReads || v.Reason != a.Reason
}

func (k *known) record(ctx context.Context, insert, update *sql.Stmt, o ledger.Observed, at sql.NullInt64) error {
	if !slices.Contains(ledger.PayoutStates[:], o.Verdict.State) {
		return fmt.Errorf("%w: %q is no state of a payout", ledger.ErrTransition, o.Verdict.State)
	}
	now := seenIn(o.Observation)
	k.seq++
	_, err := insert.ExecContext(ctx, o.PayoutID, o.Number, k.seq, at, now.status, now.code, now.amount, now.openTxnID, now.bankTxnRefID, now.error)
	if err != nil {
		return err
	}
	// An id or UTR that one answer leaves out is not forgotten.
	txnID, utr := first(now.openTxnID, k.attempt.OpenTxnID), first(now.bankTxnRefID, k.attempt.BankTxnRefID)
	v := o.Verdict
	r, err := update.ExecContext(ctx, string(v.State), now.status, now.code, txnID, utr, v.FailedReads, v.Reason, at, o.PayoutID, o.Number, string(k.attempt.State))
	if err != nil {
		return err
	}
	n, err := r.RowsAffected()
	if err == nil && n != 1 {
		err = fmt.Errorf("%w: it is no longer %s", ledger.ErrConflict, k.attempt.State)
	}
	k.attempt.State, k.attempt.OpenTxnID, k.attempt.BankTxnRefID, k.last = v.State, txnID, utr, now
	k.attempt.FailedReads, k.attempt.Reason = v.FailedReads, v.Reason
	return err
}

func first(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// knownAttempts reads the batch's attempts with the last observation of each.
func knownAttempts(ctx context.Context, tx *sql.Tx, batchNo int64) (map[attemptKey]*known, error) {
	attempts := map[attemptKey]*known{}
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var k known
		a, l := &k.attempt, &k.last
		err := rows.Scan(&a.ID, &a.Number, &a.State, &a.OpenTxnID, &a.BankTxnRefID, &a.FailedReads, &a.Reason,
			&k.seq, &l.status, &l.code, &l.amount, &l.openTxnID, &l.bankTxnRefID, &l.error)
		attempts[attemptKey{a.ID, a.Number}] = &k
		return err
	}, `SELECT a.payout_id, a.number, a.state, ifnull(a.open_txn_id, ''), ifnull(a.bank_txn_ref_id, ''), ifnull(a.failed_reads, 0), ifnull(a.reason, ''),
		ifnull(o.seq, 0), ifnull(o.status, ''), ifnull(o.bank_status_code, ''), o.amount, ifnull(o.open_txn_id, ''), ifnull(o.bank_txn_ref_id, ''), ifnull(o.error, '')
		FROM attempts a LEFT JOIN observations o ON o.payout_id = a.payout_id AND o.number = a.number
			AND o.seq = (SELECT max(seq) FROM observations l WHERE l.payout_id = a.payout_id AND l.number = a.number)
		WHERE a.batch_no = ?`, batchNo)
	return attempts, err
}
