package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

func (a *app) exportCommand() command {
	return command{
		name: "export", args: "[FILE]",
		brief: "everything in the ledger as JSON lines",
		long: `Complete enough to rebuild the ledger: its sheets with their bytes, batches, payouts with their
attempts, what the bank said, intents, approvals and the audit trail, each line with its "type".
The last line has type "end": an export without it is not whole. It has the account numbers in
full. So FILE is readable by its owner only and is never replaced, and without FILE the lines go
to standard output only where that is no terminal. --masked leaves the last four characters of
account numbers, and the bytes of the sheets out.`,
		examples: []string{"payrun ledger export payrun.jsonl", "payrun ledger export --masked"},
		exits:    []int{exitLedger},
		flags:    []urfave.Flag{&urfave.BoolFlag{Name: "masked", Usage: "account numbers by their last four, no bytes of sheets"}},
		most:     1,
		run:      a.ledgerAction(reading, export),
	}
}

func export(ctx context.Context, d *desk, c *urfave.Context) error {
	masked := c.Bool("masked")
	if c.NArg() == 0 {
		if d.term.Out.Terminal() && !masked {
			return usage("an export has account numbers in full, which are not shown on a terminal").hint("payrun ledger export FILE, or --masked")
		}
		_, err := d.exportTo(ctx, d.term.Out, masked)
		return d.exportFailed(err)
	}
	path := c.Args().First()
	lines, err := d.exportFile(ctx, path, masked)
	if err != nil {
		return d.exportFailed(err)
	}
	if d.flags.json {
		return d.document(doc.Export{Schema: "payrun.export/v1", File: path, Lines: lines})
	}
	d.term.Show("%s  %s", ledger.Plain(path), ledger.Counted(lines, "line", "lines"))
	return nil
}

func (d *desk) exportFailed(err error) error {
	if errors.Is(err, ledger.ErrConflict) {
		return fail(exitFailed, "%v", err).because(err).hint("run it again while nothing else runs")
	}
	return err
}

// exportFile writes to a temporary name first: what has FILE's name is whole.
func (d *desk) exportFile(ctx context.Context, path string, masked bool) (lines int, err error) {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // 0600
	if err != nil {
		return 0, usage("%s cannot be written: %v", path, config.Reason(err)).because(err)
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	lines, err = d.exportTo(ctx, f, masked)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return 0, err
	}
	if err := os.Link(f.Name(), path); err != nil { // never over a file that is there
		return 0, usage("%s cannot be written: %v", path, config.Reason(err)).because(err)
	}
	return lines, nil
}

func (d *desk) exportTo(ctx context.Context, w io.Writer, masked bool) (int, error) {
	x := doc.NewExport(w, masked, d.term.Out.Gone)
	lines := ledger.Export{
		Ledger: x.Ledger, Sheet: x.Sheet, SheetPart: x.SheetPart, Batch: x.Batch, Attempt: x.Attempt,
		Observation: x.Observation, Intent: x.Intent, Approval: x.Approval, Proposal: x.Proposal, Event: x.Event,
	}
	if masked {
		lines.SheetPart = nil
	}
	head, err := d.store.Export(ctx, lines)
	switch {
	case errors.Is(err, doc.ErrGone):
		return x.Lines(), nil
	case err != nil:
		return x.Lines(), errors.Join(err, x.Flush())
	}
	return x.Lines(), x.End(head)
}
