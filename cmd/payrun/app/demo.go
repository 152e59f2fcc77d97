package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/samples"
	"payrun/submitter/sandbox"
)

// Audience watches a demonstration.
type Audience interface {
	Begins(set config.Settings)              // with the demo's own settings
	Step(words string)                       // what comes next
	Says(words string)                       // how it goes
	Sheet(s *Sheet)                          // what was read
	Submitted(r Result)                      // after its OTP was entered
	Paid(payouts []ledger.Attempt, more int) // the first few of the sheet; more is how many follow
}

// Demonstration is the result of a demo.
type Demonstration struct {
	Run
	Ledger string // path
}

// demoSeed makes the demo the same every time: references, codes, UTRs.
const demoSeed = 20

// demo is one running demonstration.
type demo struct {
	*operation
	bank     *sandbox.Server
	run      *Run
	audience Audience
	troubled int // payouts that the demo makes fail or come back
}

// Demo runs every step for a sheet ("" for the shipped one) against its own sandbox,
// with the real code and a real ledger, in a temporary folder that is kept. It does not
// touch the person's own settings, keys or ledger.
func Demo(ctx context.Context, env Env, call Call, sheet string, audience Audience) (out Demonstration, err error) {
	if sheet != "" {
		if err := given(sheet); err != nil {
			return out, err
		}
	}
	dir, err := os.MkdirTemp("", "payrun-demo-")
	if err != nil {
		return out, err
	}
	bank, err := sandbox.Start(ctx, sandbox.Options{Seed: demoSeed, Now: env.Now})
	if err != nil {
		return out, fmt.Errorf("the sandbox cannot start: %w", err)
	}
	defer func() { err = errors.Join(err, bank.Close()) }()
	if sheet == "" {
		sheet = filepath.Join(dir, samples.MonthEndCSV) // where a person would have it
		text, err := samples.FS.ReadFile(samples.MonthEndCSV)
		if err = cmp.Or(err, os.WriteFile(sheet, text, 0o600)); err != nil {
			return out, err
		}
	}
	a, err := demoApp(ctx, env, dir, bank.Ready())
	if err != nil {
		return out, err
	}
	audience.Begins(a.set)
	out.Ledger, call.Actor = a.place.name(), demoActor
	err = a.write(ctx, call, func(o *operation) error {
		if err := o.openBank(ctx); err != nil {
			return err
		}
		return (&demo{operation: o, bank: bank, run: &out.Run, audience: audience}).play(ctx, sheet)
	})
	return out, err
}

const demoActor = "demo"

// demoApp returns an App as the demo's user would have it: its own payrun.toml, its
// own ledger, and the sandbox's keys in the environment.
func demoApp(ctx context.Context, env Env, dir string, bank sandbox.Ready) (*App, error) {
	path := filepath.Join(dir, config.Name)
	if err := os.WriteFile(path, []byte(config.Rehearsal(bank.Addr)), 0o600); err != nil {
		return nil, err
	}
	env.Getenv = func(name string) string {
		switch name {
		case "PAYRUN_ACCESS_KEY":
			return bank.AccessKey
		case "PAYRUN_SECRET_KEY":
			return bank.SecretKey
		}
		return ""
	}
	set, err := config.Load(config.Sources{Config: path, Getenv: env.Getenv, Amount: ParseAmount, Column: ColumnOf})
	if err != nil {
		return nil, err
	}
	a := New(set, env)
	return a, a.createLedger(ctx, Call{Actor: demoActor})
}

func (d *demo) play(ctx context.Context, sheet string) (err error) {
	d.audience.Step("The sheet is validated, split into batches, and recorded in a new ledger.")
	loaded, err := d.load(ctx, sheet, SheetOptions{})
	if err != nil {
		return err
	}
	d.run.Sheets = []Sheet{loaded}
	d.audience.Sheet(&d.run.Sheets[0])
	if d.run.Sheets[0].Loaded == nil {
		return d.run.Sheets[0].refusal(true)
	}
	if err := d.trouble(ctx); err != nil {
		return err
	}
	d.audience.Step("Each batch is initiated and held; its OTP is entered, and only then does money move.")
	if err := d.enter(ctx, d.run, RunRequest{Prompt: d}); err != nil {
		return err
	}
	d.audience.Step("The bank works; its status is asked for until every payout is final.")
	if err := d.settle(ctx); err != nil {
		return err
	}
	d.audience.Step("What was paid.")
	if err := d.showPaid(ctx); err != nil {
		return err
	}
	d.audience.Step("The bank's statements are fetched, and each line is matched to a payout.")
	if err := d.fetchStatements(ctx, ReconcileRequest{}); err != nil {
		return err
	}
	done, err := d.reconciled(ctx, ReconcileRequest{Dir: d.set.InFolder(d.set.Nightly.Reports)})
	if err != nil {
		return err
	}
	if err := mismatch(done.Statements); err != nil {
		return err
	}
	d.run.Reports = done.Reports
	return d.tieOut(ctx, done.Statements)
}

// demoTrouble is the number of payouts from which on the demo makes one fail and one come
// back, so that the reports show what they are for.
const demoTrouble = 20

// trouble makes the bank refuse one payout, and send another back after it was paid.
func (d *demo) trouble(ctx context.Context) error {
	if d.run.Sheets[0].Sheet.Accepted.Count < demoTrouble {
		return nil
	}
	outcomes := map[string]string{}
	ends := []string{"failed", "returned"}
	err := d.store.EachPayout(ctx, ledger.Filter{SheetID: d.run.Sheets[0].Sheet.ID}, func(at ledger.Attempt) error {
		if at.Row%7 == 0 && len(outcomes) < len(ends) {
			outcomes[at.WireRef] = ends[len(outcomes)]
		}
		return nil
	})
	d.troubled = len(outcomes)
	return errors.Join(err, d.bank.SetOutcomes(outcomes))
}

// Enter gets an OTP from the sandbox's phone.
func (d *demo) Enter(_ context.Context, asked Asked) (OTP, error) {
	otp, token, ok := d.bank.OTP(asked.Batch.ID)
	if !ok {
		return OTP{}, Fail(Failed, "the sandbox does not know batch %s", asked.Batch.ID)
	}
	return OTP{BatchID: asked.Batch.ID, OTP: ledger.NewSecret(otp), Token: ledger.NewSecret(token)}, nil
}

// Ended shows the result.
func (d *demo) Ended(r Result) { d.audience.Submitted(r) }

// Close does nothing.
func (d *demo) Close() error { return nil }

// demoPolls is the maximum number of polls: the sandbox ends a payout within six settlings,
// and a failure counts only after a second read.
const demoPolls = 12

func (d *demo) settle(ctx context.Context) error {
	for n := 1; n <= demoPolls; n++ {
		d.bank.Settle()
		polled, err := d.engine.Poll(ctx, ids(d.run.Sheets[0].Loaded), 0)
		d.run.note(polled)
		if err != nil {
			return err
		}
		tallies, err := d.store.Tallies(ctx)
		if err != nil {
			return err
		}
		d.audience.Says(fmt.Sprintf("poll %d: %s", n, howFar(tallies)))
		open, err := d.inState(ctx, d.run, ledger.BatchSubmitted)
		if err != nil || len(open) == 0 {
			return err
		}
	}
	return nil // tieOut returns an error for what is still open
}

// demoRows is how many payouts the demo shows.
const demoRows = 15

func (d *demo) showPaid(ctx context.Context) error {
	sheet := d.run.Sheets[0].Sheet
	first, err := gathered(ctx, d.store.EachPayout, ledger.Filter{SheetID: sheet.ID, Most: demoRows})
	if err == nil {
		d.audience.Paid(first, sheet.Accepted.Count-len(first))
	}
	return err
}

// tieOut compares three sums from three sources: the sheet's rows, the ledger's payouts,
// and what the bank says it executed.
func (d *demo) tieOut(ctx context.Context, statements *reconcile.Result) error {
	tallies, err := d.store.Tallies(ctx)
	if err != nil {
		return err
	}
	all := d.run.Sheets[0].Sheet.Accepted
	paid, failed, returned := tallies[ledger.PayoutSuccess], tallies[ledger.PayoutFailed], tallies[ledger.PayoutReturned]
	asked := d.attention(ctx, scope{everywhere: true, past: true})
	if worst := Worst(asked); worst != nil && (worst.Code != PayoutsFailed || failed.Count+returned.Count != d.troubled) {
		return asked
	}
	executed := paid.Plus(returned)
	here := executed.Plus(failed)
	if there := d.bank.State().Executed; all != here || executed != there {
		return Fail(Mismatch, "does not tie out: sheet %d of %s, ledger %d of %s, bank %d of %s",
			all.Count, all.Total.Rupees(), here.Count, here.Total.Rupees(), there.Count, there.Total.Rupees())
	}
	tie, shown := "Adds up", reconcile.Ties{} // what the statements show
	if statements != nil {
		shown = statements.Ties()
	}
	if shown.Out() {
		tie = "Ties out to the paisa"
	}
	d.audience.Says(fmt.Sprintf("\n%s: sheet = ledger = bank = %s of %s; %s.", tie, ledger.CountedPayouts(all.Count), all.Total.Rupees(), shown.Words()))
	if failed.Count+returned.Count > 0 {
		d.audience.Says(fmt.Sprintf("Paid %s of %s; %s (%s) failed, %s (%s) came back: the reports say why, and what to do.",
			ledger.CountedPayouts(paid.Count), paid.Total.Rupees(), ledger.CountedPayouts(failed.Count), failed.Total.Rupees(),
			ledger.CountedPayouts(returned.Count), returned.Total.Rupees()))
	}
	return nil
}
