package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (a *app) statusCommand() command {
	return command{
		name: "status", group: groupView,
		brief:    "show the batches and the payouts by state",
		examples: []string{"payrun status", "payrun status --json"},
		exits:    []int{exitLedger},
		run:      a.ledgerAction(reading, status),
	}
}

func status(ctx context.Context, d *desk, _ *urfave.Context) error {
	all, err := d.store.Batches(ctx, ledger.Filter{})
	if err != nil {
		return err
	}
	tallies, err := d.store.Tallies(ctx)
	if err != nil {
		return err
	}
	if d.flags.json {
		return d.statusDocument(all, tallies)
	}
	d.showBatches(all)
	d.showTallies(tallies)
	d.next = d.nextOf(all)
	return nil
}

func (d *desk) statusDocument(all []ledger.Batch, tallies map[ledger.PayoutState]ledger.Tally) error {
	out := doc.NewStream(d.term.Out)
	out.Field("schema", "payrun.status/v1")
	doc.List(out, "batches", func(yield func(doc.BatchStatus) bool) {
		for _, b := range all {
			if !yield(doc.NewBatchStatus(b)) {
				return
			}
		}
	})
	byState := map[ledger.PayoutState]ledger.Tally{}
	for _, state := range ledger.PayoutStates {
		byState[state] = tallies[state]
	}
	out.Field("payouts", byState)
	held, open := countHeldOpen(all)
	out.Field("held", held)
	out.Field("open", open)
	return out.End()
}

func countHeldOpen(all []ledger.Batch) (held, open int) {
	for _, b := range all {
		if b.State == ledger.BatchHeld {
			held++
		}
		if b.State.Open() {
			open++
		}
	}
	return held, open
}

func (d *desk) showBatches(all []ledger.Batch) {
	if len(all) == 0 {
		return
	}
	t := d.term.Table(term.Columns{"Batch", "Sheet", "Account", "Bank", "Payouts", "Total", "State", "Since", "Note"}, 4, 5, 6)
	for _, b := range head(all, d.term.Most(shownBatches)) {
		t.Row(b.ID, b.SheetID, ledger.Plain(d.set.AccountName(b.BankAccountID)), b.PartnerBankID, b.Count, b.Total.Rupees(),
			d.term.Paint(stateColor(b.State), string(b.State)), d.set.Clock(b.StateSince), ledger.Plain(b.Note))
	}
	t.Render()
	d.showMore(len(all), "batches")
	d.term.Show("")
}

func (d *desk) showTallies(tallies map[ledger.PayoutState]ledger.Tally) {
	t := d.term.Table(term.Columns{"Payouts", "Count", "Total"}, 2, 3)
	var sum ledger.Tally
	for _, state := range ledger.PayoutStates {
		tally := tallies[state]
		if tally.Count == 0 {
			continue
		}
		t.Row(string(state), tally.Count, tally.Total.Rupees())
		sum.Count, sum.Total = sum.Count+tally.Count, sum.Total+tally.Total
	}
	if sum.Count == 0 {
		d.term.Show("The ledger holds no payouts.")
		return
	}
	t.Footer("all", sum.Count, sum.Total.Rupees())
	t.Render()
}

// nextOf words what a person has to do next, by what stands in the way most.
func (d *desk) nextOf(all []ledger.Batch) string {
	n := map[ledger.BatchState]int{}
	for _, b := range all {
		n[b.State]++
	}
	switch {
	case len(all) == 0:
		return "Next: payrun load SHEET"
	case n[ledger.BatchQuarantined] > 0:
		return "Next: look at the quarantined " + batches(n[ledger.BatchQuarantined]) + " with the bank, then payrun abandon BATCH --reason TEXT"
	case n[ledger.BatchInitiateUnknown]+n[ledger.BatchSubmitUnknown]+n[ledger.BatchInitiating]+n[ledger.BatchSubmitting] > 0:
		return "Next: payrun poll (an outcome is unknown; never send again)"
	case n[ledger.BatchHeld] > 0:
		return "Next: payrun submit (" + batches(n[ledger.BatchHeld]) + " held for the OTP)"
	case n[ledger.BatchPlanned] > 0:
		return d.nextPlanned(n[ledger.BatchPlanned])
	case n[ledger.BatchSubmitted] > 0:
		return "Next: payrun poll --wait 10m (" + batches(n[ledger.BatchSubmitted]) + " open at the bank)"
	}
	return "Nothing is left to do. The files are written by: payrun report"
}

// nextPlanned words what planned batches wait for.
func (d *desk) nextPlanned(n int) string {
	if d.set.Policy.TwoPerson {
		return "Next, by another person than who planned them: payrun approve BATCH; then payrun initiate --all (" + batches(n) + " planned)"
	}
	return "Next: payrun initiate --all (" + batches(n) + " planned)"
}

func stateColor(s ledger.BatchState) term.Color {
	switch s {
	case ledger.BatchSettled:
		return term.Good
	case ledger.BatchQuarantined, ledger.BatchRefused, ledger.BatchSubmitUnknown, ledger.BatchInitiateUnknown:
		return term.Bad
	case ledger.BatchHeld:
		return term.Attend
	default:
		return term.Ordinary
	}
}
