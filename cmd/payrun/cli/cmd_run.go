package cli

import (
	"context"
	"errors"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/submitter"
)

// runWait is how long run polls where a person is watching.
const runWait = 2 * time.Minute

func (a *app) runCommand() command {
	return command{
		name: "run", args: "SHEET", group: groupMonth,
		brief: "check, load, then for each batch initiate, ask for the OTP, submit; then poll and report",
		long: `The same steps as the commands of their own, in one sitting. What is not done when it ends is in
the ledger and goes on with payrun initiate, submit and poll.`,
		examples: []string{"payrun run november.csv", "payrun run november.csv --expect-total 18,40,150.50"},
		exits: []int{exitCancelled, exitCredentials, exitSheet, exitLocked, exitPerson, exitReturned, exitOpen,
			exitUnknown, exitMismatch, exitLedger},
		flags: append(sheetFlags(),
			&urfave.StringFlag{Name: "wait", Usage: "poll for `DURATION` at the end (default: 2m on a terminal, otherwise once)"}),
		least: 1, most: 1,
		usage: func(c *urfave.Context) error { _, err := waitFlag(c, 0); return err },
		run:   a.ledgerAction(writing, run),
	}
}

// sitting is one `payrun run`.
type sitting struct {
	*desk
	in      intake
	results []submitter.Result // the latest of each batch
	reports []string
}

func run(ctx context.Context, d *desk, c *urfave.Context) error {
	if err := d.maySend(); err != nil {
		return err
	}
	o, err := d.checkOptions(c)
	if err != nil {
		return err
	}
	wait, err := waitFlag(c, d.usualWait())
	if err != nil {
		return err
	}
	if err := d.openBank(ctx); err != nil {
		return err
	}
	s := &sitting{desk: d}
	if s.in, err = d.load(ctx, c.Args().First(), o, c.Bool("skip-bad")); err != nil {
		return err
	}
	if !d.flags.json {
		d.showSheet(s.in)
	}
	var refused, sent error
	if s.in.loaded == nil || s.in.Refused() {
		refused = d.refusal(s.in, c.Bool("skip-bad"))
	}
	if s.in.loaded != nil {
		sent = s.send(ctx, wait)
	}
	if err := s.tell(); err != nil {
		return err
	}
	if s.in.loaded == nil {
		return refused
	}
	return errors.Join(refused, d.finish(ctx, scope{named: ids(s.in.loaded)}, sent), waiting(s.results))
}

func (a *app) usualWait() time.Duration {
	if a.term.Out.Terminal() {
		return runWait
	}
	return 0
}

// send initiates and submits batch after batch, polls, and writes the reports.
// The reports are written also where sending broke off.
func (s *sitting) send(ctx context.Context, wait time.Duration) error {
	total := s.in.Sheet.Accepted.Total
	if !s.asksTotal(total) && !s.set.Policy.TwoPerson { // then the total is typed, or nothing goes out before somebody else approves
		if err := s.term.Confirm(ctx, "Initiate "+batches(len(s.in.loaded))+" of "+total.Rupees()+"?"); err != nil {
			return err
		}
	}
	err := s.enter(ctx)
	if err == nil {
		done := s.term.Progress("asking the bank")
		var polled []submitter.Result
		polled, err = s.engine.Poll(ctx, ids(s.in.loaded), wait)
		done()
		s.note(polled)
	}
	var reportErr error
	s.reports, reportErr = s.writeReports(context.WithoutCancel(ctx), "", s.in.Sheet.ID)
	return errors.Join(err, reportErr)
}

// enter takes round after round of initiate and submit until a round brings
// nothing on: one batch of a debit account is held at a time.
func (s *sitting) enter(ctx context.Context) error {
	for {
		planned, err := s.inState(ctx, ledger.BatchPlanned)
		if err != nil || len(planned) == 0 {
			return err
		}
		initiated, err := s.initiate(ctx, ids(planned))
		s.note(initiated)
		if err != nil {
			return err
		}
		held, err := s.inState(ctx, ledger.BatchHeld)
		if err != nil {
			return err
		}
		submitted, err := s.submitEach(ctx, held)
		s.note(submitted)
		if err != nil {
			return err
		}
		if !broughtOn(initiated, submitter.OutcomeRefused) && !broughtOn(submitted, submitter.OutcomeSubmitted) {
			return nil
		}
	}
}

func broughtOn(results []submitter.Result, outcome string) bool {
	for _, r := range results {
		if r.Outcome == outcome {
			return true
		}
	}
	return false
}

// inState returns the sheet's batches that are in the state.
func (s *sitting) inState(ctx context.Context, state ledger.BatchState) ([]ledger.Batch, error) {
	all, err := s.store.Batches(ctx, ledger.Filter{SheetID: s.in.Sheet.ID})
	if err != nil {
		return nil, err
	}
	var out []ledger.Batch
	for _, b := range all {
		if b.State == state {
			out = append(out, b)
		}
	}
	return out, nil
}

// note keeps the latest result of each batch.
func (s *sitting) note(results []submitter.Result) {
	for _, r := range results {
		known := false
		for i := range s.results {
			if s.results[i].Batch.ID == r.Batch.ID {
				known = true
				if r.Outcome != submitter.OutcomeUnchanged { // which tells less than what is known
					s.results[i] = r
				}
			}
		}
		if !known {
			s.results = append(s.results, r)
		}
	}
}

// tell shows the whole sitting.
func (s *sitting) tell() error {
	if !s.flags.json {
		s.showResults(s.results)
		for _, p := range s.reports {
			s.term.Show("%s", p)
		}
		return nil
	}
	d := doc.NewStream(s.term.Out)
	d.Field("schema", "payrun.run/v1")
	d.Object("load", func(inner *doc.Stream) { s.sheetFields(inner, "payrun.load/v1", s.in) })
	d.Field("batches", batchLines(s.results))
	d.Field("reports", append([]string{}, s.reports...))
	return d.End()
}
