package sqlite

import (
	"context"
	"fmt"

	"payrun/ledger"
)

// PlannedBy returns who loaded the sheet of a batch, or planned its retry.
// Whoever happened to run when a batch was planned anew by itself did not plan
// it: it has the planner of the batch it replaces. ledger.ErrNotFound when
// there is no such batch.
func (s *Tables) PlannedBy(ctx context.Context, batchID string) (string, error) {
	var actor string
	err := s.db.QueryRow(ctx, `SELECT p.actor FROM planners p JOIN batches b ON b.no = p.batch_no WHERE b.id = ?`, batchID).Scan(&actor)
	return actor, damage("look who planned batch "+batchID, orNotFound(err))
}

// Approve records approvals of batches, and their events; all or none.
// ledger.ErrTransition when a batch is not planned, or the actor is who planned
// it; ledger.ErrStale when one is not as it was shown to them.
func (s *Tables) Approve(ctx context.Context, words ...ledger.Approving) error {
	return s.inTx(ctx, "record an approval", func(tx Writer) error {
		for _, a := range words {
			if err := s.approve(ctx, tx, a); err != nil {
				return fmt.Errorf("of batch %s: %w", a.BatchID, err)
			}
		}
		return nil
	})
}

func (s *Tables) approve(ctx context.Context, tx Writer, a ledger.Approving) error {
	b, err := batchByID(ctx, tx, a.BatchID)
	if err != nil {
		return err
	}
	told, err := tellOf(ctx, tx, b.ID)
	if err != nil {
		return err
	}
	if err := a.Shown.Held(b.ID, a.PayloadSHA256, &told); err != nil {
		return err
	}
	consent, err := consentTo(ctx, tx, b.ID)
	if err != nil {
		return err
	}
	if b.State != ledger.BatchPlanned {
		return fmt.Errorf("%w: it is %s", ledger.ErrTransition, b.State)
	}
	if err := consent.Another(a.Actor); err != nil {
		return fmt.Errorf("%w: %w", ledger.ErrTransition, err)
	}
	if err := approvals.insert(ctx, tx, &a.Approval, "batch_no, ", b.no); err != nil {
		return err
	}
	return s.appendEvent(ctx, tx, a.Event(b.Batch))
}

// Approvals returns the approvals of the filter's batches, oldest first.
func (s *Tables) Approvals(ctx context.Context, f ledger.Filter) ([]ledger.Approval, error) {
	list, err := approvalsOf(ctx, s.db, f)
	return list, damage("read the approvals", err)
}

// approvals are what people approved.
var approvals = table[ledger.Approval]{"approvals", "payload_sha256, actor, at", func(a *ledger.Approval) []any {
	return []any{&a.PayloadSHA256, &a.Actor, moment{&a.At}}
}}

func approvalsOf(ctx context.Context, r Reader, f ledger.Filter) ([]ledger.Approval, error) {
	where, args := batchFilter(f)
	return list(ctx, r, func(a *ledger.Approval) []any { return append([]any{&a.BatchID}, approvals.fields(a)...) },
		`SELECT b.id, `+approvals.columns+` FROM approvals a JOIN batches b ON b.no = a.batch_no JOIN sheets s ON s.no = b.sheet_no WHERE `+where+` ORDER BY a.no`, args...)
}
