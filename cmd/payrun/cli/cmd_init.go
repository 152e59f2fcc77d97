package cli

import (
	"context"
	_ "embed"
	"errors"
	"os"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ledger/sqlite"
)

func (a *app) initCommand() command {
	return command{
		name: "init", group: groupStart,
		brief: "write payrun.toml and create the ledger",
		long: `A payrun.toml that is there is kept, and only the ledger is created. Where a ledger is there
nothing is changed. No other command creates a ledger: a new one would not know what was paid.`,
		examples: []string{"payrun init", "payrun init --config month-end/payrun.toml"},
		exits:    []int{exitLedger},
		run:      func(ctx context.Context, _ *urfave.Context) error { return a.initialise(ctx) },
	}
}

func (a *app) initialise(ctx context.Context) error {
	path, wrote, err := config.Write(a.sources())
	if err != nil {
		return err
	}
	ledgerPath, err := a.createLedger(ctx)
	if err != nil {
		if wrote { // nothing is changed where the ledger cannot be created
			err = errors.Join(err, os.Remove(path))
		}
		return err
	}
	if a.flags.json {
		return a.document(doc.Init{Schema: "payrun.init/v1", Config: path, ConfigWritten: wrote, Ledger: ledgerPath})
	}
	if wrote {
		a.term.Show("wrote    %s", path)
	} else {
		a.term.Show("kept     %s", path)
	}
	a.term.Show("created  %s", ledgerPath)
	a.next = "Next: look through " + path + ", then payrun check SHEET"
	return nil
}

func (a *app) createLedger(ctx context.Context) (string, error) {
	set, err := a.settings()
	if err != nil {
		return "", err
	}
	store, err := sqlite.Create(ctx, set.LedgerPath, set.Actor, a.world.Now())
	if err != nil {
		return "", err
	}
	return set.LedgerPath, store.Close()
}
