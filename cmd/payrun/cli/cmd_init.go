package cli

import (
	"context"
	_ "embed"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

func (p *program) initCommand() command {
	return command{
		name:  "init",
		brief: "write payrun.toml and create the ledger",
		long: `An existing payrun.toml is kept, and only the ledger is created. If there is a ledger, nothing is
changed (2). No other command creates a ledger, because a new one would not know what was paid. If this
machine has another ledger for the same merchant, init names it and needs --yes.

A ledger in PostgreSQL: as the owner of its tables, --role gives another role what payrun needs to work,
and --migrate brings the tables up to a newer payrun while no run works on them (else 11).`,
		examples: []string{"payrun init", "payrun init --config month-end/payrun.toml", "payrun init --role payrun_app"},
		exits:    []int{exitLocked, exitCancelled, exitPerson, exitLedger},
		flags: []urfave.Flag{
			&urfave.StringFlag{Name: "role", Usage: "give this `ROLE` of PostgreSQL its rights"},
			&urfave.BoolFlag{Name: "migrate", Usage: "bring the tables in PostgreSQL up to date"},
		},
		usage: func(c *urfave.Context) error {
			return usageIf(c.IsSet("role") && (c.String("role") == "" || c.Bool("migrate")), "payrun init takes --role ROLE or --migrate")
		},
		run: func(ctx context.Context, c *urfave.Context) error {
			switch {
			case c.IsSet("role"):
				return p.with(giveRole)(ctx, c)
			case c.Bool("migrate"):
				return p.with(migrate)(ctx, c)
			}
			return initialise(ctx, &session{program: p})
		},
	}
}

func giveRole(ctx context.Context, s *session, c *urfave.Context) error {
	given, err := s.app.GiveRole(ctx, c.String("role"))
	if err != nil {
		return err
	}
	for _, grant := range given.Granted {
		s.term.Linef("%s;", grant)
	}
	s.term.Resultf("%s has all that payrun needs in %s", given.Role, given.Ledger)
	return s.document("payrun.init_role/v1", given)
}

func migrate(ctx context.Context, s *session, _ *urfave.Context) error {
	made, err := s.app.Migrate(ctx)
	if err != nil {
		return err
	}
	s.term.Resultf("%s: %s", made.Ledger, ledger.Counted(made.Taken, "migration was made", "migrations were made"))
	return s.document("payrun.init_migrate/v1", made)
}

func initialise(ctx context.Context, s *session) error {
	another := false
	do := func() (app.Initialised, error) { return app.Init(ctx, s.sources(), s.env(), another) }
	made, err := confirmed(ctx, s, do, func(*app.NeedsConfirmation) { another = true })
	if err != nil {
		return err
	}
	if made.ConfigWrote {
		s.term.Linef("wrote    %s", made.Config)
	} else {
		s.term.Resultf("kept     %s", made.Config)
	}
	s.term.Linef("created  %s", made.Ledger)
	s.term.Resultf("%s", made.TwoPeople)
	s.maySay(app.Do("template").First("Look through %s; then check a sheet, or begin with an empty one.", made.Config))
	return s.document("payrun.init/v1", made)
}
