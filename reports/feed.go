package reports

import (
	"errors"
	"fmt"
	"iter"

	"payrun/ledger"
)

// feed hands the result of each payout from the one reading (gather.go) to the result sheets: each asks for the
// next, and the reading goes on until it has one.
type feed struct {
	next func() (Result, error, bool)
	held Result // asked for, and not used yet
	err  error
	more bool // there is one
}

// peek asks for the next result, unless one is held.
func (f *feed) peek() bool {
	if !f.more {
		f.held, f.err, f.more = f.next()
	}
	return f.more
}

// of returns the results of the sheet that comes next. Also if its caller stops early, the next call begins
// behind them.
func (f *feed) of(sheetID string) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		for more := true; f.peek() && (f.err != nil || f.held.SheetID == sheetID); f.more = false {
			more = more && yield(f.held, f.err)
		}
	}
}

// ended reads the feed to its end. It returns an error if a payout is of none of the sheets that were read.
func (f *feed) ended() (err error) {
	for ; f.peek(); f.more = false {
		if err = f.err; err == nil {
			err = fmt.Errorf("%w: payout %s is not with its sheet %s", ledger.ErrLedgerDamaged, f.held.Ref, f.held.SheetID)
		}
	}
	return err
}

// sequence gives what read gives, and its error.
func sequence(read func(give func(Result) error) error) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		enough := errors.New("no more is asked for")
		err := read(func(r Result) error {
			if !yield(r, nil) {
				return enough
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			yield(Result{}, err)
		}
	}
}
