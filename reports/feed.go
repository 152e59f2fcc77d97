package reports

import (
	"cmp"
	"context"
	"fmt"
	"iter"

	"payrun/ledger"
)

// feed hands the result of each payout from the one reading (gather.go) to the result sheets, which are written
// at the same time. A nil feed takes nothing.
type feed struct {
	chunks  chan []Result // closed after the last
	filling []Result
	left    []Result // of the chunk that is being read
}

const resultsPerChunk = 256

// give adds the result of the next payout. The receiver may be some chunks behind.
func (f *feed) give(ctx context.Context, r Result) error {
	if f == nil {
		return nil
	}
	if f.filling == nil {
		f.filling = make([]Result, 0, resultsPerChunk)
	}
	if f.filling = append(f.filling, r); len(f.filling) < resultsPerChunk {
		return nil
	}
	return f.send(ctx)
}

func (f *feed) send(ctx context.Context) error {
	select {
	case f.chunks <- f.filling:
		f.filling = nil
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// close ends the feed.
func (f *feed) close(ctx context.Context) error {
	if f == nil {
		return nil
	}
	defer close(f.chunks)
	return f.send(ctx)
}

// of returns the results of the sheet that comes next. Also if its caller stops early, the next call begins
// behind them.
func (f *feed) of(ctx context.Context, sheetID string) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for more := true; ; f.left = f.left[1:] {
			known, err := f.receive(ctx)
			if err != nil && more {
				yield(Result{}, err)
			}
			if !known || f.left[0].SheetID != sheetID {
				return
			}
			more = more && yield(f.left[0], nil)
		}
	}
}

// receive reports whether there is a result that was not read, once it knows.
func (f *feed) receive(ctx context.Context) (bool, error) {
	for open := true; open && len(f.left) == 0; {
		select {
		case f.left, open = <-f.chunks:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return len(f.left) > 0, nil
}

// ended reads the feed to its end. It returns an error if a payout is of none of the sheets that were read.
func (f *feed) ended(ctx context.Context) (err error) {
	for {
		known, failed := f.receive(ctx)
		if !known {
			return cmp.Or(err, failed)
		}
		err = fmt.Errorf("%w: payout %s is not with its sheet %s", ledger.ErrLedgerDamaged, f.left[0].Ref, f.left[0].SheetID)
		f.left = nil
	}
}
