package cli

import (
	"context"
	"errors"

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
unknown, nothing is planned at all.`,
		examples: []string{"payrun retry SHEET_ID", "payrun retry BATCH --ref INV-17 --ref INV-19"},
		exits:    []int{exitSheet, exitLocked, exitMismatch, exitLedger},
		flags: []urfave.Flag{
			&urfave.StringSliceFlag{Name: "ref", Usage: "only the payout with this `REF`erence; may be repeated"},
		},
		least: 1, most: 1,
		run: p.with(retry),
	}
}

func retry(ctx context.Context, s *session, c *urfave.Context) error {
	work, err := s.app.Retry(ctx, s.call, app.RetryRequest{Of: c.Args().First(), Refs: c.StringSlice("ref")})
	if wrote := s.writeWork("retry", work); wrote != nil || work == nil {
		return errors.Join(wrote, err)
	}
	if len(work.Results) == 0 {
		s.last = "Nothing to retry: none of its payouts failed, was returned or was cancelled"
	}
	return err
}
