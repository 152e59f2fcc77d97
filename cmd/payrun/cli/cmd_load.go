package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"
)

func (p *program) loadCommand() command {
	return command{
		name: "load", args: "SHEET...",
		brief: "check a sheet and record its payouts and planned batches in the ledger",
		long: `A sheet is loaded whole or not at all, in one transaction. With --skip-bad the good rows are loaded, and
the bad ones are written to NAME.rejected.xlsx (or .csv) with reason and fix, ready to correct and load.
Nothing is sent to the bank.`,
		examples: []string{"payrun load november.csv", "payrun load november.csv --skip-bad --json"},
		exits:    []int{exitSheet, exitLocked, exitLedger},
		flags:    sheetFlags(),
		usage:    oneSheet,
		run:      p.with(load),
	}
}

func load(ctx context.Context, s *session, c *urfave.Context) error {
	loaded, refused := s.app.Load(ctx, s.call, c.Args().Slice(), sheetOptions(c))
	for i := range loaded.Sheets {
		if err := s.writeSheet("payrun.load/v1", &loaded.Sheets[i], nil); err != nil {
			return err
		}
	}
	s.nextIs(loaded.Next...)
	return refused
}
