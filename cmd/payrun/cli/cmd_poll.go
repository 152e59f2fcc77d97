package cli

import (
	"context"
	"errors"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
)

func (p *program) pollCommand() command {
	return command{
		name: "poll", args: "[BATCH...]",
		brief: "ask the bank for the status of open batches",
		long: `It asks once for the status of the named batches, or of every open batch and every batch that ended
within poll.success_watch. With --wait it asks until all are final or the time is over. It also finds
the result of a call whose answer was lost.`,
		examples: []string{"payrun poll", "payrun poll --wait 10m --json"},
		exits:    []int{exitCredentials, exitUnanswered, exitLocked, exitPerson, exitReturned, exitOpen, exitUnknown, exitMismatch, exitLedger},
		flags:    []urfave.Flag{read("wait", "keep asking for `DURATION`, such as 90s or 10m", span(0))},
		run:      p.with(poll),
	}
}

func poll(ctx context.Context, s *session, c *urfave.Context) error {
	work, err := s.app.Poll(ctx, s.call, app.PollRequest{Batches: c.Args().Slice(), Wait: given[time.Duration](c, "wait")})
	return errors.Join(s.writeWork("poll", work), err)
}
