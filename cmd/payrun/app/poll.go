package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
)

// PollRequest names whose status is asked for.
type PollRequest struct {
	Batches []string      // none: every open one
	Wait    time.Duration // goes on asking until all are final or this has passed
}

// Known lists the batches that a status read can move on; all: every one that the
// bank may know.
func (a *App) Known(ctx context.Context, call Call, all bool) ([]string, error) {
	states := slices.DeleteFunc(slices.Clone(ledger.BatchStates[:]), func(s ledger.BatchState) bool { return !s.Open() && (!all || s == ledger.BatchPlanned) })
	return look(ctx, a, call, func(o *operation) ([]string, error) {
		found, err := o.store.BatchesIn(ctx, states...)
		return ids(found), err
	})
}

// Poll asks the bank how the batches stand.
func (a *App) Poll(ctx context.Context, call Call, req PollRequest) (work *Work, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		if req.Batches, err = o.batchIDs(ctx, req.Batches); err != nil {
			return err
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		results, engine := o.poll(ctx, req.Batches, req.Wait)
		everywhere := len(req.Batches) == 0
		var waits error
		work, waits = o.done(ctx, results, scope{named: req.Batches, everywhere: everywhere, past: everywhere}, engine)
		return errors.Join(waits, notRead(results))
	})
	return work, err
}

func (o *operation) poll(ctx context.Context, named []string, wait time.Duration) ([]Result, error) {
	asking := o.call.progress().Begin("asking the bank", "")
	defer asking.End()
	o.pausing = func(ctx context.Context, next time.Duration) {
		everywhere := len(named) == 0
		tallies, err := o.tallies(ctx, scope{named: named, everywhere: everywhere, past: everywhere})
		if err == nil { // only a person who waits sees it
			asking.Waits(howFar(tallies), next)
		}
	}
	defer func() { o.pausing = nil }()
	return o.engine.Poll(ctx, named, wait)
}

// howFar words how many payouts are final, and how much of it was paid.
func howFar(tallies map[ledger.PayoutState]ledger.Tally) string {
	final, all := 0, 0
	for state, t := range tallies {
		all += t.Count
		if state.Final() {
			final += t.Count
		}
	}
	words := fmt.Sprintf("%s/%s final · %s paid", ledger.Grouped(final), ledger.Grouped(all), tallies[ledger.PayoutSuccess].Total.Rupees())
	for _, state := range []ledger.PayoutState{ledger.PayoutFailed, ledger.PayoutReturned, ledger.PayoutDisputed} {
		if n := tallies[state].Count; n > 0 {
			words += fmt.Sprintf(" · %s %s", ledger.Grouped(n), state)
		}
	}
	return words
}
