package cli

import (
	"context"
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
	"payrun/submitter"
)

func (a *app) resolveCommand() command {
	return command{
		name: "resolve", args: "BATCH", group: groupRepair,
		brief: "decide about a submit whose answer was lost and that nothing else can tell",
		long: `For a batch that has been submit_unknown for longer than poll.overdue_after, and only where a
fresh status shows every one of its payouts as request_initiated. "submitted" keeps asking the
bank. "not-submitted" gives the batch up: its payouts become cancelled and payrun retry plans
them anew, so that a wrong decision pays them twice.

payrun does not look at the bank's statement here: a person has to, and confirms on the terminal
that it shows no debit of the batch; without a terminal --yes says so. Where policy.two_person is
set, the first person's call is a proposal (exit 12), and the same call of a second person
carries it out. Reasons and names are kept in the audit trail.`,
		examples: []string{
			`payrun resolve BATCH --as not-submitted --reason "bank's desk, ticket 4711: never received"`,
			`payrun resolve BATCH --as submitted --reason "the debit is on today's statement"`,
		},
		exits: []int{exitCancelled, exitCredentials, exitLocked, exitPerson, exitReturned, exitOpen, exitUnknown, exitMismatch, exitLedger},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "as", Usage: "what it was: `submitted|not-submitted`; required"},
			&urfave.StringFlag{Name: "reason", Usage: "why, in a person's `TEXT`; required"},
		},
		least: 1, most: 1,
		usage: needsDecision,
		run:   a.ledgerAction(writing, resolve),
	}
}

func needsDecision(c *urfave.Context) error {
	switch submitter.Decision(c.String("as")) {
	case submitter.DecidedSubmitted, submitter.DecidedNotSubmitted:
	case "":
		return usage("payrun resolve needs --as submitted or --as not-submitted")
	default:
		return usage("--as %s: want submitted or not-submitted", ledger.Plain(c.String("as")))
	}
	if strings.TrimSpace(c.String("reason")) == "" {
		return usage("payrun resolve needs --reason TEXT")
	}
	return nil
}

func resolve(ctx context.Context, d *desk, c *urfave.Context) error {
	id, as := c.Args().First(), submitter.Decision(c.String("as"))
	b, err := d.batch(ctx, id)
	if err != nil {
		return err
	}
	if b.State != ledger.BatchSubmitUnknown {
		return usage("batch %s is %s; only a batch that is submit_unknown is resolved", b.ID, b.State).hint("payrun status")
	}
	if err := d.confirmNoDebit(ctx, b, as); err != nil {
		return err
	}
	if err := d.openBank(ctx); err != nil {
		return err
	}
	result, err := d.engine.Resolve(ctx, id, as, strings.TrimSpace(c.String("reason")))
	if result.Outcome != "" {
		if err := d.tell("resolve", []submitter.Result{result}); err != nil {
			return err
		}
	}
	if errors.Is(err, submitter.ErrRefused) {
		return fail(exitUnknown, "%v", err).because(err).hint("never send it again; next: payrun poll")
	}
	if err != nil {
		return errors.Join(engineFailed(err), d.standing(context.WithoutCancel(ctx), scope{named: []string{id}}))
	}
	if result.Attention == ledger.ToBeApproved {
		return fail(exitPerson, "batch %s waits for a second person to decide the same", id).
			hint("to be run by somebody else: payrun resolve %s --as %s --reason TEXT", id, as)
	}
	if as == submitter.DecidedNotSubmitted {
		d.next = "Next: payrun retry " + id + " plans its payouts anew"
	}
	return d.standing(ctx, scope{named: []string{id}})
}

// confirmNoDebit has a person say what payrun does not look up: that the
// bank's statement shows no debit of the batch. Only giving the batch up can
// pay twice, so only that is asked about.
func (d *desk) confirmNoDebit(ctx context.Context, b ledger.Batch, as submitter.Decision) error {
	if as != submitter.DecidedNotSubmitted {
		return nil
	}
	return d.mustConfirm(ctx, "Batch "+b.ID+", "+payouts(b.Count)+" of "+b.Total.Rupees()+", account "+ledger.Plain(d.set.AccountName(b.BankAccountID))+
		".\nDoes the bank's statement show no debit of it, up to now?",
		"that the bank's statement shows no debit of the batch")
}
