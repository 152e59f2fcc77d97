package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (a *app) sheetsCommand() command {
	return command{
		name: "sheets", group: groupView,
		brief:    "list the loaded sheets",
		examples: []string{"payrun sheets", "payrun sheets --json"},
		exits:    []int{exitLedger},
		run:      a.ledgerAction(reading, sheets),
	}
}

func sheets(ctx context.Context, d *desk, _ *urfave.Context) error {
	all, err := d.store.Sheets(ctx)
	if err != nil {
		return err
	}
	if d.flags.json {
		for _, s := range all {
			if err := d.document(doc.NewLoadedSheet(s)); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		d.term.Show("The ledger holds no sheets.")
		d.next = "Next: payrun load SHEET"
		return nil
	}
	t := d.term.Table(term.Columns{"Sheet", "Name", "Rows", "Payouts", "Total", "Left out", "Loaded", "By"}, 3, 4, 5, 6)
	for _, s := range all {
		t.Row(s.ID, ledger.Plain(s.Name), s.Rows, s.Accepted.Count, s.Accepted.Total.Rupees(), s.Rejected.Count, d.set.Clock(s.LoadedAt), ledger.Plain(s.LoadedBy))
	}
	t.Render()
	return nil
}
