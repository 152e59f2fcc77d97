package app

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"time"

	"payrun/ledger"
)

// Hints are the batches that somebody said have news, and that the bank was not
// asked about since. The interface shows neither the shape of a webhook nor a
// signature, so anybody may give one: nothing of it is believed, shown or recorded
// but the id of a batch that is in the ledger.
type Hints struct {
	app   *App
	call  Call
	named chan string // batches, some of them more than once
}

// Limits on hints.
const (
	idsInAHint   = 100             // looked up in the ledger
	idsWaiting   = 10_000          // in all
	betweenPolls = 2 * time.Second // so often the bank is asked at most
	lockedFor    = 5 * time.Second // another run is waited for at once; then again
)

// hintedID is the form of our batch ids (ledger.BatchID).
var hintedID = regexp.MustCompile(`pr[a-z2-7]{26}`)

// Hints begins to take hints. A ledger that cannot be used is told now.
func (a *App) Hints(ctx context.Context, call Call) (*Hints, error) {
	h := &Hints{a, call, make(chan string, idsWaiting)}
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
			if err == nil {
				err = h.add(b.ID)
			}
			if err != nil && !errors.Is(err, ledger.ErrNotFound) {
				return err
			}
		}
		return nil
	})
}

var errTooManyHints = errors.New("too many batches were named since the bank was asked last")

func (h *Hints) add(id string) error {
	select {
	case h.named <- id:
		return nil
	default:
		return errTooManyHints
	}
}

// take waits until something is named, and takes all of it; nil where ctx ends.
func (h *Hints) take(ctx context.Context) (ids []string) {
	select {
	case <-ctx.Done():
		return nil
	case id := <-h.named:
		ids = append(ids, id)
	}
	for len(h.named) > 0 { // nobody else takes
		ids = append(ids, <-h.named)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// Poll asks the bank about what was named, until ctx ends; told hears what came
// of it. The ledger is held only while the bank is asked: while another run has
// it, a hint waits.
func (h *Hints) Poll(ctx context.Context, told func(*Work, error)) {
	for {
		ids, call := h.take(ctx), h.call
		if len(ids) == 0 {
			return
		}
		call.LockWait = max(call.LockWait, lockedFor)
		work, err := h.app.Poll(ctx, call, PollRequest{Batches: ids})
		if errors.Is(err, ledger.ErrLocked) {
			for _, id := range ids {
				_ = h.add(id) // others are named more often than the bank could be asked
			}
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
