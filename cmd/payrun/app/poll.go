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

// PollRequest names whose status is asked for.
type PollRequest struct {
	Batches []string      // none: every open one
	Wait    time.Duration // goes on asking until all are final or this has passed
}

// Pollable lists the batches that a status read can move on; all: every one that the
// bank may know.
func (a *App) Pollable(ctx context.Context, call Call, all bool) ([]string, error) {
	states := slices.DeleteFunc(slices.Clone(ledger.BatchStates[:]), func(s ledger.BatchState) bool { return !s.Open() && (!all || s == ledger.BatchPlanned) })
	return reading(ctx, a, call, func(o *operation) ([]string, error) {
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
	o.engine.Pausing = func(ctx context.Context, next time.Duration) {
		if tallies, err := o.talliesOf(ctx, named); err == nil { // only a person who waits sees it
			asking.Waits(howFar(tallies), next)
		}
	}
	defer func() { o.engine.Pausing = nil }()
	return o.engine.Poll(ctx, named, wait)
}

// talliesOf counts the payouts of some batches by state; of all for none. It is asked at every pause of a
// poll: it reads no payout by itself.
func (o *operation) talliesOf(ctx context.Context, named []string) (map[ledger.PayoutState]ledger.Tally, error) {
	if len(named) == 0 {
		return o.store.Tallies(ctx)
	}
	return o.store.TalliesOf(ctx, named)
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

// Hints are the batches that a webhook named and that the bank was not polled about since. The
// interface shows neither the form of a webhook nor a signature, so anyone may send one: payrun
// believes, shows and records nothing of it but the id of a batch that is in the ledger.
type Hints struct {
	app  *App
	call Call

	mu    sync.Mutex
	named map[string]bool
	news  chan struct{} // something was named
}

// Limits on hints.
const (
	idsInAHint   = 100             // looked up in the ledger
	betweenPolls = 2 * time.Second // so often the bank is asked at most
	lockedFor    = 5 * time.Second // another run is waited for at once; then again
)

// hintedID is the form of our batch ids (ledger.BatchID).
var hintedID = regexp.MustCompile(`pr[a-z2-7]{26}`)

// Hints begins to take hints. It fails now if the ledger cannot be used.
func (a *App) Hints(ctx context.Context, call Call) (*Hints, error) {
	h := &Hints{app: a, call: call, named: map[string]bool{}, news: make(chan struct{}, 1)}
	return h, a.read(ctx, call, func(*operation) error { return nil })
}

// Take looks in a text of any shape for batches of the ledger.
func (h *Hints) Take(ctx context.Context, text []byte) error {
	var ids []string
	for _, id := range hintedID.FindAll(text, idsInAHint) {
		ids = append(ids, string(id))
	}
	if len(ids) == 0 {
		return nil
	}
	slices.Sort(ids)
	return h.app.read(ctx, h.call, func(o *operation) error {
		for _, id := range slices.Compact(ids) {
			b, err := o.store.Batch(ctx, id)
			switch {
			case errors.Is(err, ledger.ErrNotFound):
			case err != nil:
				return err
			default:
				h.add(b.ID)
			}
		}
		return nil
	})
}

func (h *Hints) add(ids ...string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		h.named[id] = true
	}
	select {
	case h.news <- struct{}{}:
	default: // it is known already that there is something
	}
}

// take empties the list.
func (h *Hints) take() (ids []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	ids = slices.Sorted(maps.Keys(h.named))
	clear(h.named)
	return ids
}

// Poll asks the bank about what was named, until ctx ends, and calls told with each result. It uses
// the ledger only while it asks: while another run uses it, a hint waits.
func (h *Hints) Poll(ctx context.Context, told func(*Work, error)) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-h.news:
		}
		ids, call := h.take(), h.call
		if len(ids) == 0 {
			continue
		}
		call.LockWait = max(call.LockWait, lockedFor)
		work, err := h.app.Poll(ctx, call, PollRequest{Batches: ids})
		if errors.Is(err, ledger.ErrLocked) {
			h.add(ids...)
		} else {
			told(work, err)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(betweenPolls):
		}
	}
}
