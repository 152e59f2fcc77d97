package cli

import (
	"context"
	"errors"
	"sync"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
)

func (p *program) submitCommand() command {
	return command{
		name: "submit", args: "[BATCH...]",
		sends: true,
		brief: "enter the OTPs of held batches; this is where money moves",
		long: `submit asks for each OTP on the terminal, hidden, or takes it from --otp-file or otp.command (payrun
help otp). A file that names an unknown batch, or one that is not held, sends nothing.

Before each submit payrun checks the bank's records: the batch, every earlier attempt of its payouts,
and before a retry the bank's statement. If any of them shows that a payout may have been paid, or the
bank does not answer, nothing is sent. A locked payout is never sent, and its locks are shown.

From policy.confirm_above a person types the total of all held batches. If the answer to a submit is
lost, payrun never sends it again; payrun poll finds the result.`,
		examples: []string{"payrun submit", "payrun submit --otp-file otps.csv", "payrun submit BATCH"},
		exits: []int{exitCancelled, exitCredentials, exitUnanswered, exitLocked, exitPerson, exitReturned, exitOpen, exitUnknown,
			exitMismatch, exitLedger},
		flags: []urfave.Flag{&urfave.StringFlag{Name: "otp-file", Usage: "read the OTPs from CSV `FILE`, or from - (standard input)"}},
		run:   p.with(submit),
	}
}

func submit(ctx context.Context, s *session, c *urfave.Context) error {
	req := app.SubmitRequest{Batches: c.Args().Slice(), Prompt: s.prompt()}
	if c.IsSet("otp-file") {
		req.OTPs = sync.OnceValues(func() ([]app.OTP, error) { return s.readOTPs(c.String("otp-file")) }) // a pipe is read once
	}
	do := func() (*app.Work, error) { return s.app.Submit(ctx, s.call, req) }
	work, err := confirmed(ctx, s, do, toSend(&req.Environment, &req.Confirmed))
	return errors.Join(s.writeWork("submit", work), err)
}
