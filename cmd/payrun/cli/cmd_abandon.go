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
		name: "abandon", args: "[BATCH...] [--sheet SHEET_ID]",
		brief: "cancel batches that were never submitted",
		long: `payrun asks the bank first. If the bank shows anything beyond request_initiated, or does not answer, the
batch is not abandoned. --sheet takes every planned or held batch of the sheet. The payouts become
cancelled, and payrun retry can plan them again. The audit trail keeps the reason.`,
		examples: []string{`payrun abandon BATCH --reason "the OTP never came"`, `payrun abandon --sheet SHEET_ID --reason "loaded by mistake"`},
		exits:    []int{exitCredentials, exitUnanswered, exitLocked, exitUnknown, exitMismatch, exitLedger},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "reason", Usage: "the reason, `TEXT`; required"},
			&urfave.StringFlag{Name: "sheet", Usage: "of the sheet `ID`"},
		},
		needs: []string{"reason"},
		usage: func(c *urfave.Context) error {
			return usageIf((c.NArg() == 0) == (c.String("sheet") == ""), "name the batches to give up, or --sheet SHEET_ID; not both")
		},
		run: p.with(abandon),
	}
}

func abandon(ctx context.Context, s *session, c *urfave.Context) error {
	req := app.AbandonRequest{Batches: c.Args().Slice(), Sheet: c.String("sheet"), Reason: strings.TrimSpace(c.String("reason"))}
	work, err := s.app.Abandon(ctx, s.call, req)
	return errors.Join(s.writeWork("abandon", work), err)
}
