package submitter

import (
	"context"
	"fmt"

	"payrun/ledger"
)

// SeenBooked records that the bank's statement shows the debit of a payout of a
// batch that was set aside: the submit arrived after all. The batch is submitted
// again, its payouts are disputed, and their retries are held back (safety.md,
// "Setting aside", 6). Of a batch in another state nothing is changed.
func (e *Engine) SeenBooked(ctx context.Context, batchID string) (Result, error) {
	b, err := e.store.Batch(ctx, batchID)
	if err != nil {
		return Result{}, fmt.Errorf("batch %s: %w", batchID, err)
	}
	if b.State != ledger.BatchSetAside {
		return Result{Batch: b, Outcome: OutcomeUnchanged}, nil
	}
	step := ledger.Step{BatchID: b.ID, From: b.State, Event: ledger.SeenMoving, At: e.set.Now(), Note: "the bank's statement shows its debit, and it was set aside"}
	return e.concluded(ctx, step, OutcomeSubmitted, step.Note)
}
