package cli

import (
	"context"
	"errors"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
)

func (p *program) abandonCommand() command {
	return command{
		name: "abandon", args: "BATCH", group: groupRepair,
		brief: "give up a batch that was never submitted",
		long: `The bank is asked first, where it may know the batch: a batch of which it shows anything beyond
request_initiated, or about which it gives no answer, is not given up.
The payouts become cancelled and can be planned again with payrun retry. The reason is kept in
the audit trail.`,
		examples: []string{`payrun abandon BATCH --reason "the OTP never came"`},
		exits:    []int{exitCredentials, exitUnanswered, exitLocked, exitUnknown, exitMismatch, exitLedger},
		flags:    []urfave.Flag{&urfave.StringFlag{Name: "reason", Usage: "why, in a person's `TEXT`; required"}},
		least:    1, most: 1,
		usage: needsReason,
		run:   p.with(abandon),
	}
}

func needsReason(c *urfave.Context) error {
	if strings.TrimSpace(c.String("reason")) == "" {
		return usage("payrun abandon needs --reason TEXT")
	}
	return nil
}

func abandon(ctx context.Context, s *session, c *urfave.Context) error {
	req := app.AbandonRequest{Batch: c.Args().First(), Reason: strings.TrimSpace(c.String("reason"))}
	work, err := s.app.Abandon(ctx, s.call, req)
	return errors.Join(s.writeWork("abandon", work), err)
}
