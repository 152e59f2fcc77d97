package cli

import (
	"context"
	"errors"

	urfave "github.com/urfave/cli/v2"
)

func (p *program) retryCommand() command {
	return command{
		name: "retry", args: "SHEET_ID or BATCH", group: groupRepair,
		brief: "plan new attempts for payouts that failed, were returned or were cancelled",
		long: `Nothing is sent. Each payout gets a place in a new batch, to be initiated like any other. It keeps
its reference where the bank never showed it, so that a bank that knows it after all refuses it again;
what the bank has shown gets a new one (REF-R2, REF-R3, …). What the debit account is says the
configuration of today. Payouts that may still be paid are never retried.`,
		examples: []string{"payrun retry SHEET_ID", "payrun retry BATCH --json"},
		exits:    []int{exitLocked, exitMismatch, exitLedger},
		least:    1, most: 1,
		run: p.with(retry),
	}
}

func retry(ctx context.Context, s *session, c *urfave.Context) error {
	work, err := s.app.Retry(ctx, s.call, c.Args().First())
	if wrote := s.writeWork("retry", work); wrote != nil || work == nil {
		return errors.Join(wrote, err)
	}
	if len(work.Results) == 0 {
		s.last = "Nothing to retry: none of its payouts failed, was returned or was cancelled"
	}
	return err
}
