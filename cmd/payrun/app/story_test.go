package app

import (
	"context"
	"testing"

	"payrun/ledger"
)

// closed is a ledger in which two people closed the first payout of a batch as paid, on the
// bank's written confirmation alone: it stays disputed.
type closed struct{ store }

func (c closed) Attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error) {
	list, err := c.store.Attempts(ctx, batchID)
	list[0].State, list[0].Resolved = ledger.PayoutDisputed, ledger.ResolutionPaid
	return list, err
}

// What two people closed asks for nothing, in the story of its batch either.
func TestABatchOfAClosedPayoutAsksForNothing(t *testing.T) {
	aBatch(t, func(m *month, _ []ledger.Attempt) {
		o := *m.operation
		o.store = closed{m.store}
		told, err := o.batchStory(t.Context(), m.batches[0].ID)
		if err != nil || told.Asks.Kind == ledger.PayoutContradicted {
			t.Errorf("asks for %q, %v", told.Asks.Kind, err)
		}
	})
}
