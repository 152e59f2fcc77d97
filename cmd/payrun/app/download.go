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

// LeftOut gives the rows of a loaded sheet that are not in the ledger, ready to be
// corrected and brought again; name is what the sheet is called. It is made for this
// once, in the folder of the sheets that wait, and goes when it is closed. It holds account
// numbers in full: that it is given, and where to, is on record. ledger.ErrNotFound where no row is left out, ErrSpoolHeld, ErrNoRoom.
func (u *Uploads) LeftOut(ctx context.Context, call Call, sheetID, from string) (f *os.File, name string, err error) {
	f, err = u.makeDownload(ctx, call, from, sheetID+", rows left out", func(o *operation) (path string, err error) {
		path, err = o.leftOut(ctx, sheetID)
		name = filepath.Base(path)
		return path, err
	})
	return f, name, err
}

// ToCorrect gives the payouts of a sheet or batch that a retry would plan, to be
// corrected and brought again, as LeftOut does. ledger.ErrNotFound where there are none.
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

// makeDownload makes a file in a folder of its own that only its owner can read, once it is its turn among
// the checks, and records what is given and where to. The file has no name any more when it is given:
// the next start removes what a killed desk was making, and nothing else is left.
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
		if gone := root.RemoveAll(name); !errors.Is(gone, os.ErrClosed) { // else all of it was closed meanwhile, and emptied
			err = errors.Join(err, gone)
		}
		if err != nil && f != nil { // no one gets it, who would close it
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

// outFolder makes a folder for what is given out.
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

// ErrRunNotOurs: the payouts.csv of a run is not what was written from this ledger.
var ErrRunNotOurs = reports.ErrNotTheirs

// InFull is the payouts of a run with their account numbers in full. It is on record
// that they are given out, and they are in no file: Write writes them.
type InFull struct {
	app    *App
	call   Call
	masked *os.File
}

// FullReport lets a person have the payouts.csv of a run with account numbers in full,
// and records it, from where they asked. ledger.ErrNotFound where there is no such
// file; ErrRunNotOurs, and nothing is recorded, where it is not of this ledger.
// The caller closes what it gets.
func (a *App) FullReport(ctx context.Context, call Call, run, from string) (*InFull, error) {
	f, err := a.OpenReport(run, reports.PayoutsFile)
	if err != nil {
		return nil, err
	}
	full := &InFull{app: a, call: call, masked: f}
	payouts, err := full.Write(ctx, io.Discard)
	if err == nil { // whole, before it is said that it was given out
		err = a.recordGiven(ctx, call, trusted, from, run+", "+ledger.Counted(payouts, "payout", "payouts"))
	}
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return full, nil
}

// recordGiven records that a person with one of the roles is given account numbers in full:
// what of them, and where to.
func (a *App) recordGiven(ctx context.Context, call Call, roles []ledger.Role, from, what string) error {
	return a.decide(ctx, call, roles, func(o *operation) error {
		return o.store.RecordLogin(ctx, ledger.Login{Name: call.Actor, From: from, Kind: ledger.EventNumbersGiven, What: what, At: o.env.Now()})
	})
}

// Write writes them as a CSV, and counts them. After an error what was written is of no use.
func (f *InFull) Write(ctx context.Context, w io.Writer) (payouts int, err error) {
	if _, err := f.masked.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	err = f.app.read(ctx, f.call, func(o *operation) error {
		payouts, err = reports.InFull(w, f.masked, func(each func(ledger.Attempt) error) error {
			return o.store.EachPayout(ctx, ledger.Filter{Attempts: true}, each)
		})
		return err
	})
	return payouts, err
}

// Close lets go of the file.
func (f *InFull) Close() error { return f.masked.Close() }
