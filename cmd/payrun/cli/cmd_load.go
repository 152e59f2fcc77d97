package cli

import (
	"context"
	"errors"

	urfave "github.com/urfave/cli/v2"
)

func (a *app) loadCommand() command {
	return command{
		name: "load", args: "SHEET...", group: groupMonth,
		brief: "check a sheet and record its payouts and planned batches in the ledger",
		long: `All or nothing, in one transaction a sheet: one bad row and nothing is loaded, unless --skip-bad
says to leave bad rows out: these come back as NAME.rejected.xlsx (or .csv) with reason and fix,
ready to correct and load. Nothing is sent to the bank.`,
		examples: []string{"payrun load november.csv", "payrun load november.csv --skip-bad --json"},
		exits:    []int{exitSheet, exitLocked, exitLedger},
		flags:    sheetFlags(),
		least:    1, most: anyNumber,
		run: a.ledgerAction(writing, load),
	}
}

func load(ctx context.Context, d *desk, c *urfave.Context) error {
	o, err := d.checkOptions(c)
	if err != nil {
		return err
	}
	var failures []error
	for _, path := range c.Args().Slice() {
		in, err := d.load(ctx, path, o, c.Bool("skip-bad"))
		if err != nil {
			return errors.Join(append(failures, err)...)
		}
		if err := d.tellSheet("payrun.load/v1", in); err != nil {
			return err
		}
		if in.loaded == nil || in.Refused() {
			failures = append(failures, d.refusal(in, c.Bool("skip-bad")))
		}
	}
	d.next = "Next: payrun initiate --all"
	if d.set.Policy.TwoPerson {
		d.next = "Next, by another person: payrun approve BATCH; then payrun initiate --all"
	}
	return errors.Join(failures...)
}
