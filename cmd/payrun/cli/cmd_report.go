package cli

import (
	"context"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

func (p *program) reportCommand() command {
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
		run: p.with(report),
	}
}

func report(ctx context.Context, s *session, c *urfave.Context) error {
	paths, err := s.app.Report(ctx, s.call, app.ReportRequest{Sheet: c.String("sheet"), Dir: c.String("out")})
	if err != nil {
		return err
	}
	if s.term.JSON {
		return s.document(doc.Reports{Schema: "payrun.report/v1", Reports: paths})
	}
	for _, p := range paths {
		s.term.Resultf("%s", ledger.Plain(p))
		if strings.HasSuffix(p, ".html") {
			s.last = "Next: open " + ledger.Plain(p)
		}
	}
	return nil
}
