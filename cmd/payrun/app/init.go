package app

import (
	"context"
	"errors"
	"os"

	"payrun/cmd/payrun/config"
)

// Initialised is what init made.
type Initialised struct {
	Config      string `json:"config"`         // path of payrun.toml
	ConfigWrote bool   `json:"config_written"` // it was not there before
	Ledger      string `json:"ledger"`         // path, or URL
}

// Init writes payrun.toml, if there is none, and creates the ledger. No other use case creates one: a
// new ledger would not know what was paid.
//
// another: a person knows of the other ledgers for the same merchant on this machine. It returns
// *NeedsConfirmation if there are some and no one confirmed.
func Init(ctx context.Context, from config.Sources, env Env, another bool) (made Initialised, err error) {
	made.Config, made.ConfigWrote, err = config.Write(from)
	if err != nil {
		return made, err
	}
	set, err := config.Load(from)
	if err == nil {
		a := New(set, env)
		made.Ledger = a.place.name()
		if others := a.others(); len(others) > 0 && !another {
			err = &NeedsConfirmation{Others: others}
		} else if err = a.createLedger(ctx, Call{Actor: set.Actor}); err == nil {
			a.remember()
		}
	}
	if err != nil && made.ConfigWrote { // nothing is changed where the ledger cannot be created
		err = errors.Join(err, os.Remove(made.Config))
	}
	return made, err
}

func (a *App) createLedger(ctx context.Context, call Call) error {
	store, err := a.place.create(ctx, call.Actor, a.env.Now())
	if err != nil {
		return err
	}
	return store.Close()
}
