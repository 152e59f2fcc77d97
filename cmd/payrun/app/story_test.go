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
		story, err := o.batchStory(t.Context(), m.batches[0].ID)
		if err != nil || story.Asks.Kind == ledger.PayoutContradicted {
			t.Errorf("asks for %q, %v", story.Asks.Kind, err)
		}
	})
}

// twiceTried is a ledger in which the second attempt of its one payout failed, and two people closed the
// first one as paid.
type twiceTried struct{ store }

var secondTry = ledger.Attempt{Payout: ledger.Payout{ID: 1, SheetID: "sh1", Ref: "INV-1"}, Number: 2, WireRef: "INV-1-R2", State: ledger.PayoutFailed}

func (twiceTried) EachPayout(_ context.Context, _ ledger.Filter, fn func(ledger.Attempt) error) error {
	return fn(secondTry)
}

func (twiceTried) Records(context.Context, []int64) (map[int64][]ledger.AttemptRecord, error) {
	first := secondTry
	first.Number, first.WireRef, first.State, first.Resolved = 1, "INV-1", ledger.PayoutSuccess, ledger.ResolutionPaid
	return map[int64][]ledger.AttemptRecord{1: {{Attempt: first}, {Attempt: secondTry}}}, nil
}

// What is named is not said to be perhaps paid where an earlier attempt surely is.
func TestAPayoutWhoseEarlierAttemptIsPaidIsNotRetried(t *testing.T) {
	o := operation{store: twiceTried{}}
	_, not, err := o.notRetryable(t.Context(), "sh1", "INV-1")
	if err != nil || not == nil || not.Error() != "the payout INV-1 cannot be retried: it is paid; nothing was planned" {
		t.Errorf("%v, %v", not, err)
	}
}
