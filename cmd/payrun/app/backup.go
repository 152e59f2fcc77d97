package app

import (
	"context"
	"errors"
	"io"
	"os"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/ledger/durable"
	"payrun/validate"
)

// Backup writes a verified copy of the ledger to path. The ledger may be in use meanwhile.
func (a *App) Backup(ctx context.Context, call Call, path string) (ledger.Backup, error) {
	if _, ok := a.place.file(); !ok {
		return ledger.Backup{}, Fail(Usage, "back up a ledger on PostgreSQL with its database: pg_dump copies one moment, and pg_basebackup with the archived log restores any moment").
			Then(Say("a restored ledger sends nothing until a person accepts it with payrun ledger verify --accept-restored"))
	}
	return reading(ctx, a, call, func(o *operation) (ledger.Backup, error) {
		defer o.call.progress().Begin("copying the ledger", "").End()
		made, err := o.store.Backup(ctx, path)
		if errors.Is(err, ledger.ErrLedgerExists) {
			err = Fail(Usage, "%s is there already, and a backup replaces nothing", path).Because(err).Then(Say("name a file that is not there yet"))
		}
		return made, err
	})
}

// ExportOptions say how to export.
type ExportOptions struct {
	Masked bool // leaves out account numbers except their last four characters, and the bytes of the sheets
	Move   bool // for ExportFile: the ledger ends with the export, and continues where it is imported
}

// Export writes everything in the ledger to w as JSON lines. If w returns ErrEnough, it stops without error.
func (a *App) Export(ctx context.Context, call Call, w io.Writer, opt ExportOptions) error {
	return a.read(ctx, call, func(o *operation) error {
		_, _, err := o.export(ctx, w, opt)
		return enough(err)
	})
}

// ExportFile is Export to a new file that only its owner can read. A file with that name is always complete.
func (a *App) ExportFile(ctx context.Context, call Call, path string, opt ExportOptions) (lines int, err error) {
	open := a.read
	if opt.Move {
		open = a.write
	}
	err = open(ctx, call, func(o *operation) error {
		if opt.Move && !o.people.Administered(false, false) && !o.people.Administered(true, false) {
			return Fail(Usage, "no admin is a system user or a database role, and an export has no passwords, so no admin could sign in to give people new links").
				Then(Do("people", "change", "NAME", "--system-user", "USER").First("if the ledger continues in a file, tie an admin to uid:NUMBER; if in PostgreSQL, to db:ROLE"))
		}
		var head ledger.AuditHead
		var failed error
		err := durable.New(path, func(f *os.File) error { // after --move, this file is all that continues the ledger
			lines, head, failed = o.export(ctx, f, opt)
			return failed
		})
		if err != nil && failed == nil {
			return Fail(Usage, "%s cannot be written: %v", path, config.Reason(err)).Because(err)
		}
		if err != nil || !opt.Move {
			return err
		}
		err = o.store.End(ctx, head, o.call.Actor, path, o.env.Now())
		if errors.Is(err, ledger.ErrConflict) {
			err = errors.Join(Fail(Failed, "%v", err).Because(err).Then(Say("the ledger was not moved; run it again while nothing else runs")), os.Remove(path))
		}
		return err
	})
	return lines, err
}

// Import makes a new ledger from an export in a file: a copy, as Backup makes one. A
// ledger with that name is always complete.
func (a *App) Import(ctx context.Context, call Call, path string) (made ledger.Backup, err error) {
	f, err := os.Open(path)
	if err != nil {
		return made, Fail(Usage, "%s cannot be read: %v", path, config.Reason(err)).Because(err)
	}
	defer f.Close()
	defer call.progress().Begin("importing the ledger", "").End()
	var people ledger.Users
	made, err = a.place.importTo(ctx, call.Actor, validate.RefKey, func(out ledger.Export) (ledger.AuditHead, error) {
		record := out.Event
		out.Event = func(e ledger.Event) error {
			people.Replay(e) //nolint:errcheck // what cannot have happened is found when all is verified
			return record(e)
		}
		return doc.ReadExport(untilDone{ctx, f}, out)
	})
	switch {
	case err == nil:
		if !people.Administered(a.set.LedgerServer != "", false) {
			call.progress().Warn("no admin can act in this ledger: an import has no passwords, and no admin is tied to a system user or role (--system-user). Tie one in the ledger that made the export (if it was moved, move it back first), and export again")
		}
		a.remember()
	case errors.Is(err, ledger.ErrLedgerExists):
		step := "nothing was imported; name a ledger that is not there yet with --ledger"
		if a.set.LedgerServer == "" {
			step += ". One that payrun init just made is not needed: move it away, with its .head and .lock"
		}
		err = Fail(Usage, "%v", err).Because(err).Then(Say("%s", step))
	}
	return made, err
}

// untilDone is a reader that stops when its context ends.
type untilDone struct {
	ctx context.Context // of one import
	io.Reader
}

func (r untilDone) Read(b []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(b)
}

func (o *operation) export(ctx context.Context, w io.Writer, opt ExportOptions) (lines int, head ledger.AuditHead, err error) {
	var hide *ledger.Masker
	if opt.Masked {
		all := ledger.NewMasker()
		if err := o.store.EachPayout(ctx, ledger.Filter{Attempts: true}, func(a ledger.Attempt) error { all.Add(a.BankAccountNumber); return nil }); err != nil {
			return 0, head, err
		}
		hide = &all
	}
	x := doc.NewExport(w, hide)
	if head, err = o.store.Export(ctx, x.Export); err != nil {
		return x.Lines(), head, errors.Join(err, x.Flush())
	}
	return x.Lines(), head, x.End(head)
}
