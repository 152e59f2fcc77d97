package cli

import (
	"cmp"
	"context"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) demoCommand() command {
	return command{
		name: "demo", args: "[SHEET]",
		brief: "a whole payday with a sample sheet and a sandbox bank, in a temporary folder",
		long: `Check, load, initiate, OTP, submit, settle, reports: the real code, a real ledger, and a bank that
runs in this process. Nothing outside the temporary folder is touched. The folder is kept.`,
		examples: []string{"payrun demo"},
		exits:    []int{exitSheet, exitMismatch, exitLedger},
		run:      p.demo,
	}
}

func (p *program) demo(ctx context.Context, c *urfave.Context) error {
	d := demonstration{&session{program: p}}
	shown, err := app.Demo(ctx, p.env(), p.call(config.Settings{}), c.Args().First(), d)
	if err != nil {
		return err
	}
	if p.term.JSON {
		return d.runDocument(&shown.Run)
	}
	p.term.Resultf("")
	for _, path := range shown.Reports {
		p.term.Linef("report  %s", path)
		if strings.HasSuffix(path, ".html") {
			p.last = "For your own sheets: payrun init\nNext: open " + path
		}
	}
	p.term.Linef("ledger  %s", shown.Ledger)
	return nil
}

// demonstration shows the demo on the terminal.
type demonstration struct{ *session }

func (d demonstration) Begins(set config.Settings) { d.set = set }

func (d demonstration) Step(words string) { d.term.Progressf("\n── %s\n", words) }

func (d demonstration) Sheet(sheet *app.Sheet) { d.showSheet(sheet) }

func (d demonstration) Submitted(r app.Result) {
	d.term.Progressf("%s  %-9s %4d  %18s  initiated, held; %s read from the sandbox's phone; %s", r.Batch.ID, d.set.AccountName(r.Batch.BankAccountID),
		r.Batch.Count, r.Batch.Total.Rupees(), either(r.Batch.Rules().NeedsToken, "OTP and token", "OTP"), r.Outcome)
}

func (d demonstration) Says(words string) { d.term.Progressf("%s", words) }

func (d demonstration) Paid(first []ledger.Attempt, more int) {
	t := d.term.Table(term.Columns{"Reference", "Payee", "Account", "Amount", "State", "UTR"}, 4)
	for _, at := range first {
		t.Row(at.Ref, at.VendorName, ledger.Mask(cmp.Or(at.BankAccountNumber, at.OpenBeneficiaryID)),
			at.Amount.Rupees(), at.State.Words(), at.BankTxnRefID)
	}
	t.Render()
	if more > 0 {
		d.term.Resultf("… and %d more payouts", more)
	}
}
