package cli

import (
	"context"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func (p *program) reportCommand() command {
	return command{
		name:  "report",
		brief: "write the reports again, from the ledger alone",
		long: `Each day and scope has a folder, reports/DATE-SCOPE. Later the same day payrun replaces its own files
there and no others. reports/index.html lists the folders. A folder has payouts.csv, attempts.csv,
exceptions.csv, reconciliation.json, reconciliation.xlsx and summary.html. The same ledger gives the
same files, byte for byte. Accounts are masked to the last four. And for each sheet
NAME.result.xlsx: your own columns with the result of each row, accounts in full.`,
		examples: []string{"payrun report", "payrun report --since 2026-11-01 --until 2026-11-30", "payrun report --sheet SHEET_ID -o november"},
		exits:    []int{exitLedger},
		flags: []urfave.Flag{
			read("sheet", "of the sheet `ID` only; may be repeated", several()),
			&urfave.StringFlag{Name: "since", Usage: "of sheets loaded on `DATE` or later, as 2026-11-01"},
			&urfave.StringFlag{Name: "until", Usage: "of sheets loaded on `DATE` or before"},
			&urfave.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "write into `DIR` and replace the reports there"},
		},
		run: p.with(report),
	}
}

func report(ctx context.Context, s *session, c *urfave.Context) error {
	since, until, err := app.Days(c.String("since"), c.String("until"), s.set.Timezone.At)
	if err != nil {
		return err
	}
	paths, err := s.app.Report(ctx, s.call, app.ReportRequest{ReportScope: app.ReportScope{SheetIDs: given[[]string](c, "sheet"), Since: since, Until: until}, Dir: c.String("out")})
	if err != nil {
		return err
	}
	if s.term.JSON {
		return s.document("payrun.report/v1", map[string]any{"reports": paths})
	}
	for _, p := range paths {
		s.term.Linef("%s", ledger.Plain(p))
		if strings.HasSuffix(p, ".html") {
			s.last = "Next: open " + ledger.Plain(p)
		}
	}
	return nil
}
