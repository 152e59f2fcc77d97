package reports

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"payrun/ledger"
	"payrun/reports/xlsx"
)

// Snapshot is what one set of reports is about: the ledger up to one event, and
// the sheets and batches of it that were asked for.
type Snapshot struct {
	Options
	ledger  Ledger
	head    ledger.AuditHead
	loaded  []ledger.Sheet // all, as recorded
	sheets  []ledger.Sheet // those asked for, fit to be shown
	batches []ledger.Batch // the same

	sheetNames map[string]string
	batchAt    map[string]int // position in batches
}

// instant is a time as the files say it; all of it is empty where the time is not set.
type instant struct {
	instant, local string // for programs, and in the reader's zone as spreadsheet programs take it for one
	moment         xlsx.Cell
}

// instantOf words a time.
func (s *Snapshot) instantOf(t time.Time) instant {
	if t.IsZero() {
		return instant{}
	}
	local := t.In(s.Zone).Format(time.DateTime)
	return instant{ledger.Instant(t), local, s.moment(t)}
}

func takeSnapshot(ctx context.Context, l Ledger, o Options) (*Snapshot, error) {
	s := &Snapshot{Options: o, ledger: l, sheetNames: map[string]string{}}
	var err error
	if s.head, err = l.AuditHead(ctx); err != nil {
		return nil, fmt.Errorf("audit head: %w", err)
	}
	if s.loaded, err = l.Sheets(ctx); err != nil {
		return nil, fmt.Errorf("sheets: %w", err)
	}
	for _, id := range o.SheetIDs {
		if !slices.ContainsFunc(s.loaded, func(h ledger.Sheet) bool { return h.ID == id }) {
			return nil, fmt.Errorf("sheet %q: %w", Clean(id), ledger.ErrNotFound)
		}
	}
	s.sheets = slices.DeleteFunc(slices.Clone(s.loaded), func(h ledger.Sheet) bool { return !s.Has(h) })
	for _, f := range s.filters() {
		batches, err := l.Batches(ctx, f)
		if err != nil {
			return nil, fmt.Errorf("batches: %w", err)
		}
		s.batches = append(s.batches, batches...)
	}
	for i := range s.sheets {
		cleanSheet(&s.sheets[i])
		s.sheetNames[s.sheets[i].ID] = s.sheets[i].Name
	}
	s.batchAt = make(map[string]int, len(s.batches))
	for i := range s.batches {
		cleanBatch(&s.batches[i])
		s.batchAt[s.batches[i].ID] = i
	}
	return s, nil
}

// At is the time of the ledger's last event, which every file of the set bears.
func (s *Snapshot) At() time.Time { return s.head.At }

// Loaded returns every sheet of the ledger in the order of loading, as recorded.
func (s *Snapshot) Loaded() []ledger.Sheet { return s.loaded }

// Result is what became of a payout, as every report says it.
type Result struct {
	ledger.Attempt            // the latest, fit to be shown; the account in full
	Style          xlsx.Style // of the state
	Reason, Fix    string     // "" when it is paid
}

// EachElsewhere calls fn for every row of a sheet that belongs to a payout of another, as Results
// gives those of the sheet.
func (s *Snapshot) EachElsewhere(ctx context.Context, sheet ledger.Sheet, fn func(row int, r Result) error) error {
	return s.ledger.Elsewhere(ctx, sheet.ID, func(row int, a ledger.Attempt) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := s.batch(a.BatchID)
		if b.ID == "" { // of a sheet that was not asked for
			found, err := s.ledger.Batches(ctx, ledger.Filter{BatchID: a.BatchID})
			if err != nil || len(found) != 1 {
				return err
			}
			b = found[0]
			cleanBatch(&b)
		}
		cleanAttempt(&a)
		return fn(row, s.result(a, b))
	})
}

// result is what became of a payout whose latest attempt is a.
func (s *Snapshot) result(a ledger.Attempt, b ledger.Batch) Result {
	r := Result{Attempt: a, Style: bucketOf(a, b).style()}
	if kind := kindOf(a, b); kind != ledger.NeedsNothing {
		r.Reason, r.Fix = reasonOf(kind, a, b), fixOf(kind, subject{a.BatchID, a.Ref})
	}
	return r
}

// Results gives every payout of a sheet in the order of its rows. After an error there is no more.
func (s *Snapshot) Results(ctx context.Context, sheet ledger.Sheet) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		enough := errors.New("no more is asked for")
		err := s.ledger.EachPayout(ctx, ledger.Filter{SheetID: sheet.ID}, func(a ledger.Attempt) error {
			cleanAttempt(&a)
			if !yield(s.result(a, s.batch(a.BatchID)), nil) {
				return enough
			}
			return nil
		})
		if err != nil && !errors.Is(err, enough) {
			yield(Result{}, err)
		}
	}
}

// filters select what the reports are about: everything at once, or sheet after sheet.
func (s *Snapshot) filters() []ledger.Filter {
	if s.Scope.IsAll() {
		return []ledger.Filter{{}}
	}
	var each []ledger.Filter
	for _, h := range s.sheets {
		each = append(each, ledger.Filter{SheetID: h.ID})
	}
	return each
}

// eachAttempt calls fn for every attempt, those of a payout one after another, and marks its latest.
func (s *Snapshot) eachAttempt(ctx context.Context, fn func(a ledger.Attempt, latest bool) error) error {
	for _, f := range s.filters() {
		f.Attempts = true
		var held ledger.Attempt
		have := false
		err := s.ledger.EachPayout(ctx, f, func(a ledger.Attempt) error {
			before, had := held, have
			held, have = a, true
			if !had {
				return nil
			}
			return fn(before, before.ID != a.ID)
		})
		if err == nil && have {
			err = fn(held, true)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// batch returns the batch of an attempt; the zero Batch when the ledger has none.
func (s *Snapshot) batch(id string) ledger.Batch {
	if i, ok := s.batchAt[id]; ok {
		return s.batches[i]
	}
	return ledger.Batch{}
}

// unmoved makes sure that the reports are of one state of the ledger: sheets,
// batches and payouts are read one after the other, and a poll may run meanwhile.
func (s *Snapshot) unmoved(ctx context.Context) error {
	head, err := s.ledger.AuditHead(ctx)
	if err != nil {
		return fmt.Errorf("audit head: %w", err)
	}
	if head.Length != s.head.Length || head.Hash != s.head.Hash {
		return fmt.Errorf("%w: event %d was the last when the reports began, now it is %d", ledger.ErrConflict, s.head.Length, head.Length)
	}
	return nil
}

// moment is a time as a date in the reader's zone.
func (s *Snapshot) moment(t time.Time) xlsx.Cell { return xlsx.Moment(t, s.Zone) }

// when is a time as people read it; "" when it is not set.
func (s *Snapshot) when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(s.Zone).Format("2 Jan 2006, 15:04 MST")
}
