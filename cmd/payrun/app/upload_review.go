package app

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/validate"
)

// UploadReview is a waiting sheet as a person sees it before they load it.
type UploadReview struct {
	Sheet
	Upload Upload
	Plan   string // what binds a load: a digest of everything found and planned
	Kinds  []Kind // of the findings, errors first
	Toward []Seen // the warnings; each has to be ticked
	Grid   Grid
	Since  []SinceLast // what would be loaded, compared with the earlier sheet; none if nothing would be
}

// Kind counts the findings of one kind.
type Kind struct {
	Code, Title string
	Severity    ledger.Severity
	Count       int
}

// Seen is a warning that a person ticks as seen: one warning or, if there are too many, all of one kind.
type Seen struct {
	Key   string
	Title string
	Count int            // how many of the kind; 0 for a single one
	One   ledger.Finding // the first of them
}

// tickedEach is the most warnings of a kind that are ticked one by one.
const tickedEach = 20

// Why a waiting sheet is not loaded.
var (
	ErrStale   = notLoaded(Mismatch, "the sheet is not as it was shown: the sheet, how it is read, or the ledger has changed")
	ErrUnseen  = notLoaded(Cancelled, "not every warning was ticked")
	ErrBadRows = notLoaded(Cancelled, "rows of the sheet have errors, and nothing says that they are left out")
)

func notLoaded(code Code, why string) *Error {
	return Fail(code, "%s", why).Then(Say("Nothing was recorded. Look at it again."))
}

// Agreed is what a person agreed to when they load a sheet, as they were shown it.
type Agreed struct {
	SHA256  string // of the sheet's bytes
	Plan    string // UploadReview.Plan
	Seen    []string
	SkipBad bool // the rows with errors are left out
}

// Unreadable reports whether the sheet has no table that can be read with any options: then there
// is nothing to show but the reason.
func (s *Sheet) Unreadable() bool {
	return len(s.Read)+len(s.Unread) == 0 && !slices.ContainsFunc(s.Findings, func(f ledger.Finding) bool { return f.Option.Name != "" })
}

// Loadable reports whether the sheet may be loaded, perhaps without some rows.
func (s *Sheet) Loadable() bool {
	return !s.AlreadyLoaded && !s.FileRefused() && s.ToPay().Count > 0
}

// Review checks a waiting sheet as it is read now, and records nothing. part selects the rows to show.
func (u *Uploads) Review(ctx context.Context, call Call, id string, part Part) (l UploadReview, err error) {
	w, err := u.take(call.Actor, id)
	if err != nil {
		return l, err
	}
	defer w.Unlock()
	l.Upload = w.Upload
	if err := u.checks.Acquire(ctx, 1); err != nil {
		return l, err
	}
	defer u.checks.Release(1)
	err = u.app.read(ctx, call, func(o *operation) error {
		l.Sheet, l.Since, err = u.checked(ctx, o, w)
		return err
	})
	if err != nil {
		return l, err
	}
	l.Plan, l.Kinds, l.Toward = l.digest(w.Options), l.kinds(), l.toBeSeen()
	l.Grid, err = grid(u.path(w), &l.Sheet, part)
	return l, err
}

// Load loads a waiting sheet as it was shown. ErrStale if anything in it would be shown
// differently now, ErrUnseen if a warning was not ticked, ErrBadRows if rows have errors and
// are not to be left out. Load checks the sheet again under the ledger's lock, in the
// transaction that records it. The Upload returned names the sheet.
func (u *Uploads) Load(ctx context.Context, call Call, id string, agreed Agreed) (up Upload, err error) {
	w, err := u.take(call.Actor, id)
	if err != nil {
		return up, err
	}
	defer w.Unlock()
	if err := u.checks.Acquire(ctx, 1); err != nil {
		return up, err
	}
	defer u.checks.Release(1)
	so := w.Options
	so.SkipBad, so.GiveBackLater = agreed.SkipBad, true
	so.agreed = func(s *Sheet) error { return agreed.holds(s, w.Options) }
	err = u.app.decide(ctx, call, loaders, func(o *operation) error {
		s, err := o.load(ctx, u.path(w), so)
		if s.Loaded != nil {
			u.end(w, s.Sheet.ID) // even if err is not nil
			return err
		}
		u.keep(checkedSheet{}) // do not show the outdated review again
		return cmp.Or(err, error(ErrBadRows))
	})
	return w.Upload, err
}

// holds returns an error if the sheet is not what the person agreed to.
func (a Agreed) holds(s *Sheet, o SheetOptions) error {
	if s.Sheet.SHA256 != a.SHA256 || s.digest(o) != a.Plan {
		return ErrStale
	}
	if s.Refused() && !a.SkipBad {
		return ErrBadRows
	}
	for _, one := range s.toBeSeen() {
		if !slices.Contains(a.Seen, one.Key) {
			return ErrUnseen
		}
	}
	return nil
}

// digest is the SHA-256, in lower-case hex, of everything that a person sees of a sheet before
// it is loaded: its bytes, how it is read, every figure, finding and batch.
func (s *Sheet) digest(o SheetOptions) string {
	sum := sha256.New()
	out := json.NewEncoder(sum)
	add := func(v any) {
		if err := out.Encode(v); err != nil {
			panic(err) // cannot happen: plain data into a hash
		}
	}
	o.SkipBad, o.GiveBackLater, o.agreed = false, false, nil // chosen with the load itself
	add([]any{o, s.Sheet.SHA256, s.Sheet.Tab, s.Sheet.ID, s.ledgerID, s.Sheet.Rows, s.Sheet.Accepted, s.Sheet.Rejected, s.Sheet.Corrected,
		s.Changes(), s.Read, s.Unread, s.HeaderSHA256, s.Kept, s.AsKept, s.Keep})
	for i := range s.Findings {
		add(&s.Findings[i])
	}
	for b := range s.Planned() {
		add(b)
	}
	return hex.EncodeToString(sum.Sum(nil))
}

// kinds counts the findings by kind: errors first, then in the order of the first finding.
func (s *Sheet) kinds() (all []Kind) {
	at := map[string]int{}
	for _, f := range s.Findings {
		i, ok := at[f.Code]
		if !ok {
			i = len(all)
			at[f.Code] = i
			all = append(all, Kind{Code: f.Code, Title: titleOf(f.Code), Severity: f.Severity})
		}
		all[i].Count++
	}
	slices.SortStableFunc(all, func(a, b Kind) int { return a.Severity.Order() - b.Severity.Order() })
	return all
}

func titleOf(code string) string {
	e, _ := ingest.Explained(code)
	return e.Title
}

// toBeSeen lists the warnings to tick: one by one, or as a kind if there are many. It includes
// the warnings of rows that are left out.
func (s *Sheet) toBeSeen() (all []Seen) {
	count := map[string]int{}
	for _, f := range s.Findings {
		if f.Severity == ledger.SeverityWarning {
			count[f.Code]++
		}
	}
	has := map[string]bool{}
	for _, f := range s.Findings {
		if f.Severity != ledger.SeverityWarning {
			continue
		}
		one := Seen{Key: fmt.Sprintf("%s:%d:%s", f.Code, f.Row, f.Column), Title: titleOf(f.Code), One: f}
		if n := count[f.Code]; n > tickedEach {
			one.Key, one.Count = f.Code, n
		}
		if !has[one.Key] {
			has[one.Key] = true
			all = append(all, one)
		}
	}
	return all
}

// Columns lists what a column of a sheet may be read as, in the order of the template.
func Columns() []string { return validate.Columns() }

// checkedSheet caches the result of checking a waiting sheet, and when it was made: a person who
// reviews it loads many pages of it.
type checkedSheet struct {
	of *brought
	asOf
	sheet Sheet
	since []SinceLast
}

// checked returns the result of checking a waiting sheet. The caller holds w's lock.
func (u *Uploads) checked(ctx context.Context, o *operation, w *brought) (Sheet, []SinceLast, error) {
	now, err := o.asOf(ctx)
	if err != nil {
		return Sheet{}, nil, err
	}
	u.mu.Lock()
	last := u.last
	u.mu.Unlock()
	if last.of == w && last.asOf == now {
		return last.sheet, last.since, nil
	}
	s, since, err := o.checkWaiting(ctx, u.path(w), w.Options)
	if err == nil && s.Sheet.Rows <= ComparedMost {
		u.keep(checkedSheet{w, now, s, since})
	}
	return s, since, err
}

// checkWaiting reads a waiting sheet, and compares what it would load with the earlier
// sheet. It records nothing.
func (o *operation) checkWaiting(ctx context.Context, path string, so SheetOptions) (s Sheet, since []SinceLast, err error) {
	var rolls *payrolls
	s, err = o.dryRun(ctx, path, so, newPendingHistory(o.store), func() keeper {
		rolls = newPayrolls("")
		return func(payouts []validate.Accepted) error {
			rolls.addRead(payouts)
			return nil
		}
	})
	if err != nil || !s.Loadable() {
		return s, nil, err
	}
	rolls.sheet = s.Sheet.Name
	since, err = o.sinceOfRead(ctx, rolls)
	return s, since, err
}

// keep caches the result for the sheet that was checked last.
func (u *Uploads) keep(c checkedSheet) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last = c
}
