package cli

import (
	"context"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/ledger"
)

func (a *app) pollCommand() command {
	return command{
		name: "poll", args: "[BATCH...]", group: groupMonth,
		brief: "ask the bank how the batches stand",
		long: `Asks for the status of every open batch, or of the named ones, once; with --wait until all are
final or the time has passed. Answers that were lost are found again here.`,
		examples: []string{"payrun poll", "payrun poll --wait 10m --json"},
		exits:    []int{exitCredentials, exitLocked, exitPerson, exitReturned, exitOpen, exitUnknown, exitMismatch, exitLedger},
		flags:    []urfave.Flag{&urfave.StringFlag{Name: "wait", Usage: "go on asking for `DURATION`, such as 90s or 10m"}},
		most:     anyNumber,
		usage:    func(c *urfave.Context) error { _, err := waitFlag(c, 0); return err },
		run:      a.ledgerAction(writing, poll),
	}
}

func poll(ctx context.Context, d *desk, c *urfave.Context) error {
	wait, err := waitFlag(c, 0)
	if err != nil {
		return err
	}
	ids := c.Args().Slice()
	for _, id := range ids {
		if _, err := d.batch(ctx, id); err != nil {
			return err
		}
	}
	if err := d.openBank(ctx); err != nil {
		return err
	}
	stop := d.term.Progress("asking the bank")
	results, err := d.engine.Poll(ctx, ids, wait)
	stop()
	if len(results) > 0 || err == nil {
		if err := d.tell("poll", results); err != nil {
			return err
		}
	}
	if len(ids) == 0 {
		return d.finish(ctx, scope{all: true, past: true}, err)
	}
	return d.finish(ctx, scope{named: ids}, err)
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
