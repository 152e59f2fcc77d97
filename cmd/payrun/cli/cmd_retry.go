package cli

import (
	"context"
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
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

What was wrong is not mended by sending it again: --out FILE plans nothing and writes the payouts to a sheet in
the columns of your own, each with its reason and what to do. Correct it, and load it with
payrun load FILE --correct: each row becomes a further attempt of its payout.

--new-references is for a batch whose references the bank calls used, or whose initiate was lost:
where another ledger or a person sent the payouts under the old ones, this pays them again. It needs
the bank's statement without a debit of them, or its written word, and is for all of the batch, without
--ref; the total and the end of the batch id are typed, --yes never does it, and two people decide where the policy says so.`,
		examples: []string{"payrun retry SHEET_ID", "payrun retry BATCH --ref INV-17 --ref INV-19",
			"payrun retry BATCH --out to-correct.xlsx", `payrun retry BATCH --new-references --reason "the bank calls them used, and nobody sent them" --bank-ticket "mail of 21 Nov, no. 4711"`},
		exits: []int{exitSheet, exitCancelled, exitCredentials, exitUnanswered, exitLocked, exitPerson, exitUnknown, exitMismatch, exitLedger},
		flags: []urfave.Flag{
			&urfave.StringSliceFlag{Name: "ref", Usage: "only the payout with this `REF`erence; may be repeated"},
			&urfave.StringFlag{Name: "out", Usage: "plan nothing, and write the payouts to a new sheet `FILE`.xlsx or .csv, to be corrected and loaded with --correct"},
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
	case c.IsSet("out") && c.Bool("new-references"):
		return usage("--out plans nothing, so --new-references does not go with it")
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
	if c.IsSet("out") {
		req.Out = c.String("out")
		return s.writeToCorrect(ctx, req)
	}
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

// writeToCorrect writes the sheet, and says what to do with it.
func (s *session) writeToCorrect(ctx context.Context, req app.RetryRequest) error {
	n, next, err := s.app.WriteToCorrect(ctx, s.call, req)
	if err != nil {
		return err
	}
	s.nextIs(next...)
	if s.term.JSON {
		out := doc.NewStream(s.term.Out)
		out.Field("schema", "payrun.retry/v1")
		out.Field("batches", []string{})
		out.Field("out", map[bool]string{true: req.Out}[n > 0])
		out.Field("payouts", n)
		return out.End()
	}
	if n == 0 {
		s.last = "Nothing to correct: none of its payouts failed, was returned or was cancelled; nothing was written"
		return nil
	}
	s.term.Resultf("%s written to %s, in the columns of the sheet that they came with. Nothing was planned.", ledger.CountedPayouts(n), ledger.Plain(req.Out))
	return nil
}
