package cli

import (
	"context"
	_ "embed"
	"errors"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func (p *program) initCommand() command {
	return command{
		name: "init", group: groupStart,
		brief: "write payrun.toml and create the ledger",
		long: `An existing payrun.toml is kept, and only the ledger is created. If there is a ledger, nothing is
changed (2). No other command creates a ledger, because a new one would not know what was paid. If this
machine has another ledger for the same merchant, init names it and needs --yes.`,
		examples: []string{"payrun init", "payrun init --config month-end/payrun.toml"},
		exits:    []int{exitCancelled, exitPerson, exitLedger},
		run:      func(ctx context.Context, _ *urfave.Context) error { return p.initialise(ctx) },
	}
}

func (p *program) initialise(ctx context.Context) error {
	made, err := app.Init(ctx, p.sources(), p.env(), p.term.Yes)
	if need, ok := errors.AsType[*app.NeedsConfirmation](err); ok && p.term.CanAsk() {
		p.term.Errorf("%s.", ledger.Plain(need.Error()))
		if err := answered(p.term.Confirm(ctx, "Make another one?")); err != nil {
			return err
		}
		made, err = app.Init(ctx, p.sources(), p.env(), true)
	}
	if err != nil {
		return err
	}
	if p.term.JSON {
		return p.document("payrun.init/v1", made)
	}
	if made.ConfigWrote {
		p.term.Linef("wrote    %s", made.Config)
	} else {
		p.term.Resultf("kept     %s", made.Config)
	}
	p.term.Linef("created  %s", made.Ledger)
	p.term.Resultf("%s", app.TwoPeople)
	p.nextIs(app.Do("template").First("Look through %s; then check a sheet, or begin with an empty one.", made.Config))
	return nil
}
