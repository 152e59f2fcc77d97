package cli

import (
	"context"
	"errors"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func (p *program) pollCommand() command {
	return command{
		name: "poll", args: "[BATCH...]", group: groupMonth,
		brief: "ask the bank for the status of open batches",
		long: `It asks once for the status of the named batches, or of every open batch and every batch that ended
within poll.success_watch. With --wait it asks until all are final or the time is over. It also finds
the result of a call whose answer was lost.`,
		examples: []string{"payrun poll", "payrun poll --wait 10m --json"},
		exits:    []int{exitCredentials, exitUnanswered, exitLocked, exitPerson, exitReturned, exitOpen, exitUnknown, exitMismatch, exitLedger},
		flags:    []urfave.Flag{&urfave.StringFlag{Name: "wait", Usage: "keep asking for `DURATION`, such as 90s or 10m"}},
		most:     anyNumber,
		usage:    func(c *urfave.Context) error { _, err := waitFlag(c, 0); return err },
		run:      p.with(poll),
	}
}

func poll(ctx context.Context, s *session, c *urfave.Context) error {
	wait, err := waitFlag(c, 0)
	if err != nil {
		return err
	}
	work, err := s.app.Poll(ctx, s.call, app.PollRequest{Batches: c.Args().Slice(), Wait: wait})
	return errors.Join(s.writeWork("poll", work), err)
}

// waitFlag reads --wait.
func waitFlag(c *urfave.Context, unset time.Duration) (time.Duration, error) {
	if !c.IsSet("wait") {
		return unset, nil
	}
	wait, err := time.ParseDuration(c.String("wait"))
	if err != nil || wait < 0 {
		return 0, usage("--wait %s: want a length of time such as 90s or 10m", ledger.Plain(c.String("wait")))
	}
	return wait, nil
}
