package app

import (
	"context"
	"errors"
	"os"

	"payrun/cmd/payrun/config"
	"payrun/ledger/postgres"
)

// Initialised says what init made.
type Initialised struct {
	Config      string `json:"config"`         // path of payrun.toml
	ConfigWrote bool   `json:"config_written"` // init wrote it
	Ledger      string `json:"ledger"`         // path, or URL
	TwoPeople   string `json:"-"`              // what a new team has to do to be two people
}

// Init writes payrun.toml if there is none, and creates the ledger. No other use case creates one: a
// new ledger does not know what was paid.
//
// another means that a person knows of the other ledgers for the same merchant on this machine. If
// there are some and another is false, Init returns *NeedsConfirmation.
func Init(ctx context.Context, from config.Sources, env Env, another bool) (made Initialised, err error) {
	made.Config, made.ConfigWrote, err = config.Write(from)
	if err != nil {
		return made, err
	}
	set, err := config.Load(from)
	if err == nil {
		a := New(set, env)
		made.Ledger, made.TwoPeople = a.place.name(), TwoPeople(set)
		if others := a.others(); len(others) > 0 && !another && !a.holdsLedger(ctx) {
			err = &NeedsConfirmation{Others: others}
		} else if err = a.createLedger(ctx, Call{Actor: set.Actor}); err == nil {
			a.remember()
		}
	}
	if err != nil && made.ConfigWrote { // leave nothing if the ledger cannot be created
		err = errors.Join(err, os.Remove(made.Config))
	}
	return made, err
}

// holdsLedger reports whether the place has a ledger that can be opened.
func (a *App) holdsLedger(ctx context.Context) bool {
	store, err := a.place.open(ctx)
	return err == nil && store.Close() == nil
}

func (a *App) createLedger(ctx context.Context, call Call) error {
	store, err := a.place.create(ctx, call.Actor, a.env.Now())
	if err != nil {
		return err
	}
	return store.Close()
}

// Given says what init granted to a role of the ledger's database.
type Given struct {
	Ledger  string   `json:"ledger"` // URL
	Role    string   `json:"role"`
	Granted []string `json:"granted"` // the statements; none if it had all rights
}

// GiveRole grants a role of the ledger's database the rights that payrun needs.
func (a *App) GiveRole(ctx context.Context, role string) (given Given, err error) {
	server, err := a.server("--role")
	if err != nil {
		return given, err
	}
	granted, err := server.Give(ctx, role)
	return Given{a.place.name(), role, append([]string{}, granted...)}, err
}

// Migrated says what init --migrate did.
type Migrated struct {
	Ledger string `json:"ledger"` // URL
	Taken  int    `json:"taken"`  // how many migrations
}

// Migrate updates the tables of a ledger in a database for this program.
func (a *App) Migrate(ctx context.Context) (made Migrated, err error) {
	server, err := a.server("--migrate")
	if err == nil {
		made.Ledger = a.place.name()
		made.Taken, err = server.Migrate(ctx)
	}
	return made, err
}

// server returns the database of the ledger. flag is the flag that needs one.
func (a *App) server(flag string) (*postgres.Server, error) {
	switch p := a.place.(type) {
	case serverPlace:
		return p.server, nil
	case unusable:
		return nil, p.why
	}
	return nil, Fail(Usage, "%s is for a ledger in PostgreSQL, and this one is %s", flag, a.place.name())
}
