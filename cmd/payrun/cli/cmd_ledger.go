package cli

import (
	"context"
	"errors"

	"github.com/jedib0t/go-pretty/v6/table"
	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

func (a *app) ledgerCommand() command {
	return command{
		name: "ledger", group: groupView,
		brief: "the audit trail, and whether it is whole",
		exits: []int{exitLedger},
		sub: []command{
			{
				name:     "verify",
				brief:    "check the file, the audit chain and every invariant",
				examples: []string{"payrun ledger verify", "payrun ledger verify --json"},
				exits:    []int{exitLedger},
				run:      a.ledgerAction(sqlite.ReadOnly, verifyLedger),
			},
			{
				name:     "log",
				brief:    "show the audit trail, oldest first",
				examples: []string{"payrun ledger log", "payrun ledger log --json"},
				exits:    []int{exitLedger},
				run:      a.ledgerAction(sqlite.ReadOnly, logEvents),
			},
		},
	}
}

func verifyLedger(ctx context.Context, d *desk, _ *urfave.Context) error {
	done := d.progress("verifying the ledger")
	problems, err := d.store.Verify(ctx)
	done()
	if err != nil {
		return err
	}
	if d.flags.json {
		err = d.document(struct {
			Schema   string           `json:"schema"`
			Problems []sqlite.Problem `json:"problems"`
		}{"payrun.verify/v1", append([]sqlite.Problem{}, problems...)})
	}
	if err != nil {
		return err
	}
	for _, p := range problems {
		d.show("does not hold: %s\n  %s", plain(p.What), plain(p.Detail))
	}
	if len(problems) > 0 {
		return fail(exitLedger, "%s in the ledger %s", counted(len(problems), "thing does not hold", "things do not hold"), d.set.ledger).
			hint("send nothing; restore the ledger from its newest copy")
	}
	d.next = "The ledger is whole: file, audit chain and every invariant."
	return nil
}

func logEvents(ctx context.Context, d *desk, _ *urfave.Context) error {
	var t table.Writer
	if !d.flags.json {
		t = d.newTable(table.Row{"Seq", "At", "Actor", "What", "Sheet", "Batch", "Detail"}, 1)
	}
	err := d.store.Events(ctx, func(e ledger.Event) error {
		if t != nil {
			t.AppendRow(table.Row{e.Seq, d.set.at(e.At), plain(e.Actor), e.Kind, e.SheetID, e.BatchID, plain(e.Detail)})
			return nil
		}
		if d.out.gone() {
			return errEnough
		}
		return d.document(e)
	})
	if err != nil && !errors.Is(err, errEnough) {
		return err
	}
	if t != nil {
		t.Render()
	}
	return nil
}
