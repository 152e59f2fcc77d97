package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"payrun/ledger"
	"payrun/reports"
)

// LeftOut returns a file with the rows of a loaded sheet that are not in the ledger, ready to be corrected and
// loaded again. name is the sheet's file name. The file is made for this call, in the folder of waiting
// sheets, and is gone once it is closed. It has account numbers in full, so payrun records that it was
// given out, and where to. ledger.ErrNotFound if no row was left out, ErrSpoolHeld, ErrNoRoom.
func (u *Uploads) LeftOut(ctx context.Context, call Call, sheetID, from string) (f *os.File, name string, err error) {
	f, err = u.makeDownload(ctx, call, from, sheetID+", rows left out", func(o *operation) (path string, err error) {
		path, err = o.leftOut(ctx, sheetID)
		name = filepath.Base(path)
		return path, err
	})
	return f, name, err
}

// ToCorrect returns a file with the payouts of a sheet or batch that a retry would plan, to be
// corrected and loaded again, like LeftOut. ledger.ErrNotFound if there are none.
func (u *Uploads) ToCorrect(ctx context.Context, call Call, of, from string) (*os.File, error) {
	return u.makeDownload(ctx, call, from, of+", payouts to correct", func(o *operation) (path string, err error) {
		path = filepath.Join(o.folder, "to-correct.xlsx")
		n, err := o.toCorrect(ctx, RetryRequest{Of: of, Out: path})
		if err == nil && n == 0 {
			err = ledger.ErrNotFound
		}
		return path, err
	})
}

// makeDownload makes a file in its own folder, which only its owner can read, when it is its turn among
// the checks. It records what is given out and where to. The file has no name any more when it is
// returned. The next start removes what a killed desk left.
func (u *Uploads) makeDownload(ctx context.Context, call Call, from, what string, write func(*operation) (path string, err error)) (f *os.File, err error) {
	if err := u.checks.Acquire(ctx, 1); err != nil {
		return nil, err
	}
	defer u.checks.Release(1)
	root, name, err := u.outFolder()
	if err != nil {
		return nil, err
	}
	defer func() {
		if gone := root.RemoveAll(name); !errors.Is(gone, os.ErrClosed) { // closed: all of it was emptied meanwhile
			err = errors.Join(err, gone)
		}
		if err != nil && f != nil { // no caller gets it to close it
			err = errors.Join(err, f.Close())
			f = nil
		}
	}()
	err = u.app.read(ctx, call, func(o *operation) error {
		o.folder = filepath.Join(u.dir, name)
		path, err := write(o)
		if err == nil {
			f, err = os.Open(path)
		}
		return err
	})
	if err == nil {
		err = u.app.recordGiven(ctx, call, loaders, from, what)
	}
	return f, err
}

// outFolder makes a folder for a download.
func (u *Uploads) outFolder() (root *os.Root, name string, err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if err := u.hold(); err != nil {
		return nil, "", err
	}
	if free, known := freeOnDisk(u.dir); known && free < leastFree {
		return nil, "", ErrNoRoom
	}
	name = outName + NewToken()[:22]
	return u.root, name, u.root.Mkdir(name, 0o700)
}

// ErrRunNotOurs means that the payouts.csv of a run was not written from this ledger.
var ErrRunNotOurs = reports.ErrNotTheirs

// FullReport gives a person the payouts.csv of a run with account numbers in full, and
// records this with the place they asked from. ledger.ErrNotFound if there is no such
// file. ErrRunNotOurs if it is not from this ledger; then nothing is recorded. No file has the
// numbers: write makes them. If it fails, its output must not be used.
func (a *App) FullReport(ctx context.Context, call Call, run, from string) (write func(io.Writer) error, err error) {
	payouts := 0
	write = func(w io.Writer) error {
		masked, err := a.OpenReport(run, reports.PayoutsFile)
		if err != nil {
			return err
		}
		defer masked.Close()
		return a.read(ctx, call, func(o *operation) error {
			payouts, err = reports.InFull(w, masked, func(each func(ledger.Attempt) error) error {
				return o.store.EachPayout(ctx, ledger.Filter{Attempts: true}, each)
			})
			return err
		})
	}
	if err := write(io.Discard); err != nil {
		return nil, err
	}
	return write, a.recordGiven(ctx, call, trusted, from, run+", "+ledger.Counted(payouts, "payout", "payouts"))
}

// recordGiven records that a person with one of the roles gets account numbers in full:
// which ones, and where they are sent.
func (a *App) recordGiven(ctx context.Context, call Call, roles []ledger.Role, from, what string) error {
	return a.decide(ctx, call, roles, func(o *operation) error {
		return o.store.RecordLogin(ctx, ledger.Login{Name: call.Actor, From: from, Kind: ledger.EventNumbersGiven, What: what, At: o.env.Now()})
	})
}
