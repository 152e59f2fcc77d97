package cli

import (
	"context"
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func (p *program) resolveCommand() command {
	return command{
		name: "resolve", args: "BATCH", group: groupRepair,
		brief: "decide about a submit whose answer was lost, when nothing else can tell",
		long: `For a batch that has been submit_unknown for longer than poll.overdue_after, and only where a
fresh status shows every one of its payouts as request_initiated. "submitted" keeps asking the
bank. "not-submitted" gives the batch up: its payouts become cancelled and payrun retry plans
them again, so a wrong decision pays them twice.

payrun does not look at the bank's statement here: a person has to, and confirms on the terminal
that it shows no debit of the batch; without a terminal, --yes confirms it. Where policy.two_person is
set, the first person's call is a proposal (exit 12), and the same call of a second person
carries it out. Reasons and names are kept in the audit trail.`,
		examples: []string{
			`payrun resolve BATCH --as not-submitted --reason "bank's desk, ticket 4711: never received"`,
			`payrun resolve BATCH --as submitted --reason "the debit is on today's statement"`,
		},
		exits: []int{exitCancelled, exitCredentials, exitUnanswered, exitLocked, exitPerson, exitReturned, exitOpen, exitUnknown, exitMismatch, exitLedger},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "as", Usage: "what it was: `submitted|not-submitted`; required"},
			&urfave.StringFlag{Name: "reason", Usage: "why, in a person's `TEXT`; required"},
		},
		least: 1, most: 1,
		usage: needsDecision,
		run:   p.with(resolve),
	}
}

func needsDecision(c *urfave.Context) error {
	switch app.Decision(c.String("as")) {
	case app.DecidedSubmitted, app.DecidedNotSubmitted:
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

func resolve(ctx context.Context, s *session, c *urfave.Context) error {
	req := app.ResolveRequest{Batch: c.Args().First(), As: app.Decision(c.String("as")), Reason: strings.TrimSpace(c.String("reason")), NoDebit: s.term.Yes}
	var work *app.Work
	do := func() (err error) {
		work, err = s.app.Resolve(ctx, s.call, req)
		return err
	}
	err := s.confirmed(ctx, do, func(*app.NeedsConfirmation) error {
		req.NoDebit = true
		return do()
	})
	return errors.Join(s.writeWork("resolve", work), err)
}
