package cli

import (
	"context"
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
	"payrun/validate/ifsc"
)

func (a *app) ifscCommand() command {
	return command{
		name: "ifsc", group: groupView,
		brief: "the list of bank branches that sheets are held against",
		long: `Without a list only the form of an IFSC is checked. With one, check and load warn of a branch that is
not in it, and show which banks a sheet pays.`,
		exits: []int{exitSheet, exitLocked, exitLedger},
		sub: []command{
			{
				name: "import", args: "FILE",
				brief: "replace the branch list by another, from CSV or JSON",
				long: `CSV with a header such as BANK,IFSC,BRANCH,CITY,STATE; a JSON array of objects with these fields; or a
JSON object of them by IFSC. Other columns are ignored. One bad line and the list stays as it was.`,
				examples: []string{"payrun ifsc import ifsc.csv"},
				exits:    []int{exitSheet, exitLocked, exitLedger},
				least:    1, most: 1,
				run: a.ledgerAction(writing, importBranches),
			},
			{
				name: "show", args: "IFSC",
				brief:    "show the bank and branch of an IFSC",
				examples: []string{"payrun ifsc show HDFC0001234"},
				exits:    []int{exitLedger},
				least:    1, most: 1,
				run: a.ledgerAction(reading, showBranch),
			},
			{
				name:     "status",
				brief:    "show which branch list there is, and how old",
				examples: []string{"payrun ifsc status", "payrun ifsc status --json"},
				exits:    []int{exitLedger},
				run:      a.ledgerAction(reading, showBranchList),
			},
		},
	}
}

func importBranches(ctx context.Context, d *desk, c *urfave.Context) error {
	path := c.Args().First()
	list, branches, err := ifsc.ReadList(path)
	if refused, ok := errors.AsType[*ifsc.ListError](err); ok {
		return fail(exitSheet, "%s: %s; nothing of it was imported", ledger.Plain(path), ledger.Plain(refused.Error())).because(err).
			hint("mend the list, or get it again; the one before stays in use")
	}
	if err != nil {
		return err
	}
	list.ImportedAt, list.ImportedBy = d.world.Now(), d.set.Actor
	if err := d.store.ImportBranches(ctx, list, branches); err != nil {
		return err
	}
	return d.tellBranchList(list)
}

func showBranchList(ctx context.Context, d *desk, _ *urfave.Context) error {
	list, err := d.store.BranchList(ctx)
	if err != nil && !errors.Is(err, ledger.ErrNotFound) {
		return err
	}
	return d.tellBranchList(list)
}

func (d *desk) tellBranchList(list ledger.BranchList) error {
	if d.flags.json {
		return d.document(doc.NewBranchList(list))
	}
	if list.Name == "" {
		d.term.Show("There is no branch list: only the form of an IFSC is checked.")
		d.next = "Next: payrun ifsc import FILE"
		return nil
	}
	d.term.Show("%s: %s, imported %s (%s) by %s\nsha256 %s", ledger.Plain(list.Name), ledger.Counted(list.Count, "branch", "branches"),
		d.set.Clock(list.ImportedAt), ifsc.AgeWords(d.world.Now().Sub(list.ImportedAt)), ledger.Plain(list.ImportedBy), list.SHA256)
	return nil
}

func showBranch(ctx context.Context, d *desk, c *urfave.Context) error {
	code := strings.ToUpper(c.Args().First())
	list, err := d.store.BranchList(ctx)
	if errors.Is(err, ledger.ErrNotFound) {
		return fail(exitFailed, "there is no branch list").hint("payrun ifsc import FILE")
	}
	if err != nil {
		return err
	}
	found, err := d.store.Branches(ctx, []string{code})
	if err != nil {
		return err
	}
	b, ok := found[code]
	if !ok {
		return fail(exitFailed, "%s has no branch %s", ledger.Plain(list.Name), ledger.Plain(code))
	}
	if d.flags.json {
		return d.document(b)
	}
	d.term.Show("%s  %s, %s", b.IFSC, ledger.Plain(b.Bank), ledger.Plain(b.Branch))
	if b.City+b.State != "" {
		d.term.Show("             %s", ledger.Plain(strings.Trim(b.City+", "+b.State, ", ")))
	}
	return nil
}

// shownBanks is how many banks of a sheet are shown without --verbose.
const shownBanks = 10

// showBanks shows which banks a sheet pays, where a branch list tells.
func (d *desk) showBanks(banks []ifsc.BankTally) {
	if len(banks) == 0 {
		return
	}
	d.term.Show("")
	t := d.term.Table(term.Columns{"Paid at", "Payouts", "Total"}, 2, 3)
	for _, b := range head(banks, d.term.Most(shownBanks)) {
		t.Row(ledger.Plain(b.Bank), ledger.Grouped(b.Count), b.Total.Rupees())
	}
	t.Render()
	if left := len(banks) - d.term.Most(shownBanks); left > 0 {
		d.term.Show("… and %s more banks (--verbose shows all)", ledger.Grouped(left))
	}
}
