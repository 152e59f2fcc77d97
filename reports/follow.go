package reports

import (
	"context"
	"fmt"

	"payrun/ledger"
)

// following hands the payouts that the reports read to the writers of people's own sheets, so that the
// ledger is read once for both.
type following struct {
	order  map[string]int // of the sheets, from 1, as their payouts come
	chunks chan []ledger.Attempt
	whole  bool          // all payouts came; looked at when chunks is closed
	left   chan struct{} // closed when there is no follower left

	at string // the sheet whose payouts are read

	// Of the one who follows.
	rest []ledger.Attempt // of the chunk at hand
	last int              // the sheet whose payouts were asked for last
}

// chunksBehind is how far who follows may stay behind. They rest between one sheet and
// the next, and need not hold up the others at once.
const chunksBehind = 16

func newFollowing(sheets []ledger.Sheet) *following {
	f := &following{order: map[string]int{}, chunks: make(chan []ledger.Attempt, chunksBehind), left: make(chan struct{})}
	for i, h := range sheets {
		f.order[h.ID] = i + 1
	}
	return f
}

// give is for the reader. No one changes a chunk. It returns ledger.ErrLedgerDamaged if the payouts of
// a sheet are not together: they would be missing from the sheet's result.
func (f *following) give(ctx context.Context, chunk []ledger.Attempt) error {
	if f == nil {
		return nil
	}
	for i := range chunk {
		id := chunk[i].SheetID
		if id == f.at {
			continue
		}
		at, known := f.order[id]
		if known && at < f.order[f.at] {
			return fmt.Errorf("%w: the payouts of sheet %s do not lie together", ledger.ErrLedgerDamaged, Clean(id))
		}
		if known {
			f.at = id
		}
	}
	select {
	case f.chunks <- chunk:
	case <-f.left:
	case <-ctx.Done():
		return ctx.Err()
	}
	return nil
}

// end reports that no chunk follows, because everything was read or the reading failed.
func (f *following) end(whole bool) {
	if f != nil {
		f.whole = whole
		close(f.chunks)
	}
}

// leave lets the others go on alone.
func (f *following) leave() { close(f.left) }

// leadsTo reports whether the payouts of that sheet are still to come.
func (f *following) leadsTo(sheet string) bool { return f != nil && f.order[sheet] > f.last }

// payouts calls fn for the latest attempt of every payout of a sheet that is still to come. It skips
// payouts of other sheets before it.
func (f *following) payouts(ctx context.Context, sheet string, fn func(ledger.Attempt) error) error {
	f.last = f.order[sheet]
	var held ledger.Attempt
	have := false
	for {
		a, err := f.next(ctx)
		if err != nil {
			return err
		}
		if a != nil && f.order[a.SheetID] < f.last {
			f.rest = f.rest[1:]
			continue
		}
		ended := a == nil || f.order[a.SheetID] > f.last
		if have && (ended || a.ID != held.ID) {
			if err := fn(held); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		held, have, f.rest = *a, true, f.rest[1:]
	}
}

// next is the next attempt, nil when all came. It stays the next until it is taken off
// the rest.
func (f *following) next(ctx context.Context) (*ledger.Attempt, error) {
	for len(f.rest) == 0 {
		select {
		case chunk, more := <-f.chunks:
			if !more && f.whole {
				return nil, nil
			}
			if !more { // the reader returns the error and the others are stopped
				<-ctx.Done()
				return nil, ctx.Err()
			}
			f.rest = chunk
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return &f.rest[0], nil
}
