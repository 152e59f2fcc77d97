// Package cli is the command line of payrun, with one file for each command. A command reads its flags,
// calls a use case of app, prints a document or words, and returns an exit code. Only this package knows
// urfave/cli. It knows no store, no bank, and no rule of sheets, batches or banks.
package cli

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// World is what the program touches outside itself. A test passes its own.
type World struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(name string) string // "" when unset
	Now            func() time.Time
	// Desk serves the browser desk until ctx ends, calls ready once it listens, and calls warn for each
	// problem. main passes it in, because cli and desk do not import each other.
	Desk func(ctx context.Context, a *app.App, set config.Settings, opt config.Desk, warn func(words string), ready func(doc.Desk) error) error
}

// System is the real world. Its Now is the only place that reads the wall clock. That time dates what the
// ledger records and decides nothing about money.
func System() World {
	return World{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now}
}

// Main runs one command line and returns its exit code. SIGINT, SIGTERM, SIGHUP and SIGQUIT stop it after
// the current call is completed and recorded; a second signal does not shorten that. SIGPIPE is ignored:
// the writer notices a closed output, so no signal can stop the program between an intent and its outcome.
func Main(args []string, w World) int {
	signal.Ignore(syscall.SIGPIPE)
	stops := []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGQUIT}
	if !signal.Ignored(syscall.SIGHUP) { // sent when a terminal closes; under nohup it stays ignored
		stops = append(stops, syscall.SIGHUP)
	}
	asked := make(chan os.Signal, len(stops))
	signal.Notify(asked, stops...)
	defer signal.Stop(asked)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	p := newProgram(w)
	go p.stopWhen(asked, stop)
	return p.main(ctx, args)
}

// stopWhen calls stop at each signal. It never breaks off a call. While a call is in progress, the first
// signal prints that payrun stops after the answer, and later ones print until when it waits.
func (p *program) stopWhen(asked <-chan os.Signal, stop func()) {
	for n := 1; ; n++ {
		<-asked
		stop()
		switch until := p.calling.Load(); {
		case until == nil:
		case n == 1:
			p.term.Errorf("\npayrun: stopping as soon as the bank has answered what was sent")
		default:
			p.term.Errorf("\npayrun: the bank's answer to what was sent is waited for, until %s at the latest; it is recorded, and this ends", *until)
		}
	}
}

// program is one run of the program.
type program struct {
	world World
	term  *term.Terminal
	flags globals
	log   *slog.Logger
	verb  string   // the command that runs
	given []string // the command's own flags, as --name=value
	last  string   // printed after a command that succeeded

	calling atomic.Pointer[string] // until when the call in progress waits for its answer; nil without a call
}

func newProgram(w World) *program {
	p := &program{world: w, term: term.New(w.Stdin, w.Stdout, w.Stderr, w.Getenv)}
	p.log = newLogger(p.term, "text", slog.LevelWarn)
	return p
}

func (p *program) main(ctx context.Context, args []string) int {
	in, err := parse(p.commands(), globalFlags(), args[1:])
	p.term.JSON = wantsJSON(args[1:])
	if err == nil {
		err = p.dispatch(ctx, in)
	}
	if ctx.Err() != nil && !in.cmd.untilStopped {
		err = errors.Join(err, context.Cause(ctx))
	}
	return p.end(err)
}

// wantsJSON looks for --json among the words, even if they cannot be parsed, so that a usage error has the
// form that the caller reads.
func wantsJSON(words []string) bool {
	if end := slices.Index(words, "--"); end >= 0 {
		words = words[:end]
	}
	return slices.Contains(words, "--json")
}

// dispatch shows help if it was requested, and runs the command otherwise.
func (p *program) dispatch(ctx context.Context, in invocation) error {
	switch {
	case in.Bool("version"):
		return p.version()
	case len(in.path) == 0 || in.Bool("help"):
		return p.help(in.path)
	}
	p.verb, p.given = strings.Join(in.path, " "), in.given
	if err := cmp.Or(p.readGlobals(in.Context), in.cmd.checkUsage(p.verb, in.Context)); err != nil {
		return err
	}
	return in.cmd.run(ctx, in.Context)
}

// end prints the last words or the error, and returns the exit code.
func (p *program) end(err error) int {
	worst := app.Worst(err)
	if lost := p.term.Out.Err(); worst == nil && lost != nil {
		worst = app.Fail(app.Failed, "the output could not be written: %v", lost)
	}
	if worst == nil {
		p.term.Last(p.last)
		return exitDone
	}
	for _, what := range app.Unread(err) { // nothing else shows it
		p.term.Warnf("%s", ledger.Plain(what))
	}
	return p.complain(worst)
}

// session is one command with its configuration: what it calls, and as which actor.
type session struct {
	*program
	set  config.Settings
	app  *app.App
	call app.Call

	sheets int // number of sheets shown
}

// action is the code of a command.
type action = func(context.Context, *session, *urfave.Context) error

// with makes the action of a command that needs the configuration. The command can then have the keys.
func (p *program) with(do action) func(context.Context, *urfave.Context) error {
	return p.configured(config.LoadFound, do)
}

// configured makes the action of a command whose configuration load finds. With config.Load it also works without one.
func (p *program) configured(load func(config.Sources) (config.Settings, error), do action) func(context.Context, *urfave.Context) error {
	return func(ctx context.Context, c *urfave.Context) error {
		p.protectKeys()
		set, err := load(p.sources())
		if err != nil {
			return err
		}
		s := &session{program: p, set: set, app: app.New(set, p.env()), call: p.call(set)}
		return do(ctx, s, c)
	}
}

// protectKeys is keepIn with a warning if it fails.
func (p *program) protectKeys() {
	if err := keepIn(); err != nil {
		p.term.Warnf("other programs of this user may be able to see the keys: %v", err)
	}
}

// sources returns the sources of the settings.
func (p *program) sources() config.Sources {
	return config.Sources{
		Config: p.flags.config, Ledger: p.flags.ledger, Getenv: p.world.Getenv, Amount: app.ParseAmount, Column: app.ColumnOf,
	}
}

func (p *program) env() app.Env {
	return app.Env{Now: p.world.Now, Getenv: p.world.Getenv, Stderr: p.term.Err}
}

// call returns the actor, the command and the progress display for a use case.
func (p *program) call(set config.Settings) app.Call {
	return app.Call{Actor: set.Actor, Command: "payrun " + p.verb, LockWait: p.flags.lockTimeout, Progress: shown{p, set}}
}

// shown is the progress display on the terminal.
type shown struct {
	*program
	set config.Settings
}

func (s shown) Begin(what, unit string) app.Activity { return s.term.Begin(what, unit) }

func (s shown) Sending(until time.Time) func() {
	at := s.set.TimeOfDay(until)
	s.calling.Store(&at)
	return func() { s.calling.Store(nil) }
}

func (s shown) Step(batchID, text string) { s.log.Info(ledger.Plain(text), "batch", batchID) }

func (s shown) Warn(text string) { s.term.Warnf("%s", text) }

// answered turns a cancelled prompt into a Cancelled failure, and returns any other error unchanged.
func answered(err error) error {
	if errors.Is(err, term.ErrCancelled) {
		return app.Fail(app.Cancelled, "%v", err).Because(err)
	}
	return err
}

// usage returns a usage error, for a command line that is wrong.
func usage(format string, args ...any) *app.Error { return app.Fail(app.Usage, format, args...) }

// usageIf returns a usage error if a command line is wrong, and nil otherwise.
func usageIf(wrong bool, format string, args ...any) error {
	if wrong {
		return usage(format, args...)
	}
	return nil
}
