package app

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// Backup writes a verified copy of the ledger to path, also while it is in use.
func (a *App) Backup(ctx context.Context, call Call, path string) (ledger.Backup, error) {
	if _, ok := a.place.file(); !ok {
		return ledger.Backup{}, Fail(Usage, "a ledger on PostgreSQL is backed up by its database: pg_dump copies it as it is at one moment, and pg_basebackup with its archived log restores any moment").
			Then(Say("what is restored sends nothing until a person accepts it with payrun ledger verify --accept-restored"))
	}
	return look(ctx, a, call, func(o *operation) (ledger.Backup, error) {
		defer o.call.progress().Begin("copying the ledger", "").End()
		return o.store.Backup(ctx, path)
	})
}

// ExportOptions say what an export leaves out.
type ExportOptions struct {
	Masked bool        // account numbers but their last four, and the bytes of the sheets
	Gone   func() bool // nobody reads on; nil: somebody does
}

// Export writes everything in the ledger to w as JSON lines, and returns how many.
func (a *App) Export(ctx context.Context, call Call, w io.Writer, opt ExportOptions) (lines int, err error) {
	return look(ctx, a, call, func(o *operation) (int, error) { return o.export(ctx, w, opt) })
}

// ExportFile is Export to a file that is not there yet, readable by its owner
// only. What has its name is whole.
func (a *App) ExportFile(ctx context.Context, call Call, path string, opt ExportOptions) (lines int, err error) {
	return look(ctx, a, call, func(o *operation) (int, error) { return o.exportFile(ctx, path, opt) })
}

func (o *operation) exportFile(ctx context.Context, path string, opt ExportOptions) (lines int, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // 0600
	if err != nil {
		return 0, Fail(Usage, "%s cannot be written: %v", path, config.Reason(err)).Because(err)
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	lines, err = o.export(ctx, f, opt)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	if err := os.Link(f.Name(), path); err != nil { // never over a file that is there
		return 0, Fail(Usage, "%s cannot be written: %v", path, config.Reason(err)).Because(err)
	}
	return lines, nil
}

func (o *operation) export(ctx context.Context, w io.Writer, opt ExportOptions) (int, error) {
	gone := opt.Gone
	if gone == nil {
		gone = func() bool { return false }
	}
	var hide *ledger.Masker
	if opt.Masked {
		all := ledger.NewMasker()
		if err := o.store.EachPayout(ctx, ledger.Filter{Attempts: true}, func(a ledger.Attempt) error { all.Add(a.BankAccountNumber); return nil }); err != nil {
			return 0, err
		}
		hide = &all
	}
	x := doc.NewExport(w, hide, gone)
	lines := ledger.Export{
		Ledger: x.Ledger, Sheet: x.Sheet, SheetPart: x.SheetPart, Batch: x.Batch, Attempt: x.Attempt, Origin: x.Origin, Correction: x.Correction,
		Observation: x.Observation, Intent: x.Intent, Look: x.Look, Approval: x.Approval, Release: x.Release, Event: x.Event,
		Statement: x.Statement, Line: x.StatementLine, Word: x.StatementWord, BankLists: x.BankLists,
	}
	if opt.Masked {
		lines.SheetPart = nil
	}
	head, err := o.store.Export(ctx, lines)
	switch {
	case errors.Is(err, doc.ErrGone):
		return x.Lines(), nil
	case errors.Is(err, ledger.ErrConflict):
		return x.Lines(), errors.Join(x.Flush(), Fail(Failed, "%v", err).Because(err).Then(Say("run it again while nothing else runs")))
	case err != nil:
		return x.Lines(), errors.Join(err, x.Flush())
	}
	return x.Lines(), x.End(head)
}
