package cli

import (
	"context"

	"github.com/jedib0t/go-pretty/v6/table"
	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

func (a *app) sheetsCommand() command {
	return command{
		name: "sheets", group: groupView,
		brief:    "list the loaded sheets",
		examples: []string{"payrun sheets", "payrun sheets --json"},
		exits:    []int{exitLedger},
		run:      a.ledgerAction(sqlite.ReadOnly, sheets),
	}
}

// sheetLine is one loaded sheet as `sheets --json` prints it.
type sheetLine struct {
	ID       string       `json:"id"`
	Name     string       `json:"name"`
	SHA256   string       `json:"sha256"`
	Format   string       `json:"format"`
	Rows     int          `json:"rows"`
	Total    ledger.Paise `json:"total"`
	Accepted ledger.Tally `json:"accepted"`
	Rejected ledger.Tally `json:"rejected"`
	LoadedAt string       `json:"loaded_at"`
	LoadedBy string       `json:"loaded_by"`
}

func sheets(ctx context.Context, d *desk, _ *urfave.Context) error {
	all, err := d.store.Sheets(ctx)
	if err != nil {
		return err
	}
	if d.flags.json {
		for _, s := range all {
			line := sheetLine{s.ID, s.Name, s.SHA256, s.Format, s.Rows, s.Total, s.Accepted, s.Rejected, instant(s.LoadedAt), s.LoadedBy}
			if err := d.document(line); err != nil {
				return err
			}
		}
		return nil
	}
	if len(all) == 0 {
		d.show("The ledger holds no sheets.")
		d.next = "Next: payrun load SHEET"
		return nil
	}
	t := d.newTable(table.Row{"Sheet", "Name", "Rows", "Payouts", "Total", "Left out", "Loaded", "By"}, 3, 4, 5, 6)
	for _, s := range all {
		t.AppendRow(table.Row{s.ID, plain(s.Name), s.Rows, s.Accepted.Count, rupees(s.Accepted.Total), s.Rejected.Count, d.set.at(s.LoadedAt), plain(s.LoadedBy)})
	}
	t.Render()
	return nil
}
