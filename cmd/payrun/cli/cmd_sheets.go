package cli

import (
	"context"
	"slices"
	"strconv"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) sheetsCommand() command {
	return command{
		name:  "sheets",
		brief: "list the loaded sheets",
		long: `For each sheet: rows, payouts, total, corrections of an earlier sheet, rows that were left out
(--skip-bad), when it was loaded and by whom. The bank is not asked.`,
		examples: []string{"payrun sheets", "payrun sheets --json"},
		exits:    []int{exitLedger},
		run:      p.with(sheets),
	}
}

func sheets(ctx context.Context, s *session, _ *urfave.Context) error {
	all, err := s.app.Sheets(ctx, s.call)
	if err != nil {
		return err
	}
	t := s.term.Table(term.Columns{"Sheet", "Name", "Rows", "Payouts", "Total", "Corrected", "Corrected to", "Left out", "Loaded", "By"}, 3, 4, 5, 6, 7, 8).
		Spare(10, 7, 3, 9, 6).None("The ledger holds no sheets.")
	some := slices.ContainsFunc(all, func(sheet ledger.Sheet) bool { return sheet.Corrected.Count > 0 })
	for _, sheet := range all {
		count, total := "", ""
		if some {
			count, total = strconv.Itoa(sheet.Corrected.Count), sheet.Corrected.Total.Rupees()
		}
		t.Row(sheet.ID, sheet.Name, sheet.Rows, sheet.Accepted.Count, sheet.Accepted.Total.Rupees(), count, total, sheet.Rejected.Count,
			s.set.Clock(sheet.LoadedAt), config.Who(sheet.LoadedBy))
	}
	t.Render()
	if len(all) == 0 {
		s.maySay(firstSheet())
	}
	return lines(s.program, "", doc.Each(all, doc.NewLoadedSheet))
}
