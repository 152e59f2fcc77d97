package app

import (
	"context"
	"os"
	"time"

	"payrun/ledger"
	"payrun/validate"
)

// checkedSheet is what was found of a sheet that waits, and when: who looks at it looks
// again and again, at this kind of finding and at that.
type checkedSheet struct {
	of    *brought
	at    checkedAt
	sheet Sheet
	since []SinceLast
}

// checkedAt is what a check depends on, apart from how the sheet is read.
type checkedAt struct {
	stands  ledger.AuditHead
	hour    string    // recent payees are looked up again each hour, and with each day
	bytes   int64     // of the file
	changed time.Time // the file
}

// checked is what is found of a sheet that waits. w.busy is held.
func (u *Uploads) checked(ctx context.Context, o *operation, w *brought) (Sheet, []SinceLast, error) {
	file, err := os.Stat(u.path(w))
	if err != nil {
		return Sheet{}, nil, err
	}
	stands, err := o.store.StandsSince(ctx)
	if err != nil {
		return Sheet{}, nil, err
	}
	at := checkedAt{stands, o.set.Hour(o.env.Now()), file.Size(), file.ModTime()}
	u.mu.Lock()
	last := u.last
	u.mu.Unlock()
	if last.of == w && last.at == at {
		return last.sheet, last.since, nil
	}
	s, since, err := o.checkWaiting(ctx, u.path(w), w.Options)
	if err == nil && s.Sheet.Rows <= ComparedMost {
		u.mu.Lock()
		defer u.mu.Unlock()
		u.last = checkedSheet{w, at, s, since}
	}
	return s, since, err
}

// checkWaiting reads a sheet that waits and holds what would be loaded of it against the
// sheet before. It records nothing.
func (o *operation) checkWaiting(ctx context.Context, path string, so SheetOptions) (s Sheet, since []SinceLast, err error) {
	options, err := o.optionsNow(ctx, so)
	if err != nil {
		return s, nil, err
	}
	read := func() (*payrolls, Sheet, error) {
		rolls := newPayrolls("")
		s, err := o.dryRunOf(ctx, path, options, newPendingHistory(o.store), func(payouts []validate.Accepted) error {
			rolls.addRead(payouts)
			return nil
		})
		return rolls, s, err
	}
	rolls, s, err := read()
	if err != nil || !s.Loadable() {
		return s, nil, err
	}
	for again := s; len(again.Withdrawn) > 0; { // rows that turned out to be wrong when others came
		options.Exclude = excluded(again)
		if rolls, again, err = read(); err != nil {
			return s, nil, err
		}
	}
	rolls.sheet = s.Sheet.Name
	since, err = o.sinceOfRead(ctx, rolls)
	return s, since, err
}

// lookAnew forgets what was found of a sheet.
func (u *Uploads) lookAnew() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.last = checkedSheet{}
}
