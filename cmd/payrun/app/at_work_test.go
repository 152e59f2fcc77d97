package app

import (
	"context"
	"testing"

	"payrun/ledger"
)

// answered is a store in which the call about a batch ends after the list of batches was read.
type answered struct {
	store
	before, after ledger.Batch
}

func (s answered) Batches(context.Context, ledger.Filter) ([]ledger.Batch, error) {
	return []ledger.Batch{s.before}, nil
}
func (s answered) Calling(context.Context, string) (bool, error)       { return false, nil }
func (s answered) Batch(context.Context, string) (ledger.Batch, error) { return s.after, nil }

// A call that ended between the two looks is not in doubt: no one is to be called for it.
func TestACallThatEndsWhileOthersLookIsNotInDoubt(t *testing.T) {
	s := answered{before: ledger.Batch{ID: "b", State: ledger.BatchSubmitting}, after: ledger.Batch{ID: "b", State: ledger.BatchSubmitted}}
	list, err := atWork{store: s}.Batches(t.Context(), ledger.Filter{})
	if err != nil || len(list) != 1 || list[0].State != ledger.BatchSubmitted {
		t.Errorf("%+v, %v; want it as it is now", list, err)
	}
	s.after = s.before
	list, err = atWork{store: s}.Batches(t.Context(), ledger.Filter{})
	if err != nil || list[0].Asks() == ledger.BeingSent {
		t.Errorf("%+v, %v; want a call that is lost in doubt", list, err)
	}
}
