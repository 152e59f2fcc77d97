package cli

import (
	"context"
	"errors"
	"fmt"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/term"
	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

func (a *app) approveCommand() command {
	return command{
		name: "approve", args: "BATCH...", group: groupMonth,
		brief: "a second person's approval of planned batches (policy.two_person)",
		long: `Where policy.two_person is set, initiate sends a batch only after somebody other than the person
who loaded its sheet, or planned its retry, approved it. The approval holds for exactly the
bytes that would be sent: where they change, it is void. Nothing is asked of the bank. Who a
person is tells --actor, PAYRUN_ACTOR or the system's user, in this order: give each person a
system user of their own (payrun help recovery says more).`,
		examples: []string{"payrun approve BATCH", "payrun approve BATCH BATCH --yes --json"},
		exits:    []int{exitCancelled, exitLocked, exitPerson, exitLedger},
		least:    1, most: anyNumber,
		run: a.ledgerAction(writing, approve),
	}
}

func approve(ctx context.Context, d *desk, c *urfave.Context) error {
	if !d.set.Policy.TwoPerson {
		return usage("policy.two_person is not set: no approval is needed").hint("payrun initiate --all")
	}
	var chosen []ledger.Batch
	for _, id := range c.Args().Slice() {
		b, err := d.batch(ctx, id)
		if err != nil {
			return err
		}
		chosen = append(chosen, b)
	}
	fields, err := d.requestFields()
	if err != nil {
		return err
	}
	if err := d.lookBeforeApproving(ctx, chosen); err != nil {
		return err
	}
	var results []submitter.Result
	var failures []error
	for _, b := range chosen {
		r, err := submitter.Approve(ctx, d.store, d.store, fields, b.ID, d.set.Actor, d.world.Now())
		if r.Outcome != "" {
			results = append(results, r)
		}
		if err != nil {
			failures = append(failures, engineFailed(err))
		}
		if err != nil && !errors.Is(err, submitter.ErrSamePerson) {
			break
		}
	}
	if err := d.tell("approve", results); err != nil {
		return err
	}
	d.next = "Next: payrun initiate " + someIDs(chosen)
	return errors.Join(failures...)
}

// lookBeforeApproving shows a person what is to be approved, and asks.
func (d *desk) lookBeforeApproving(ctx context.Context, chosen []ledger.Batch) error {
	if d.flags.yes || !d.term.CanAsk() {
		return nil
	}
	t := d.term.TableBeside(term.Columns{"Batch", "Account", "Payouts", "Total", "State", "Planned by"}, 3, 4)
	var sum ledger.Paise
	for _, b := range chosen {
		by, err := d.store.PlannedBy(ctx, b.ID)
		if err != nil {
			return err
		}
		sum += b.Total
		t.Row(b.ID, ledger.Plain(d.set.AccountName(b.BankAccountID)), ledger.Grouped(b.Count), b.Total.Rupees(), string(b.State), ledger.Plain(by))
	}
	t.Render()
	return d.term.Confirm(ctx, fmt.Sprintf("%s approves %s of %s?", ledger.Plain(d.set.Actor), batches(len(chosen)), sum.Rupees()))
}

// requestFields gives what the body of initiate is written with. It needs no keys.
func (d *desk) requestFields() (bankapi.RequestFields, error) {
	f, err := bankapi.Config{AmountField: d.set.RequestFields.Amount, DebitAccountField: d.set.RequestFields.DebitAccount}.RequestFields()
	if err != nil {
		return f, usage("%v", err).because(err)
	}
	return f, nil
}
