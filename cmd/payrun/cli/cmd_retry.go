package cli

import (
	"context"
	"errors"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func (p *program) retryCommand() command {
	return command{
		name: "retry", args: "SHEET_ID or BATCH",
		brief: "plan new attempts for payouts that failed, were returned or were cancelled",
		long: `Nothing is sent. Each payout gets a place in a new batch, to be initiated like any other. It keeps its
reference if the bank never showed it; otherwise it gets a new one (REF-R2, REF-R3, …). The debit
account is today's in payrun.toml.

A locked payout is not planned: retry shows the lock, what was seen and what ends it. Payouts that two
people released are planned only if the payout or its batch is named. If one that --ref names is unknown
or locked, nothing is planned.

If a row was wrong, --out FILE plans nothing and writes the payouts to a sheet with your own columns,
each with its reason and fix. Correct it and load it with payrun load FILE --correct: each row becomes
a further attempt of its payout.`,
		examples: []string{"payrun retry SHEET_ID", "payrun retry BATCH --ref INV-17 --ref INV-19",
			"payrun retry BATCH --out to-correct.xlsx"},
		exits: []int{exitSheet, exitCancelled, exitCredentials, exitUnanswered, exitLocked, exitPerson, exitUnknown, exitMismatch, exitLedger},
		flags: []urfave.Flag{
			read("ref", "only the payout with this `REF`erence; may be repeated", several()),
			&urfave.StringFlag{Name: "out", Usage: "plan nothing, and write the payouts to a new sheet `FILE`.xlsx or .csv, to be corrected and loaded with --correct"},
		},
		run: p.with(retry),
	}
}

func retry(ctx context.Context, s *session, c *urfave.Context) error {
	req := app.RetryRequest{Of: c.Args().First(), Refs: given[[]string](c, "ref")}
	if c.IsSet("out") {
		req.Out = c.String("out")
		return s.writeToCorrect(ctx, req)
	}
	work, err := s.app.Retry(ctx, s.call, req)
	if wrote := s.writeWork("retry", work); wrote != nil || work == nil {
		return errors.Join(wrote, err)
	}
	if len(work.Results)+len(work.Locks) == 0 {
		s.last = "Nothing to retry: none of its payouts failed, was returned or was cancelled, or they are planned again already. All are in: payrun payouts"
	}
	return err
}

// writeToCorrect writes the sheet to correct and prints the next step.
func (s *session) writeToCorrect(ctx context.Context, req app.RetryRequest) error {
	n, err := s.app.WriteToCorrect(ctx, s.call, req)
	if err != nil {
		return err
	}
	if n == 0 {
		s.last, req.Out = "Nothing to correct: none of its payouts failed, was returned or was cancelled, or they are planned again already; nothing was written", ""
	} else {
		s.nextIs(app.Do("load", req.Out, "--correct").First("correct the rows in %s, delete those that must not be paid, then load it", ledger.Plain(req.Out)))
		s.term.Resultf("%s written to %s, in the columns of the sheet that they came with. Nothing was planned.", ledger.CountedPayouts(n), ledger.Plain(req.Out))
	}
	return s.document("payrun.retry/v1", map[string]any{"batches": []string{}, "out": req.Out, "payouts": n})
}
