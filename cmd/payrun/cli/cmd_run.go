package cli

import (
	"context"
	"errors"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// runWait is how long run polls where a person is watching.
const runWait = 2 * time.Minute

func (p *program) runCommand() command {
	return command{
		name: "run", args: "SHEET", group: groupMonth,
		brief: "check, load, then for each batch initiate, ask for the OTP, submit; then poll and report",
		long: `The same steps as the single commands, one after the other. What is not done when it ends is in
the ledger and goes on with payrun initiate, submit and poll.`,
		examples: []string{"payrun run november.csv", "payrun run november.csv --expect-total 18,40,150.50"},
		exits: []int{exitCancelled, exitCredentials, exitUnanswered, exitSheet, exitLocked, exitPerson, exitReturned, exitOpen,
			exitUnknown, exitMismatch, exitLedger},
		flags: append(sheetFlags(),
			&urfave.StringFlag{Name: "wait", Usage: "poll for `DURATION` at the end (default: 2m on a terminal, otherwise once)"}),
		least: 1, most: 1,
		usage: func(c *urfave.Context) error { _, err := waitFlag(c, 0); return err },
		run:   p.with(run),
	}
}

func run(ctx context.Context, s *session, c *urfave.Context) error {
	o, err := sheetOptions(c)
	if err != nil {
		return err
	}
	wait, err := waitFlag(c, s.usualWait())
	if err != nil {
		return err
	}
	r, err := s.app.Run(ctx, s.call, app.RunRequest{
		Sheet: c.Args().First(), Options: o, Wait: wait,
		Loaded: func(sheet *app.Sheet) {
			if !s.term.JSON {
				s.showSheet(sheet)
			}
		},
		GoOn: func(ctx context.Context, sheet *app.Sheet) error {
			return answered(s.term.Confirm(ctx, "Initiate "+ledger.CountedBatches(len(sheet.Loaded))+" of "+sheet.ToPay().Total.Rupees()+"?"))
		},
		Confirm: s.confirm, Prompt: s.prompt(),
	})
	if r == nil {
		return err
	}
	s.nextIs(r.Next...)
	return errors.Join(s.writeRun(r), err)
}

func (s *session) usualWait() time.Duration {
	if s.term.Out.Terminal() {
		return runWait
	}
	return 0
}

// writeRun writes the whole run.
func (s *session) writeRun(r *app.Run) error {
	if !s.term.JSON {
		s.showResults(r.Results)
		for _, p := range r.Reports {
			s.term.Resultf("%s", ledger.Plain(p))
		}
		return nil
	}
	return s.runDocument(r)
}

// runDocument writes payrun.run/v1.
func (s *session) runDocument(r *app.Run) error {
	out := doc.NewStream(s.term.Out)
	out.Field("schema", "payrun.run/v1")
	out.Object("load", func(inner *doc.Stream) { sheetFields(inner, "payrun.load/v1", &r.Sheet) })
	out.Field("batches", outcomes(r.Results))
	out.Field("reports", append([]string{}, r.Reports...))
	return out.End()
}
