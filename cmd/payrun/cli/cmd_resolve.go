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
		name: "resolve", args: "BATCH or REF", group: groupRepair,
		brief: "decide what nothing else can tell: a lost submit, or a dispute about a payout",
		long: `For a BATCH: "submitted" says that a submit without an answer arrived; payrun keeps asking the bank,
and one person is enough once poll.overdue_after has passed. "not-submitted" says that it never
did: the batch is set aside, its payouts become cancelled, and the bank is asked about it for 30
days. It needs status reads of two days that show nothing, and the bank's statement without a
debit; where there is no statement, the bank's written word (--bank-ticket) and ten days.
"disputed" calls what the bank never ends disputed, on its written word.

For a REF, a payout's reference: "paid" or "not-paid" closes a dispute. "not-paid" of one that
failed, whose debit the statement shows, takes an equal credit without its name for its return, on
the bank's written word: a retry of it can be sent then.

All but "submitted" take two people, as two system users: the first's decision waits for the second's, an hour
later at the earliest and within three days, and each types the amount and the last six characters of the batch
id. --yes and --no-input never do it (exit 12). A refusal names the rule that does not hold and
when it can (exit 15). Reasons and names are kept in the audit trail.`,
		examples: []string{
			`payrun resolve BATCH --as submitted --reason "the debit is on today's statement"`,
			`payrun resolve BATCH --as not-submitted --reason "never received" --bank-ticket "mail of 21 Nov, no. 4711"`,
			`payrun resolve REF --as not-paid --reason "the payee's bank has no credit"`,
		},
		exits: []int{exitCancelled, exitCredentials, exitUnanswered, exitLocked, exitPerson, exitReturned, exitOpen, exitUnknown, exitMismatch, exitLedger},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "as", Usage: "what it was, a `WORD`: submitted, not-submitted or disputed of a batch, paid or not-paid of a payout; required"},
			&urfave.StringFlag{Name: "reason", Usage: "why, in a person's `TEXT`; required"},
			&urfave.StringFlag{Name: "bank-ticket", Usage: "the bank's written word, as a `TEXT` that finds it again"},
		},
		least: 1, most: 1,
		usage: needsDecision,
		run:   p.with(resolve),
	}
}

func needsDecision(c *urfave.Context) error {
	switch app.Decision(c.String("as")) {
	case app.DecidedSubmitted, app.DecidedNotSubmitted, app.DecidedDisputed, app.DecidedPaid, app.DecidedNotPaid:
	case "":
		return usage("payrun resolve needs --as submitted or --as not-submitted for a batch, --as paid or --as not-paid for a payout")
	default:
		return usage("--as %s: want submitted, not-submitted or disputed for a batch, paid or not-paid for a payout", ledger.Plain(c.String("as")))
	}
	if strings.TrimSpace(c.String("reason")) == "" {
		return usage("payrun resolve needs --reason TEXT")
	}
	return nil
}

func resolve(ctx context.Context, s *session, c *urfave.Context) error {
	req := app.ResolveRequest{What: c.Args().First(), As: app.Decision(c.String("as")), Reason: strings.TrimSpace(c.String("reason")),
		Ticket: strings.TrimSpace(c.String("bank-ticket"))}
	var work *app.Work
	err := s.decided(ctx, func(typed *app.Typed) (err error) {
		req.Typed = typed
		work, err = s.app.Resolve(ctx, s.call, req)
		return err
	})
	return errors.Join(s.writeWork("resolve", work), err)
}
