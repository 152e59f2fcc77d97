package cli

import (
	"context"
	"errors"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/validate"
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
				run: a.ledgerAction(sqlite.Exclusive, importBranches),
			},
			{
				name: "show", args: "IFSC",
				brief:    "show the bank and branch of an IFSC",
				examples: []string{"payrun ifsc show HDFC0001234"},
				exits:    []int{exitLedger},
				least:    1, most: 1,
				run: a.ledgerAction(sqlite.ReadOnly, showBranch),
			},
			{
				name:     "status",
				brief:    "show which branch list there is, and how old",
				examples: []string{"payrun ifsc status", "payrun ifsc status --json"},
				exits:    []int{exitLedger},
				run:      a.ledgerAction(sqlite.ReadOnly, showBranchList),
			},
		},
	}
}

// branchListDocument is payrun.ifsc/v1.
type branchListDocument struct {
	Schema     string `json:"schema"`
	Name       string `json:"name"` // "" without a list, as all that follows
	SHA256     string `json:"sha256"`
	Branches   int    `json:"branches"`
	ImportedAt string `json:"imported_at"`
	ImportedBy string `json:"imported_by"`
}

func importBranches(ctx context.Context, d *desk, c *urfave.Context) error {
	path := c.Args().First()
	list, branches, err := validate.ReadBranchList(path)
	if refused, ok := errors.AsType[*validate.BranchListError](err); ok {
		return fail(exitSheet, "%s: %s; nothing of it was imported", plain(path), plain(refused.Error())).because(err).
			hint("mend the list, or get it again; the one before stays in use")
	}
	if err != nil {
		return err
	}
	list.ImportedAt, list.ImportedBy = d.world.Now(), d.set.actor
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
		return d.document(branchListDocument{"payrun.ifsc/v1", list.Name, list.SHA256, list.Count, instant(list.ImportedAt), list.ImportedBy})
	}
	if list.Name == "" {
		d.show("There is no branch list: only the form of an IFSC is checked.")
		d.next = "Next: payrun ifsc import FILE"
		return nil
	}
	d.show("%s: %s, imported %s (%s) by %s\nsha256 %s", plain(list.Name), counted(list.Count, "branch", "branches"),
		d.set.at(list.ImportedAt), validate.AgeWords(d.world.Now().Sub(list.ImportedAt)), plain(list.ImportedBy), list.SHA256)
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
		return fail(exitFailed, "%s has no branch %s", plain(list.Name), plain(code))
	}
	if d.flags.json {
		return d.document(b)
	}
	d.show("%s  %s, %s", b.IFSC, plain(b.Bank), plain(b.Branch))
	if b.City+b.State != "" {
		d.show("             %s", plain(strings.Trim(b.City+", "+b.State, ", ")))
	}
	return nil
}

// shownBanks is how many banks of a sheet are shown without --verbose.
const shownBanks = 10

// showBanks shows which banks a sheet pays, where a branch list tells.
func (d *desk) showBanks(banks []validate.BankTally) {
	if len(banks) == 0 {
		return
	}
	d.show("")
	t := d.newTable(table.Row{"Paid at", "Payouts", "Total"}, 2, 3)
	for _, b := range head(banks, d.most(shownBanks)) {
		t.AppendRow(table.Row{plain(b.Bank), grouped(b.Count), rupees(b.Total)})
	}
	t.Render()
	if left := len(banks) - d.most(shownBanks); left > 0 {
		d.show("… and %s more banks (--verbose shows all)", grouped(left))
	}
}
