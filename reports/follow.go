package reports

import (
	"context"
	"fmt"

	"payrun/ledger"
)

// following hands the payouts that the reports read to the writers of people's own sheets, so that the
// ledger is read once for both.
type following struct {
	chunks chan []ledger.Attempt // closed when all payouts came
	rest   []ledger.Attempt      // of the chunk at hand
}

// chunksBehind is how far who follows may stay behind. They rest between one sheet and
// the next, and need not hold up the others at once.
const chunksBehind = 16

// payouts calls fn for the latest attempt of every payout of a sheet, where those of the sheet come next.
func (f *following) payouts(ctx context.Context, sheet string, fn func(ledger.Attempt) error) error {
	var held *ledger.Attempt
	for {
		a, err := f.next(ctx)
		if err != nil {
			return err
		}
		ended := a == nil || a.SheetID != sheet
		if held != nil && (ended || a.ID != held.ID) {
			if err := fn(*held); err != nil {
				return err
			}
		}
		if ended {
			return nil
		}
		held, f.rest = a, f.rest[1:]
	}
}

// next is the next attempt, nil when all came. It stays the next until it is taken off
// the rest.
func (f *following) next(ctx context.Context) (*ledger.Attempt, error) {
	for len(f.rest) == 0 {
		select {
		case chunk, more := <-f.chunks:
			if !more {
				return nil, nil
			}
			f.rest = chunk
		case <-ctx.Done(): // also where the reader failed
			return nil, ctx.Err()
		}
	}
	return &f.rest[0], nil
}

// ended returns ledger.ErrLedgerDamaged if a payout follows that belongs to none of the sheets behind
// those that were asked for: it would be missing from its sheet's result.
func (f *following) ended(ctx context.Context) error {
	a, err := f.next(ctx)
	if err == nil && a != nil {
		err = fmt.Errorf("%w: the payouts of sheet %s do not lie together", ledger.ErrLedgerDamaged, Clean(a.SheetID))
	}
	return err
}
