package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
	"payrun/submitter"
)

func (a *app) submitCommand() command {
	return command{
		name: "submit", args: "[BATCH...]", group: groupMonth,
		brief: "enter the OTPs of held batches; this is where money moves",
		long: `Without --otp-file each OTP is asked for, hidden, on the terminal, or fetched with otp.command
(payrun help otp). A file that names an unknown batch, or one that is not held, sends nothing.
A submit whose answer is lost is never sent again; payrun poll finds out.`,
		examples: []string{"payrun submit", "payrun submit --otp-file otps.csv", "payrun submit BATCH"},
		exits: []int{exitCancelled, exitCredentials, exitLocked, exitPerson, exitReturned, exitOpen, exitUnknown,
			exitMismatch, exitLedger},
		flags: []urfave.Flag{&urfave.StringFlag{Name: "otp-file", Usage: "read the OTPs from CSV `FILE`, or from - (standard input)"}},
		most:  anyNumber,
		run:   a.ledgerAction(writing, submit),
	}
}

func submit(ctx context.Context, d *desk, c *urfave.Context) error {
	if err := d.maySend(); err != nil {
		return err
	}
	held, err := d.heldBatches(ctx, c.Args().Slice())
	if err != nil {
		return err
	}
	if c.IsSet("otp-file") {
		return d.submitFromFile(ctx, c.String("otp-file"), c.Args().Slice())
	}
	if err := d.openBank(ctx); err != nil {
		return err
	}
	results, err := d.submitEach(ctx, held)
	if len(results) > 0 || err == nil {
		if err := d.tell("submit", results); err != nil {
			return err
		}
	}
	s := scope{named: ids(held), all: c.NArg() == 0}
	return d.finish(ctx, s, err)
}

// heldBatches returns the named batches, all of which must be held, or every
// held one.
func (d *desk) heldBatches(ctx context.Context, named []string) ([]ledger.Batch, error) {
	if len(named) == 0 {
		return d.store.BatchesIn(ctx, ledger.BatchHeld)
	}
	var held []ledger.Batch
	for _, id := range named {
		b, err := d.batch(ctx, id)
		if err != nil {
			return nil, err
		}
		if b.State != ledger.BatchHeld {
			return nil, usage("batch %s is %s, not held; nothing was sent", b.ID, b.State).hint("payrun status")
		}
		if !slices.ContainsFunc(held, func(h ledger.Batch) bool { return h.ID == b.ID }) {
			held = append(held, b)
		}
	}
	return held, nil
}

// submitFromFile sends what the file says, for the named batches or for all of it.
func (d *desk) submitFromFile(ctx context.Context, path string, named []string) error {
	entries, err := d.readOTPs(path)
	if err != nil {
		return err
	}
	if _, err := d.heldBatches(ctx, entryIDs(entries)); len(entries) > 0 && err != nil {
		return err
	}
	if len(named) > 0 {
		entries = slices.DeleteFunc(entries, func(e submitter.OTP) bool { return !slices.Contains(named, e.BatchID) })
	}
	if err := d.openBank(ctx); err != nil {
		return err
	}
	var results []submitter.Result
	if len(entries) > 0 {
		results, err = d.engine.Submit(ctx, entries)
	}
	if len(results) > 0 || err == nil {
		if err := d.tell("submit", results); err != nil {
			return err
		}
	}
	return d.finish(ctx, scope{named: append(entryIDs(entries), named...)}, err)
}

// submitEach asks for each OTP and submits it at once, for an OTP does not
// keep. What is skipped stays held.
func (d *desk) submitEach(ctx context.Context, held []ledger.Batch) ([]submitter.Result, error) {
	if len(held) > 0 && d.set.OTP.Command == "" && !d.term.CanAsk() {
		return nil, fail(exitPerson, "%s waiting for the OTP, and nobody can be asked: %s", batches(len(held)), someIDs(held)).
			hint("next: payrun submit on a terminal, or payrun submit --otp-file FILE")
	}
	var results []submitter.Result
	for _, b := range held {
		more, err := d.submitOne(ctx, b)
		results = append(results, more...)
		if err != nil {
			return results, err
		}
	}
	return results, nil
}

// submitOne asks for the OTP of one batch until the bank takes it, the person
// gives up or the tries are spent.
func (d *desk) submitOne(ctx context.Context, b ledger.Batch) ([]submitter.Result, error) {
	for {
		entry, err := d.otpFor(ctx, b)
		if errors.Is(err, errSkipped) {
			return []submitter.Result{{Batch: b, Outcome: submitter.OutcomeNeedsPerson, Message: "no OTP was entered; not sent"}}, nil
		}
		if err != nil {
			return nil, err
		}
		results, err := d.engine.Submit(ctx, []submitter.OTP{entry})
		if err != nil || len(results) == 0 {
			return results, err
		}
		r := results[0]
		if r.Outcome != submitter.OutcomeRejected || r.Batch.Attention != ledger.NeedsNothing || d.set.OTP.Command != "" {
			return results, nil
		}
		fmt.Fprintf(d.term.Err, "  %s\n", ledger.Plain(r.Message))
		b = r.Batch
	}
}

func ids(bs []ledger.Batch) []string {
	var out []string
	for _, b := range bs {
		out = append(out, b.ID)
	}
	return out
}

func entryIDs(entries []submitter.OTP) []string {
	var out []string
	for _, e := range entries {
		out = append(out, e.BatchID)
	}
	return out
}
