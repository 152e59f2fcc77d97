package app

import (
	"context"
	"errors"

	"payrun/ledger"
)

// ErrEnough is what the function given to a listing returns to end it.
var ErrEnough = errors.New("enough")

func enough(err error) error {
	if errors.Is(err, ErrEnough) {
		return nil
	}
	return err
}

// Status is how everything stands.
type Status struct {
	Batches []ledger.Batch
	Payouts map[ledger.PayoutState]ledger.Tally
	Next    []Hint // empty when nothing is left to do
}

// HeldAndOpen counts the batches that are held, and those that a status read can move on.
func (s Status) HeldAndOpen() (held, open int) {
	for _, b := range s.Batches {
		if b.State == ledger.BatchHeld {
			held++
		}
		if b.State.Open() {
			open++
		}
	}
	return held, open
}

// Status shows the batches, and the payouts by state.
func (a *App) Status(ctx context.Context, call Call) (s Status, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		if s.Batches, err = o.store.Batches(ctx, ledger.Filter{}); err != nil {
			return err
		}
		s.Next = o.nextOf(s.Batches)
		s.Payouts, err = o.store.Tallies(ctx)
		return err
	})
	return s, err
}

// Sheets lists the loaded sheets, in the order of loading.
func (a *App) Sheets(ctx context.Context, call Call) (all []ledger.Sheet, err error) {
	err = a.read(ctx, call, func(o *operation) error {
		all, err = o.store.Sheets(ctx)
		return err
	})
	return all, err
}

// Payouts calls each for every payout of the filter with its latest attempt, or
// for every attempt, in the order of loading.
func (a *App) Payouts(ctx context.Context, call Call, f ledger.Filter, each func(ledger.Attempt) error) error {
	return a.read(ctx, call, func(o *operation) error { return enough(o.store.EachPayout(ctx, f, each)) })
}

// Log calls each for every event of the audit trail, oldest first.
func (a *App) Log(ctx context.Context, call Call, each func(ledger.Event) error) error {
	return a.read(ctx, call, func(o *operation) error { return enough(o.store.Events(ctx, each)) })
}
