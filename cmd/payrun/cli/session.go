package cli

import (
	"context"
	"errors"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// session is one command with its configuration read: what it calls, and in
// whose name.
type session struct {
	*program
	set  config.Settings
	app  *app.App
	call app.Call

	sheets int // that were shown
}

// action is what a command does.
type action = func(context.Context, *session, *urfave.Context) error

// with makes the action of a command that needs the configuration, and so may
// have the keys.
func (p *program) with(do action) func(context.Context, *urfave.Context) error {
	return p.configured(config.LoadFound, do)
}

// withDefaults is with for a command that is of use also where there is no
// configuration.
func (p *program) withDefaults(do action) func(context.Context, *urfave.Context) error {
	return p.configured(config.Load, do)
}

func (p *program) configured(load func(config.Sources) (config.Settings, error), do action) func(context.Context, *urfave.Context) error {
	return func(ctx context.Context, c *urfave.Context) error {
		if err := keepIn(); err != nil {
			p.term.Warnf("other programs of this user may be able to see the keys: %v", err)
		}
		set, err := load(p.sources())
		if err != nil {
			return err
		}
		s := &session{program: p, set: set, app: app.New(set, p.env()), call: p.call(set)}
		return do(ctx, s, c)
	}
}

// sources says where the settings come from.
func (p *program) sources() config.Sources {
	return config.Sources{
		Config: p.flags.config, Ledger: p.flags.ledger, Getenv: p.world.Getenv, Amount: app.ParseAmount, Column: app.ColumnOf, StatementColumn: app.StatementColumnOf,
	}
}

func (p *program) env() app.Env {
	return app.Env{Now: p.world.Now, Getenv: p.world.Getenv, Stderr: p.term.Err}
}

// call says who asks.
func (p *program) call(set config.Settings) app.Call {
	return app.Call{Actor: set.Actor, Command: "payrun " + p.verb, LockWait: p.flags.lockTimeout, Progress: shown{p, set}}
}

// shown is the progress that a person sees on the terminal.
type shown struct {
	*program
	set config.Settings
}

func (s shown) Begin(what, unit string) app.Activity { return s.term.Begin(what, unit) }

func (s shown) Sending(until time.Time) func() {
	at := s.set.TimeOfDay(until)
	s.underWay.Store(&at)
	return func() { s.underWay.Store(nil) }
}

func (s shown) Step(batchID, text string) { s.log.Info(ledger.Plain(text), "batch", batchID) }

func (s shown) Warn(text string) { s.term.Warnf("%s", text) }

// answered gives an answer at a prompt its words where it was none.
func answered(err error) error {
	if errors.Is(err, term.ErrCancelled) {
		return app.Fail(app.Cancelled, "%v", err).Because(err)
	}
	return err
}

// usage is an error of the person's words.
func usage(format string, args ...any) *app.Error { return app.Fail(app.Usage, format, args...) }
