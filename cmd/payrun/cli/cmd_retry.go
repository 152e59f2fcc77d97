package cli

import (
	"context"
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
)

func (p *program) retryCommand() command {
	return command{
		name: "retry", args: "SHEET_ID or BATCH", group: groupRepair,
		brief: "plan new attempts for payouts that failed, were returned or were cancelled",
		long: `Nothing is sent. Each payout gets a place in a new batch, to be initiated like any other. It keeps
its reference where the bank never showed it, so that a bank that knows it after all refuses it again;
what the bank has shown gets a new one (REF-R2, REF-R3, …). What the debit account is says the
configuration of today. Payouts that may still be paid are never retried: where one that --ref names may be, or is
unknown, nothing is planned at all. Those of a batch that was set aside are planned only where the batch itself is named.

--new-references is for a batch whose references the bank calls used, or whose initiate was lost:
where another ledger or a person sent the payouts under the old ones, this pays them again. It needs
the bank's statement without a debit of them, or its written word; the total and the end of the
batch id are typed, --yes never does it, and two people decide where the policy says so.`,
		examples: []string{"payrun retry SHEET_ID", "payrun retry BATCH --ref INV-17 --ref INV-19",
			`payrun retry BATCH --new-references --reason "the bank calls them used, and nobody sent them" --bank-ticket "mail of 21 Nov, no. 4711"`},
		exits: []int{exitSheet, exitCancelled, exitCredentials, exitUnanswered, exitLocked, exitPerson, exitUnknown, exitMismatch, exitLedger},
		flags: []urfave.Flag{
			&urfave.StringSliceFlag{Name: "ref", Usage: "only the payout with this `REF`erence; may be repeated"},
			&urfave.BoolFlag{Name: "new-references", Usage: "give the payouts of a refused BATCH references that the bank has never seen"},
			&urfave.StringFlag{Name: "reason", Usage: "with --new-references: why, in a person's `TEXT`; required there"},
			&urfave.StringFlag{Name: "bank-ticket", Usage: "with --new-references: the bank's written word that they were not paid, as a `TEXT` that finds it again"},
		},
		least: 1, most: 1,
		usage: needsRenaming,
		run:   p.with(retry),
	}
}

func needsRenaming(c *urfave.Context) error {
	reason := strings.TrimSpace(c.String("reason"))
	switch {
	case c.Bool("new-references") && reason == "":
		return usage("payrun retry --new-references needs --reason TEXT")
	case !c.Bool("new-references") && (reason != "" || c.String("bank-ticket") != ""):
		return usage("--reason and --bank-ticket go with --new-references")
	}
	return nil
}

func retry(ctx context.Context, s *session, c *urfave.Context) error {
	req := app.RetryRequest{Of: c.Args().First(), Refs: c.StringSlice("ref"), NewReferences: c.Bool("new-references"), Reason: strings.TrimSpace(c.String("reason")),
		Ticket: strings.TrimSpace(c.String("bank-ticket"))}
	var work *app.Work
	err := s.decided(ctx, func(typed *app.Typed) (err error) {
		req.Typed = typed
		work, err = s.app.Retry(ctx, s.call, req)
		return err
	})
	if wrote := s.writeWork("retry", work); wrote != nil || work == nil {
		return errors.Join(wrote, err)
	}
	if len(work.Results) == 0 {
		s.last = "Nothing to retry: none of its payouts failed, was returned or was cancelled"
	}
	return err
}
