package cli

import (
	"context"
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
	"payrun/submitter"
)

func (a *app) initiateCommand() command {
	return command{
		name: "initiate", args: "[BATCH...]", group: groupMonth,
		brief: "send planned batches to the bank, which then sends the OTPs",
		long: `Each batch is sent once and then held until its OTP is entered with payrun submit. No money
moves before that. One batch of a debit account is held at a time (otp.held_at_once); the
others stay planned for the next initiate. Where policy.two_person is set, so does a batch that
nobody else approved. From policy.confirm_above on, the total of what was asked for is typed.`,
		examples: []string{"payrun initiate --all", "payrun initiate BATCH --json"},
		exits:    []int{exitCancelled, exitCredentials, exitLocked, exitPerson, exitReturned, exitUnknown, exitMismatch, exitLedger},
		flags:    []urfave.Flag{&urfave.BoolFlag{Name: "all", Usage: "every planned batch"}},
		most:     anyNumber,
		usage:    namesOrAll,
		run:      a.ledgerAction(writing, initiate),
	}
}

func initiate(ctx context.Context, d *desk, c *urfave.Context) error {
	ids := c.Args().Slice()
	if len(ids) == 0 && !c.Bool("all") {
		return d.askWhich(ctx)
	}
	if err := d.mayBeSent(ctx, ids); err != nil {
		return err
	}
	if err := d.openBank(ctx); err != nil {
		return err
	}
	results, err := d.initiate(ctx, ids)
	if len(results) > 0 || err == nil {
		if err := d.tell("initiate", results); err != nil {
			return err
		}
	}
	return errors.Join(d.finish(ctx, scope{named: acted(results), all: len(ids) == 0}, err), waiting(results))
}

func namesOrAll(c *urfave.Context) error {
	if c.NArg() > 0 && c.Bool("all") {
		return usage("name batches or say --all, not both")
	}
	return nil
}

// mayBeSent holds what is to be initiated against the policy and the ledger
// before the bank is asked anything.
func (d *desk) mayBeSent(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if _, err := d.batch(ctx, id); err != nil {
			return err
		}
	}
	return d.maySend()
}

// batch reads one batch that a person named.
func (d *desk) batch(ctx context.Context, id string) (ledger.Batch, error) {
	b, err := d.store.Batch(ctx, id)
	if errors.Is(err, ledger.ErrNotFound) {
		return b, usage("there is no batch %q; nothing was sent", ledger.Plain(id)).because(err).hint("payrun status lists them")
	}
	return b, err
}

// askWhich refuses to guess and lists what could be meant.
func (d *desk) askWhich(ctx context.Context) error {
	planned, err := d.store.BatchesIn(ctx, ledger.BatchPlanned)
	if err != nil {
		return err
	}
	f := usage("name the batches to initiate, or say --all")
	if len(planned) == 0 {
		return f.hint("no batch is planned; next: payrun load SHEET")
	}
	const few = 20
	var ids []string
	for _, b := range head(planned, few) {
		ids = append(ids, b.ID)
	}
	if len(planned) > few {
		ids = append(ids, "…")
	}
	return f.hint("%s planned: %s", batches(len(planned)), strings.Join(ids, " "))
}

// acted lists the batches the engine did something about.
func acted(results []submitter.Result) []string {
	var ids []string
	for _, r := range results {
		ids = append(ids, r.Batch.ID)
	}
	return ids
}
