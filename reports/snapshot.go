package reports

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/reports/xlsx"
)

// Snapshot is what one set of reports is about: the ledger up to one event, with the selected sheets and
// batches.
type Snapshot struct {
	Options
	ledger  Ledger
	feed    *feed // of Results; nil without Options.Results
	head    ledger.AuditHead
	loaded  []ledger.Sheet // all, as recorded
	sheets  []ledger.Sheet // the selected ones, ready to be shown
	batches []ledger.Batch // of these sheets

	sheetNames map[string]string
	batchAt    map[string]int // position in batches
}

// instant is a time in the forms of the files. All are empty if the time is not set.
type instant struct {
	instant, local string // for programs, and in the reader's zone in a form that spreadsheet programs recognise
	moment         xlsx.Cell
}

// instantOf returns a time in these forms.
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
	s.sheets = ledger.Where(s.loaded, s.Has)
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

// At returns the time of the ledger's last event, which every file of the set shows.
func (s *Snapshot) At() time.Time { return s.head.At }

// Loaded returns every sheet of the ledger in the order of loading, as recorded.
func (s *Snapshot) Loaded() []ledger.Sheet { return s.loaded }

// Result is the result of a payout, as every report shows it.
type Result struct {
	ledger.Attempt            // the latest, ready to be shown, without its account number
	Style          xlsx.Style // of the state
	Reason, Fix    string     // "" if it is paid
	Sends          string     // of a later attempt: what it sends to whom, which may differ from the person's row
	kind           ledger.Attention
}

// EachElsewhere calls fn for every row of a sheet that belongs to a payout of another sheet, with a Result as
// Results returns it.
func (s *Snapshot) EachElsewhere(ctx context.Context, sheet ledger.Sheet, fn func(row int, r Result) error) error {
	return s.ledger.Elsewhere(ctx, sheet.ID, func(row int, a ledger.Attempt) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		b := s.batch(a.BatchID)
		if b.ID == "" { // of a sheet that is not selected
			found, err := s.ledger.Batches(ctx, ledger.Filter{BatchID: a.BatchID})
			if err != nil || len(found) != 1 {
				return err
			}
			b = &found[0]
			cleanBatch(b)
		}
		cleanAttempt(&a)
		return fn(row, s.result(&a, b))
	})
}

// result returns the Result of a payout whose latest attempt is a.
func (s *Snapshot) result(a *ledger.Attempt, b *ledger.Batch) Result {
	r := Result{Attempt: *a, Style: bucketOf(a.State, b.State).style(), kind: kindOf(a, b)}
	r.BankAccountNumber = ""
	if a.Number > 1 {
		r.Sends = fmt.Sprintf("attempt %d sends %s to %s", a.Number, a.Amount.Rupees(), cmp.Or(strings.TrimSpace(ledger.Mask(a.BankAccountNumber)+" "+a.IFSC), a.OpenBeneficiaryID))
	}
	if r.kind != ledger.NeedsNothing {
		r.Reason, r.Fix = reasonOf(r.kind, a.Reason, b), fixOf(r.kind, subject{a.BatchID, a.Ref}, everyStep)
	}
	return r
}

// Results returns every payout of a sheet in row order, from the one reading that the other files are written
// from. It is called once for each selected sheet, in the order of Loaded. It ends after an error.
func (s *Snapshot) Results(sheet ledger.Sheet) iter.Seq2[Result, error] {
	return s.feed.of(sheet.ID)
}

// ResultsAgain returns what Results returned, from a reading of its own.
func (s *Snapshot) ResultsAgain(ctx context.Context, sheet ledger.Sheet) iter.Seq2[Result, error] {
	return sequence(func(give func(Result) error) error {
		return s.ledger.EachPayout(ctx, ledger.Filter{SheetID: sheet.ID}, func(a ledger.Attempt) error {
			cleanAttempt(&a)
			return give(s.result(&a, s.batch(a.BatchID)))
		})
	})
}

// filters selects the attempts to read: everything at once, or one sheet after another.
func (s *Snapshot) filters() []ledger.Filter {
	if s.Scope.IsAll() {
		return []ledger.Filter{{}}
	}
	return ledger.ListOf(s.sheets, func(h ledger.Sheet) ledger.Filter { return ledger.Filter{SheetID: h.ID} })
}

// eachAttempt calls fn for every attempt, with all attempts of a payout in sequence, and marks the latest.
func (s *Snapshot) eachAttempt(ctx context.Context, fn func(a ledger.Attempt, latest bool) error) error {
	for _, f := range s.filters() {
		f.Attempts = true
		var held []ledger.Attempt // of one payout
		give := func() error {
			latest := ledger.Latest(held)
			for i, a := range held {
				if err := fn(a, i == latest); err != nil {
					return err
				}
			}
			held = held[:0]
			return nil
		}
		err := s.ledger.EachPayout(ctx, f, func(a ledger.Attempt) (err error) {
			if len(held) > 0 && held[0].ID != a.ID {
				err = give()
			}
			held = append(held, a)
			return err
		})
		if err == nil {
			err = give()
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// batch returns the batch of an attempt; the zero Batch if the ledger has none.
func (s *Snapshot) batch(id string) *ledger.Batch {
	if i, ok := s.batchAt[id]; ok {
		return &s.batches[i]
	}
	return &ledger.Batch{}
}

// unmoved returns ledger.ErrConflict unless the ledger is unchanged. Sheets, batches and payouts are read one
// after another, and a poll may run in between.
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

// moment returns a time as a date in the reader's zone.
func (s *Snapshot) moment(t time.Time) xlsx.Cell { return xlsx.Moment(t, s.Zone) }

// when returns a time for people; "" if it is not set.
func (s *Snapshot) when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.In(s.Zone).Format("2 Jan 2006, 15:04 MST")
}

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
