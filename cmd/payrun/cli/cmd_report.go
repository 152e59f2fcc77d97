package cli

import (
	"cmp"
	"context"
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/sheetback"
)

func (a *app) reportCommand() command {
	return command{
		name: "report", group: groupMonth,
		brief: "write the files for finance, from the ledger alone",
		long: `payouts.csv, exceptions.csv, reconciliation.json, reconciliation.xlsx and summary.html. The same
ledger gives the same files, byte for byte. Accounts are masked to the last four. And for each sheet
NAME.result.xlsx: your own columns with the result of each row, accounts in full.`,
		examples: []string{"payrun report", "payrun report --sheet SHEET_ID -o november"},
		exits:    []int{exitLedger},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "sheet", Usage: "of the sheet `ID` only"},
			&urfave.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "the `DIR` to write to (default: reports)"},
		},
		run: a.ledgerAction(reading, report),
	}
}

func report(ctx context.Context, d *desk, c *urfave.Context) error {
	paths, err := d.writeReports(ctx, c.String("out"), c.String("sheet"))
	if errors.Is(err, ledger.ErrNotFound) {
		return usage("there is no sheet %q", ledger.Plain(c.String("sheet"))).because(err).hint("payrun sheets lists them")
	}
	if err != nil {
		return err
	}
	if err := d.tellResults(ctx, c.String("sheet"), paths); err != nil {
		return err
	}
	if d.flags.json {
		return d.document(doc.Reports{Schema: "payrun.report/v1", Reports: paths})
	}
	for _, p := range paths {
		d.term.Show("%s", p)
		if strings.HasSuffix(p, ".html") {
			d.next = "Next: open " + p
		}
	}
	return nil
}

// writeReports writes to dir, or to the configured folder.
func (d *desk) writeReports(ctx context.Context, dir, sheetID string) ([]string, error) {
	done := d.term.Progress("writing the reports")
	defer done()
	return reports.Write(ctx, d.store, reports.Options{
		Dir: cmp.Or(dir, d.set.Beside(d.set.Nightly.Reports)), SheetID: sheetID, Zone: d.set.Timezone.At, Results: sheetback.Results(d.ownSheet),
	})
}
