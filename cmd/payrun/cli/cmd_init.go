package cli

import (
	"context"
	_ "embed"
	"errors"
	"io/fs"
	"os"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
	"payrun/ledger/sqlite"
)

// configTemplate is the payrun.toml that init writes: complete, with the
// accounts of the sandbox, so that a newcomer can rehearse at once.
//
//go:embed payrun.toml
var configTemplate string

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
	path, wrote, err := a.configForInit()
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

// configForInit finds the configuration, or writes one where it would be read.
func (a *app) configForInit() (path string, wrote bool, err error) {
	path = first(a.flags.config, a.world.Getenv("PAYRUN_CONFIG"))
	if path == "" {
		if path, err = a.findConfig(); path != "" || err != nil {
			return path, false, err
		}
		path = configName
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return path, false, nil
	}
	if err != nil {
		return path, false, usage("the configuration %s cannot be written: %v", path, reason(err)).because(err)
	}
	_, err = f.WriteString(configTemplate)
	if err = errors.Join(err, f.Close()); err != nil {
		return path, false, errors.Join(err, os.Remove(path))
	}
	return path, true, nil
}

func (a *app) createLedger(ctx context.Context) (string, error) {
	set, err := a.settings()
	if err != nil {
		return "", err
	}
	store, err := sqlite.Create(ctx, set.ledger, set.actor, a.world.Now())
	if err != nil {
		return "", err
	}
	return set.ledger, store.Close()
}
