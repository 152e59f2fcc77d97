package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
)

// retryable are the states of an attempt that is over for good.
var retryable = slices.DeleteFunc(slices.Clone(ledger.PayoutStates[:]), func(s ledger.PayoutState) bool { return !s.Retryable() })

// Retryable returns the latest attempts of the payouts of a sheet or batch for which a new attempt may be
// planned, and the locks of those that are over or disputed. It leaves out payouts that two people closed as
// paid. For a sheet it also leaves out payouts that two people released: a person has to name those to retry
// them. It returns ledger.ErrNotFound if no sheet or batch has that id.
func (s *Tables) Retryable(ctx context.Context, sheetOrBatch string) (free []ledger.Attempt, locks []ledger.Lock, err error) {
	doing := "look for payouts to retry in " + sheetOrBatch
	f := ledger.Filter{SheetID: sheetOrBatch, States: append(slices.Clone(retryable), ledger.PayoutDisputed)}
	var isSheet bool
	if err := s.db.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM sheets WHERE id = ?)`, sheetOrBatch).Scan(&isSheet); err != nil {
		return nil, nil, damage(doing, err)
	}
	if !isSheet {
		f.SheetID, f.BatchID, f.Attempts = "", sheetOrBatch, true // an earlier attempt may lock the one in the batch
		if _, err := batchByID(ctx, s.db, sheetOrBatch); err != nil {
			return nil, nil, damage(doing, err)
		}
	}
	var over []ledger.Attempt
	err = s.eachAttempt(ctx, selection{Filter: f}, func(a ledger.Attempt) error { over = append(over, a); return nil })
	if err != nil {
		return nil, nil, damage(doing, err)
	}
	records, err := s.Records(ctx, ledger.ListOf(over, func(a ledger.Attempt) int64 { return a.ID }))
	for _, a := range over {
		of := ledger.Locks(records[a.ID])
		switch {
		case a.State.Retryable() && a.Number < len(records[a.ID]): // planned again already
		case a.Resolved == ledger.ResolutionPaid:
		case len(of) > 0:
			locks = append(locks, of...)
		case isSheet && slices.ContainsFunc(records[a.ID], func(r ledger.AttemptRecord) bool { return r.Resolved != ledger.ResolutionNone }):
		case ledger.MayFollow(a.Key(), records[a.ID]) == nil:
			free = append(free, a)
		}
	}
	return free, locks, damage(doing, err)
}

// PlanRetry records further attempts, in batches whose members are positions in attempts; each attempt is in
// exactly one batch. All attempts belong to one sheet. Each must be the latest of its payout and over for good,
// else ledger.ErrConflict.
func (s *Tables) PlanRetry(ctx context.Context, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.Batch, error) {
	if len(attempts) == 0 {
		return nil, nil
	}
	sheet := attempts[0].SheetID
	var planned []ledger.NewBatch
	err := s.db.WritePlan(ctx, func(tx Writer) (err error) {
		planned, err = s.planAgain(ctx, tx, actor, at, attempts, batches)
		return err
	})
	if err != nil {
		return nil, damage("plan the retry of sheet "+sheet, err)
	}
	return asPlanned(planned), nil
}

// planAgain records further attempts of one sheet's payouts, each with what it sends, in new batches.
func (s *Tables) planAgain(ctx context.Context, tx Writer, actor string, at time.Time, attempts []ledger.Attempt, batches []ledger.PlannedBatch) ([]ledger.NewBatch, error) {
	if err := checkRetry(attempts, batches); err != nil {
		return nil, err
	}
	p := ledger.SheetPlan{LedgerID: s.id, SheetID: attempts[0].SheetID, Actor: actor, At: at}
	var sheetNo int64
	err := tx.QueryRow(ctx, `SELECT s.no, s.content, (SELECT ifnull(max(sequence), 0) FROM batches WHERE sheet_no = s.no)
		FROM sheets s WHERE s.id = ?`, p.SheetID).Scan(&sheetNo, &p.Content, &p.Sequence)
	if err != nil {
		return nil, orNotFound(err)
	}
	refs, old, err := s.names(ctx, tx, attempts)
	if err != nil {
		return nil, err
	}
	planned := p.Again(attempts, refs, batches, old)
	for _, b := range planned {
		route, err := routeNo(ctx, tx, b.Route())
		if err != nil {
			return nil, fmt.Errorf("the debit account of batch %s: %w", b.ID, err)
		}
		if err := s.insertAgain(ctx, tx, newBatch{NewBatch: b, sheetNo: sheetNo, routeNo: route}); err != nil {
			return nil, err
		}
	}
	return planned, nil
}

// names gives the further attempts their wire references, and reads the batches of the attempts before them,
// which must match the audit trail.
func (s *Tables) names(ctx context.Context, tx Writer, attempts []ledger.Attempt) (refs []string, old map[string]ledger.Batch, err error) {
	old = map[string]ledger.Batch{}
	if err := mayFollow(ctx, tx, ledger.ListOf(attempts, ledger.Attempt.Key)); err != nil { // before two batches could get the same id
		return nil, nil, err
	}
	for _, a := range attempts {
		if _, ok := old[a.BatchID]; !ok {
			b, err := batchByID(ctx, tx, a.BatchID)
			if err != nil {
				return nil, nil, err
			}
			known, err := s.comparable(ctx, tx, b)
			if err == nil {
				err = known.VerifyDigests() // otherwise a payee that was tampered with would be planned
			}
			if err != nil {
				return nil, nil, err
			}
			old[a.BatchID] = b.Batch
		}
		ref, err := nextRef(ctx, tx, a)
		if err != nil {
			return nil, nil, err
		}
		refs = append(refs, ref)
	}
	return refs, old, nil
}

// routeNo returns the number of a route. It creates the route if there is none.
func routeNo(ctx context.Context, tx Writer, r ledger.Route) (no int64, err error) {
	args := []any{r.BankAccountID, r.SubMerchantID, r.TransactionTypeID}
	if _, err = tx.Exec(ctx, `INSERT INTO routes (bank_account_id, sub_merchant_id, transaction_type_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, args...); err != nil {
		return 0, err
	}
	err = tx.QueryRow(ctx, `SELECT no FROM routes WHERE bank_account_id = ? AND sub_merchant_id = ? AND transaction_type_id = ?`, args...).Scan(&no)
	return no, err
}

// checkRetry compares the planned batches with their attempts.
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

// mayFollow refuses a further attempt after one that may be paid or is not the latest.
func mayFollow(ctx context.Context, r Snapshot, after []ledger.AttemptKey) error {
	records, err := recordsOf(ctx, r, ledger.ListOf(after, func(a ledger.AttemptKey) int64 { return a.PayoutID }))
	for i := 0; i < len(after) && err == nil; i++ {
		err = ledger.MayFollow(after[i], records[after[i].PayoutID])
	}
	return err
}

// insertAgain records a batch of further attempts and its event. The caller has checked mayFollow.
func (s *Tables) insertAgain(ctx context.Context, tx Writer, b newBatch) error {
	if err := tx.QueryRow(ctx, `SELECT max(no) + 1 FROM batches`).Scan(&b.no); err != nil {
		return err
	}
	if err := plannedBatches.insert(ctx, tx, &b, ""); err != nil {
		return fmt.Errorf("batch %s: %w", b.ID, err)
	}
	if err := s.appendEvent(ctx, tx, b.Event()); err != nil {
		return err
	}
	if err := markPlanned(ctx, tx, b.BankAccountID, b.CreatedAt); err != nil {
		return err
	}
	for i, after := range b.After {
		if err := nextAttempt(ctx, tx, after, b.Refs[i], b.no); err != nil {
			return fmt.Errorf("payout %d: %w", after.PayoutID, err)
		}
	}
	return nil
}
