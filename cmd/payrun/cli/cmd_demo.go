package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/samples"
	"payrun/submitter"
	"payrun/submitter/sandbox"
)

func (a *app) demoCommand() command {
	return command{
		name: "demo", args: "[SHEET]", group: groupStart,
		brief: "the whole job on a shipped sheet, against the sandbox, in a temporary folder",
		long: `Check, load, initiate, OTP, submit, settle, reports: with the real code, a real ledger and a bank
that runs in this process. Nothing outside the temporary folder is touched, and it stays for you
to look at.`,
		examples: []string{"payrun demo"},
		exits:    []int{exitSheet, exitMismatch, exitLedger},
		most:     1,
		run: func(ctx context.Context, c *urfave.Context) error {
			return a.demo(ctx, c.Args().First())
		},
	}
}

// demonstration is one `payrun demo`.
type demonstration struct {
	sitting
	bank *sandbox.Server
	dir  string
}

// demoSeed makes the demo the same every time: references, codes, UTRs.
const demoSeed = 20

func (a *app) demo(ctx context.Context, sheet string) (err error) {
	dir, err := os.MkdirTemp("", "payrun-demo-")
	if err != nil {
		return err
	}
	bank, err := sandbox.Start(ctx, sandbox.Options{Seed: demoSeed, Now: a.world.Now})
	if err != nil {
		return fmt.Errorf("the sandbox cannot start: %w", err)
	}
	defer func() { err = errors.Join(err, bank.Close()) }()
	if sheet == "" {
		if sheet, err = shippedSheet(dir); err != nil {
			return err
		}
	}
	inner, err := a.demoApp(ctx, dir, bank.Ready())
	if err != nil {
		return err
	}
	err = inner.withLedger(ctx, writing, func(d *desk) error {
		if err := d.openBank(ctx); err != nil {
			return err
		}
		show := &demonstration{sitting: sitting{desk: d}, bank: bank, dir: dir}
		return show.run(ctx, sheet)
	})
	a.next = inner.next
	return err
}

// shippedSheet puts the sample where a person would have it: in a file.
func shippedSheet(dir string) (string, error) {
	text, err := samples.FS.ReadFile(samples.MonthEndCSV)
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, samples.MonthEndCSV)
	return path, os.WriteFile(path, text, 0o600)
}

// demoApp is the program as the demo's user would have it: its own
// payrun.toml, its own ledger, and the sandbox's keys in the environment.
func (a *app) demoApp(ctx context.Context, dir string, bank sandbox.Ready) (*app, error) {
	path := filepath.Join(dir, config.Name)
	if err := os.WriteFile(path, []byte(config.Rehearsal(bank.Addr)), 0o600); err != nil {
		return nil, err
	}
	world := a.world
	world.Getenv = func(name string) string {
		switch name {
		case "PAYRUN_ACCESS_KEY":
			return bank.AccessKey
		case "PAYRUN_SECRET_KEY":
			return bank.SecretKey
		case "NO_COLOR", "TERM":
			return a.world.Getenv(name)
		}
		return ""
	}
	inner := &app{world: world, term: a.term, log: a.log, flags: a.flags}
	inner.flags.config, inner.flags.ledger, inner.flags.actor = path, "", "demo"
	set, err := inner.settings()
	if err != nil {
		return nil, err
	}
	store, err := sqlite.Create(ctx, set.LedgerPath, set.Actor, a.world.Now())
	if err != nil {
		return nil, err
	}
	return inner, store.Close()
}

func (d *demonstration) run(ctx context.Context, sheet string) (err error) {
	d.step("The sheet is read, judged and packed into batches, then recorded in a new ledger.")
	if d.in, err = d.load(ctx, sheet, d.plainOptions(), false); err != nil {
		return err
	}
	if !d.flags.json {
		d.showSheet(d.in)
	}
	if d.in.loaded == nil {
		return d.refusal(d.in, true)
	}
	d.step("Each batch is initiated and held; its OTP is entered, and only then does money move.")
	if err := d.enterAll(ctx); err != nil {
		return err
	}
	d.step("The bank works; its status is asked for until every payout is final.")
	if err := d.settle(ctx); err != nil {
		return err
	}
	d.step("What was paid.")
	if err := d.showPaid(ctx); err != nil {
		return err
	}
	if d.reports, err = d.writeReports(ctx, "", ""); err != nil {
		return err
	}
	if err := d.tieOut(ctx); err != nil {
		return err
	}
	return d.conclude()
}

func (d *demonstration) step(words string) { d.term.Say("\n── %s\n", words) }

// enterAll takes round after round, like a person with the phone beside them.
func (d *demonstration) enterAll(ctx context.Context) error {
	for {
		planned, err := d.inState(ctx, ledger.BatchPlanned)
		if err != nil || len(planned) == 0 {
			return err
		}
		initiated, err := d.initiate(ctx, ids(planned))
		d.note(initiated)
		if err != nil {
			return engineFailed(err)
		}
		held, err := d.inState(ctx, ledger.BatchHeld)
		if err != nil {
			return err
		}
		if len(held) == 0 {
			return fail(exitFailed, "the sandbox holds no batch")
		}
		for _, b := range held {
			if err := d.enterOne(ctx, b); err != nil {
				return err
			}
		}
	}
}

func (d *demonstration) enterOne(ctx context.Context, b ledger.Batch) error {
	otp, token, ok := d.bank.OTP(b.ID)
	if !ok {
		return fail(exitFailed, "the sandbox does not know batch %s", b.ID)
	}
	results, err := d.engine.Submit(ctx, []submitter.OTP{{BatchID: b.ID, OTP: ledger.NewSecret(otp), Token: ledger.NewSecret(token)}})
	d.note(results)
	if err != nil {
		return engineFailed(err)
	}
	phone := "OTP"
	if token != "" {
		phone = "OTP and token"
	}
	for _, r := range results {
		d.term.Say("%s  %-9s %4d  %18s  initiated, held; %s read from the sandbox's phone; %s", b.ID, d.set.AccountName(b.BankAccountID),
			b.Count, b.Total.Rupees(), phone, r.Outcome)
	}
	return nil
}

// demoPolls bounds the polls: the sandbox ends a payout within six settlings,
// and a failure is believed only when a second read says it.
const demoPolls = 12

func (d *demonstration) settle(ctx context.Context) error {
	for n := 1; n <= demoPolls; n++ {
		d.bank.Settle()
		polled, err := d.engine.Poll(ctx, ids(d.in.loaded), 0)
		d.note(polled)
		if err != nil {
			return engineFailed(err)
		}
		tallies, err := d.store.Tallies(ctx)
		if err != nil {
			return err
		}
		d.term.Say("poll %d: %s", n, tallyWords(tallies))
		open, err := d.inState(ctx, ledger.BatchSubmitted)
		if err != nil || len(open) == 0 {
			return err
		}
	}
	return nil // what is still open is told by the exit code
}

func tallyWords(tallies map[ledger.PayoutState]ledger.Tally) string {
	var words []string
	for _, state := range ledger.PayoutStates {
		if t := tallies[state]; t.Count > 0 {
			words = append(words, fmt.Sprintf("%d %s", t.Count, state))
		}
	}
	return strings.Join(words, ", ")
}

// demoRows is how many payouts the demo shows.
const demoRows = 15

func (d *demonstration) showPaid(ctx context.Context) error {
	t := d.term.Table(term.Columns{"Reference", "Payee", "Account", "Amount", "State", "UTR"}, 4)
	n := 0
	err := d.store.EachPayout(ctx, ledger.Filter{SheetID: d.in.Sheet.ID}, func(at ledger.Attempt) error {
		if n++; n <= demoRows {
			t.Row(ledger.Plain(at.Ref), ledger.Plain(at.VendorName), ledger.Mask(cmp.Or(at.BankAccountNumber, at.OpenBeneficiaryID)),
				at.Amount.Rupees(), string(at.State), ledger.Plain(at.BankTxnRefID))
		}
		return nil
	})
	if err != nil || d.flags.json {
		return err
	}
	t.Render()
	if n > demoRows {
		d.term.Show("… and %d more payouts", n-demoRows)
	}
	return nil
}

// tieOut holds three sums against each other that came three different ways:
// the sheet's rows, the ledger's payouts, and what the bank says it executed.
func (d *demonstration) tieOut(ctx context.Context) error {
	tallies, err := d.store.Tallies(ctx)
	if err != nil {
		return err
	}
	if err := d.standing(ctx, scope{all: true, past: true}); err != nil {
		return err
	}
	sheet, here, there := d.in.Sheet.Accepted, tallies[ledger.PayoutSuccess], d.bank.State().Executed
	if sheet != here || here != there {
		return fail(exitMismatch, "does not tie out: sheet %d of %s, ledger %d of %s, bank %d of %s",
			sheet.Count, sheet.Total.Rupees(), here.Count, here.Total.Rupees(), there.Count, there.Total.Rupees())
	}
	d.term.Say("\nTies out to the paisa: sheet = ledger = bank = %s of %s.", payouts(here.Count), here.Total.Rupees())
	return nil
}

func (d *demonstration) conclude() error {
	if d.flags.json {
		return d.tell()
	}
	d.term.Show("")
	for _, p := range d.reports {
		d.term.Show("report  %s", p)
	}
	d.term.Show("ledger  %s", d.set.LedgerPath)
	html := slices.IndexFunc(d.reports, func(p string) bool { return strings.HasSuffix(p, ".html") })
	if html >= 0 {
		d.next = "Next: open " + d.reports[html] + ", then payrun init for your own sheets"
	}
	return nil
}
