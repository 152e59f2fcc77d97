package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"payrun/ledger"
)

// overForGood keeps the payouts of which no attempt can still pay: each one
// failed, came back, or was given up before it could.
const overForGood = `a.state IN (SELECT name FROM payout_states WHERE retryable = 1)
	AND NOT EXISTS (SELECT 1 FROM attempts l WHERE l.payout_id = a.payout_id AND l.state NOT IN (SELECT name FROM payout_states WHERE retryable = 1))`

// Retryable returns the latest attempts of the payouts of a sheet, or in a
// batch, for which a new attempt may be planned. ledger.ErrNotFound when
// neither a sheet nor a batch has that id.
func (s *Store) Retryable(ctx context.Context, sheetOrBatch string) ([]ledger.Attempt, error) {
	doing := "look for payouts to retry in " + sheetOrBatch
	f := ledger.Filter{SheetID: sheetOrBatch}
	var isSheet bool
	if err := s.read.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM sheets WHERE id = ?)`, sheetOrBatch).Scan(&isSheet); err != nil {
		return nil, damage(doing, err)
	}
	if !isSheet {
		f = ledger.Filter{BatchID: sheetOrBatch}
		if _, err := batchByID(ctx, s.read, sheetOrBatch); err != nil {
			return nil, damage(doing, err)
		}
	}
	var attempts []ledger.Attempt
	err := eachAttempt(ctx, s.read, f, func(a ledger.Attempt) error {
		attempts = append(attempts, a)
		return nil
	}, overForGood)
	return attempts, damage(doing, err)
}

// PlanRetry records further attempts, in batches whose members are positions
// in attempts; each attempt is in exactly one. All attempts are of one sheet,
// each the latest of its payout and over for good, else ledger.ErrConflict.
func (s *Store) PlanRetry(ctx context.Context, attempts []ledger.Attempt, batches []ledger.PlannedBatch, at time.Time) ([]ledger.Batch, error) {
	if len(attempts) == 0 {
		return nil, nil
	}
	sheet := attempts[0].SheetID
	var ids []string
	err := s.inTx(ctx, "plan the retry of sheet "+sheet, func(tx *sql.Tx) error {
		var err error
		ids, err = s.planRetry(ctx, tx, attempts, batches, at)
		return err
	})
	if err != nil {
		return nil, err
	}
	planned := make([]ledger.Batch, 0, len(ids))
	for _, id := range ids {
		b, err := s.Batch(ctx, id)
		if err != nil {
			return nil, err
		}
		planned = append(planned, b)
	}
	return planned, nil
}

func (s *Store) planRetry(ctx context.Context, tx *sql.Tx, attempts []ledger.Attempt, batches []ledger.PlannedBatch, at time.Time) ([]string, error) {
	var next newBatch // what all new batches share
	var sha string
	var sequence int
	err := tx.QueryRowContext(ctx, `SELECT s.no, s.id, s.sha256, (SELECT ifnull(max(sequence), 0) FROM batches WHERE sheet_no = s.no)
		FROM sheets s WHERE s.id = ?`, attempts[0].SheetID).Scan(&next.sheetNo, &next.sheetID, &sha, &sequence)
	if err != nil {
		return nil, orNotFound(err)
	}
	if err := checkRetry(attempts, batches); err != nil {
		return nil, err
	}
	var ids []string
	for i := range batches {
		b := next
		b.PlannedBatch, b.sequence, b.attempt, b.at = batches[i], sequence+i+1, 1, at
		for _, m := range b.Members {
			b.attempt = max(b.attempt, attempts[m].Number+1)
		}
		b.id = ledger.BatchID(s.id, sha, b.BankAccountID, b.sequence, b.attempt)
		err := tx.QueryRowContext(ctx, `SELECT no FROM routes WHERE bank_account_id = ? AND sub_merchant_id = ? AND transaction_type_id = ?`,
			b.BankAccountID, b.SubMerchantID, b.TransactionTypeID).Scan(&b.routeNo)
		if err != nil {
			return nil, fmt.Errorf("the debit account of batch %d: %w", i+1, orNotFound(err))
		}
		members := make([]attemptKey, len(b.Members))
		for j, m := range b.Members {
			members[j] = attemptKey{attempts[m].ID, attempts[m].Number}
		}
		if err := s.insertAgain(ctx, tx, b, members); err != nil {
			return nil, err
		}
		ids = append(ids, b.id)
	}
	return ids, nil
}

// checkRetry holds the planned batches against the attempts they take.
func checkRetry(attempts []ledger.Attempt, batches []ledger.PlannedBatch) error {
	for _, a := range attempts {
		if a.SheetID != attempts[0].SheetID {
			return errors.New("the attempts are of several sheets")
		}
	}
	return ledger.CheckPlan(batches, len(attempts), ledger.NoLimit, func(i int32) ledger.Member {
		a := &attempts[i]
		return ledger.Member{Route: a.Route(), Amount: a.Amount, BeneLEI: a.BeneLEI}
	})
}

// replan plans the payouts of a batch that was given up anew: the same
// payouts, a new batch id, new wire references.
func (s *Store) replan(ctx context.Context, tx *sql.Tx, old batchRow, at time.Time) error {
	var members []attemptKey
	err := each(ctx, tx, func(rows *sql.Rows) error {
		var m attemptKey
		err := rows.Scan(&m.payoutID, &m.number)
		members = append(members, m)
		return err
	}, `SELECT payout_id, number FROM attempts WHERE batch_no = ? ORDER BY payout_id`, old.no)
	if err != nil {
		return err
	}
	b := newBatch{PlannedBatch: ledger.PlannedBatch{BankAccountID: old.BankAccountID, PartnerBankID: old.PartnerBankID, Kind: old.Kind,
		BeneLEI: old.BeneLEI, Total: old.Total, Reason: "planned anew for batch " + old.ID + ", whose initiate was never answered",
		Members: make([]int32, len(members))},
		sheetNo: old.sheetNo, routeNo: old.routeNo, sheetID: old.SheetID, sequence: old.Sequence, attempt: old.Attempt + 1, at: at}
	b.id = ledger.BatchID(s.id, old.sheetSHA256, old.BankAccountID, b.sequence, b.attempt)
	return s.insertAgain(ctx, tx, b, members)
}

// insertAgain records a batch of further attempts. members are the attempts
// before them.
func (s *Store) insertAgain(ctx context.Context, tx *sql.Tx, b newBatch, members []attemptKey) error {
	head, err := auditHead(ctx, tx)
	if err != nil {
		return err
	}
	if err := tx.QueryRowContext(ctx, `SELECT max(no) + 1 FROM batches`).Scan(&b.no); err != nil {
		return err
	}
	if _, err := s.insertBatch(ctx, tx, head, b); err != nil {
		return err
	}
	for _, m := range members {
		if err := stillOver(ctx, tx, m); err != nil {
			return err
		}
		if err := nextAttempt(ctx, tx, m.payoutID, m.number+1, b.no); err != nil {
			return fmt.Errorf("payout %d: %w", m.payoutID, err)
		}
	}
	return nil
}

// stillOver makes sure, inside the transaction, that the attempt is the latest
// of its payout and that none of the payout's attempts can still pay.
func stillOver(ctx context.Context, tx *sql.Tx, m attemptKey) error {
	var latest, alive int
	err := tx.QueryRowContext(ctx, `SELECT ifnull(max(number), 0), count(*) FILTER (WHERE state NOT IN (SELECT name FROM payout_states WHERE retryable = 1))
		FROM attempts WHERE payout_id = ?`, m.payoutID).Scan(&latest, &alive)
	if err != nil {
		return err
	}
	if latest != m.number || alive > 0 {
		return fmt.Errorf("%w: attempt %d of payout %d is not its last, or one can still pay", ledger.ErrConflict, m.number, m.payoutID)
	}
	return nil
}
