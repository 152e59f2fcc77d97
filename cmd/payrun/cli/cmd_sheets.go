package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) sheetsCommand() command {
	return command{
		name: "sheets", group: groupView,
		brief: "list the loaded sheets",
		long: `Each with its rows, its payouts and their total, the rows that were left out of it (--skip-bad),
when it was loaded and by whom. Other commands take its id, or the beginning of it. Nothing is
asked of the bank.`,
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
	if s.term.JSON {
		for _, sheet := range all {
			if err := s.document(doc.NewLoadedSheet(sheet)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		s.term.Resultf("The ledger holds no sheets.")
		s.last = "Next: load a sheet (payrun help load)"
		return nil
	}
	t := s.term.Table(term.Columns{"Sheet", "Name", "Rows", "Payouts", "Total", "Left out", "Loaded", "By"}, 3, 4, 5, 6).Spare(8, 3, 7)
	for _, sheet := range all {
		t.Row(sheet.ID, ledger.Plain(sheet.Name), sheet.Rows, sheet.Accepted.Count, sheet.Accepted.Total.Rupees(), sheet.Rejected.Count, s.set.Clock(sheet.LoadedAt), ledger.Plain(sheet.LoadedBy))
	}
	t.Render()
	return nil
}
