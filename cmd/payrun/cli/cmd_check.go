package cli

import (
	"cmp"
	"context"
	"errors"

	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
)

func (a *app) checkCommand() command {
	return command{
		name: "check", args: "SHEET...", group: groupMonth,
		brief: "read and judge a sheet, plan its batches, count the OTPs; change nothing",
		long: `A dry run of payrun load: the same rules, the same findings, the same batches, and nothing is
written to the ledger. payrun help sheets tells what a sheet looks like.`,
		examples: []string{"payrun check november.csv", "payrun check november.xlsx --expect-total 18,40,150.50 --json"},
		exits:    []int{exitSheet, exitLedger},
		flags:    sheetFlags(),
		least:    1, most: anyNumber,
		run: a.ledgerAction(reading, check),
	}
}

func check(ctx context.Context, d *desk, c *urfave.Context) error {
	o, err := d.checkOptions(c)
	if err != nil {
		return err
	}
	var failures []error
	past, paths := newEarlier(d.store), c.Args().Slice()
	for i, path := range paths {
		in, err := d.dryRun(ctx, path, o, past, c.Bool("skip-bad"), i < len(paths)-1)
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		if err := d.tellSheet("payrun.check/v1", in); err != nil {
			return err
		}
		if in.Refused() || in.AlreadyLoaded {
			failures = append(failures, d.refusal(in, c.Bool("skip-bad")))
			continue
		}
		d.next = "Next: payrun load " + path
	}
	return errors.Join(failures...)
}

// tellSheet shows a sheet: the document, or words.
func (d *desk) tellSheet(schema string, in intake) error {
	if d.flags.json {
		return d.sheetDocument(schema, in)
	}
	d.showSheet(in)
	return nil
}

// refusal words why a sheet is not loaded, or not whole, and what to do.
func (d *desk) refusal(in intake, skipBad bool) *failure {
	name := cmp.Or(in.Sheet.Name, in.path)
	bad := in.Sheet.Rejected.Count
	switch {
	case in.AlreadyLoaded:
		return fail(exitSheet, "%s was loaded before; nothing of it was loaded again", name).
			hint("payrun sheets lists what was loaded; payrun status shows how it stands")
	case in.loaded != nil:
		return fail(exitSheet, "%s: %s loaded, %s left out (%s)", name, payouts(in.Sheet.Accepted.Count), ledger.Counted(bad, "row", "rows"), in.Sheet.Rejected.Total.Rupees()).
			hint("correct the rows left out in %s, which has reason and fix beside them, and load it", ledger.Plain(in.rejected)).
			hint("next: payrun initiate --all")
	}
	f := fail(exitSheet, "%s has errors%s; nothing of it was loaded", name, whatKind(in))
	if bad > 0 && !in.FileRefused() && in.Sheet.Accepted.Count > 0 && !skipBad {
		f.hint("mend the sheet and check it again; or --skip-bad loads %s and leaves %s out", payouts(in.Sheet.Accepted.Count), ledger.Counted(bad, "row", "rows"))
		return f
	}
	return f.hint("mend the sheet and check it again")
}

// whatKind counts what is wrong.
func whatKind(in intake) string {
	n := 0
	for _, f := range in.Findings {
		if f.Severity == ledger.SeverityError {
			n++
		}
	}
	if bad := in.Sheet.Rejected.Count; bad > 0 {
		return " in " + ledger.Counted(bad, "row", "rows")
	}
	return " (" + ledger.Counted(n, "finding", "findings") + ")"
}
