package app

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"sync"
	"time"

	"payrun/ledger"
)

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
	for id := range h.named {
		ids = append(ids, id)
	}
	clear(h.named)
	slices.Sort(ids)
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
