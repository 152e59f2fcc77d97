package cli

import (
	"context"
	"errors"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
)

func (p *program) initiateCommand() command {
	return command{
		name: "initiate", args: "[BATCH...]",
		sends: true,
		brief: "send planned batches to the bank, which then sends the OTPs",
		long: `Each batch is sent once and then held until its OTP is entered with payrun submit. No money moves
before that. One batch of a debit account is held at a time (otp.held_at_once); the others stay
planned for the next initiate.

Before it sends, payrun asks the bank whether the debit account is active and whether the bank knows the
batch. If the bank knows it, a copy of the ledger sent it: the batch is quarantined. If the bank does
not answer, nothing is sent. With policy.two_person, or where a row has the account and amount of a
locked payout, a batch stays planned until another person has approved it. A batch stays planned if the
debit account, less what is held or on its way, does not cover it, unless you give --allow-short-funds.

initiate shows what it is about to send and asks; without a terminal it needs --yes. From
policy.confirm_above a person types the total, and --yes does not answer that.`,
		examples: []string{"payrun initiate --all", "payrun initiate BATCH --yes --json"},
		exits:    []int{exitCancelled, exitCredentials, exitUnanswered, exitLocked, exitPerson, exitReturned, exitUnknown, exitMismatch, exitLedger},
		flags:    []urfave.Flag{&urfave.BoolFlag{Name: "all", Usage: "every planned batch"}, shortFundsFlag()},
		usage: func(c *urfave.Context) error {
			return usageIf(c.NArg() > 0 && c.Bool("all"), "name batches or say --all, not both")
		},
		run: p.with(initiate),
	}
}

func initiate(ctx context.Context, s *session, c *urfave.Context) error {
	req := app.InitiateRequest{Batches: c.Args().Slice(), All: c.Bool("all"), GoOn: s.goOn,
		AllowShort: c.Bool("allow-short-funds"), Funds: s.fundsToSend}
	if s.term.Yes && !s.term.CanAsk() {
		req.GoOn = nil // no person sees the question; a total that must be typed is then an error
	}
	do := func() (*app.Work, error) { return s.app.Initiate(ctx, s.call, req) }
	work, err := confirmed(ctx, s, do, toSend(&req.Environment, &req.Confirmed))
	return errors.Join(s.writeWork("initiate", work), err)
}
