package app

import (
	"context"
	"io"
	"os"

	"payrun/ledger"
	"payrun/reports"
)

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
