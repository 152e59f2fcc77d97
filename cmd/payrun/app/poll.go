package app

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"sync"
	"time"

	"payrun/ledger"
)

// PollRequest names the batches whose status is asked for.
type PollRequest struct {
	Batches []string      // empty: every open one
	Wait    time.Duration // keeps asking until all are final or this time has passed
}

// Pollable returns the batches whose state a status read can change. With all, it returns every
// batch that the bank may know.
func (a *App) Pollable(ctx context.Context, call Call, all bool) ([]string, error) {
	states := ledger.Where(ledger.BatchStates[:], func(s ledger.BatchState) bool { return s.Open() || all && s != ledger.BatchPlanned })
	return reading(ctx, a, call, func(o *operation) ([]string, error) {
		found, err := o.store.BatchesIn(ctx, states...)
		return ids(found), err
	})
}

// Poll asks the bank for the status of the batches.
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
		if work != nil && everywhere {
			left, err := o.leftOutLately(ctx)
			work.Next, waits = append(work.Next, left...), errors.Join(waits, err)
		}
		return errors.Join(waits, notRead(results))
	})
	return work, err
}

func (o *operation) poll(ctx context.Context, named []string, wait time.Duration) ([]Result, error) {
	asking := o.call.progress().Begin("asking the bank", "")
	defer asking.End()
	o.engine.Pausing = func(ctx context.Context, next time.Duration) {
		if tallies, err := o.store.Tallies(ctx, named...); err == nil { // only a waiting person sees it; it reads no single payouts
			asking.Waits(howFar(tallies), next)
		}
	}
	defer func() { o.engine.Pausing = nil }()
	return o.engine.Poll(ctx, named, wait)
}

// howFar says how many payouts are final, and how much was paid.
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

// Hints are the batch ids that webhooks named and that payrun has not looked up since. The interface shows
// neither the form of a webhook nor a signature, so anyone may send one: payrun believes, shows and records
// nothing but the id of a batch that is in the ledger.
type Hints struct {
	app  *App
	call Call

	mu    sync.Mutex
	named map[string]bool
	news  chan struct{} // something was named
}

// Limits on hints.
const (
	hintsWaiting = 1000            // more are dropped: a poll of all batches finds them anyway
	betweenPolls = 2 * time.Second // the shortest time between two uses of ledger and bank
	lockedFor    = 5 * time.Second // how long one poll waits for another run; then it tries again
)

// hintedID is the form of our batch ids (ledger.BatchID).
var hintedID = regexp.MustCompile(`pr[a-z2-7]{26}`)

// Hints starts to accept hints. It fails at once if the ledger cannot be used.
func (a *App) Hints(ctx context.Context, call Call) (*Hints, error) {
	h := &Hints{app: a, call: call, named: map[string]bool{}, news: make(chan struct{}, 1)}
	return h, a.read(ctx, call, func(*operation) error { return nil })
}

// Take finds what looks like batch ids in a text of any shape.
func (h *Hints) Take(text []byte) {
	for _, id := range hintedID.FindAll(text, hintsWaiting) {
		h.add(string(id))
	}
}

// add often gets the same id: a webhook is about one payout.
func (h *Hints) add(id string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.named) < hintsWaiting {
		h.named[id] = true
	}
	select {
	case h.news <- struct{}{}:
	default: // the signal is set already
	}
}

// Poll asks the bank about the named batches until ctx ends, and calls report with each result. It uses
// the ledger only while it asks. While another run uses the ledger, a hint waits.
func (h *Hints) Poll(ctx context.Context, report func(*Work, error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.news:
		}
		h.mu.Lock()
		ids := h.named
		h.named = map[string]bool{}
		h.mu.Unlock()
		work, err := h.poll(ctx, ids)
		switch {
		case errors.Is(err, ledger.ErrLocked):
			for id := range ids {
				h.add(id)
			}
		case err != nil || work != nil:
			report(work, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(betweenPolls):
		}
	}
}

// poll removes ids that are no batches of the ledger, and asks the bank about the rest; nil if none is left.
func (h *Hints) poll(ctx context.Context, ids map[string]bool) (*Work, error) {
	call := h.call
	call.LockWait = max(call.LockWait, lockedFor)
	err := h.app.read(ctx, call, func(o *operation) error {
		for id := range ids {
			_, err := o.store.Batch(ctx, id)
			switch {
			case errors.Is(err, ledger.ErrNotFound):
				delete(ids, id)
			case err != nil:
				return err
			}
		}
		return nil
	})
	if err != nil || len(ids) == 0 {
		return nil, err
	}
	return h.app.Poll(ctx, call, PollRequest{Batches: slices.Sorted(maps.Keys(ids))})
}
