// Package cli is the command line of payrun: a file a command, the wiring of
// the rooms, the configuration, the rules of the terminal and the exit codes.
// It is the only room that knows urfave/cli and the only one that imports
// implementations; it knows no rule of sheets, batches or banks.
package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/term"
)

// World is what the program touches outside itself, so that a test can be one.
type World struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Getenv         func(name string) string // "" when unset
	Now            func() time.Time
}

// System is the real world. Its Now is the one place that reads the wall
// clock: it dates what the ledger records and decides nothing about money.
func System() World {
	return World{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Getenv: os.Getenv, Now: time.Now}
}

// Main runs one command line and returns its exit code. SIGINT, SIGTERM and SIGHUP
// stop it after the call under way was finished and recorded; a second signal
// changes nothing about that. A closed output is noticed by the writer, never
// by a signal, so that it cannot fall between an intent and its outcome.
func Main(args []string, w World) int {
	signal.Ignore(syscall.SIGPIPE)
	stops := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // a closed terminal; nohup keeps its word
		stops = append(stops, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), stops...)
	defer stop()
	return newApp(w).main(ctx, args)
}

// app is one run of the program.
type app struct {
	world World
	term  *term.Terminal
	flags globals
	log   *slog.Logger
	verb  string // the command that runs
	next  string // what a person has to do next, said last
}

func newApp(w World) *app {
	a := &app{world: w, term: term.New(w.Stdin, w.Stdout, w.Stderr, w.Getenv)}
	a.log = newLogger(a.term.Err, a.flags)
	return a
}

func (a *app) main(ctx context.Context, args []string) int {
	cmds := a.commands()
	in, err := parse(cmds, globalFlags(), args[1:])
	a.flags.json = wantsJSON(args[1:])
	a.term.JSON = a.flags.json
	if err == nil {
		err = a.dispatch(ctx, in, cmds)
	}
	if ctx.Err() != nil && (in.cmd == nil || !in.cmd.untilStopped) {
		err = errors.Join(err, context.Cause(ctx))
	}
	return a.end(err)
}

// wantsJSON looks for --json among words that may not even be understood, so
// that a usage error is said in the form the caller reads.
func wantsJSON(words []string) bool {
	if end := slices.Index(words, "--"); end >= 0 {
		words = words[:end]
	}
	return slices.Contains(words, "--json")
}

// dispatch shows help where help was asked for, and runs the command otherwise.
func (a *app) dispatch(ctx context.Context, in invocation, cmds []command) error {
	switch {
	case in.has("version"):
		return a.version()
	case in.cmd == nil || in.has("help"):
		return a.help(in.path)
	}
	a.verb = strings.Join(in.path, " ")
	program := &urfave.App{
		Name: "payrun", Flags: globalFlags(),
		HideHelp: true, HideHelpCommand: true, HideVersion: true,
		DisableSliceFlagSeparator: true,
		Writer:                    a.term.Err, ErrWriter: a.term.Err,
		ExitErrHandler: func(*urfave.Context, error) {}, // the exit code is Main's to give, after every deferred close
		OnUsageError:   badFlag,
		Before:         a.readGlobals,
	}
	for _, c := range cmds {
		program.Commands = append(program.Commands, c.urfave(ctx, ""))
	}
	return program.RunContext(ctx, in.line("payrun"))
}

// end says what is left to say and gives the exit code.
func (a *app) end(err error) int {
	f := judge(err)
	if lost := a.term.Out.Err(); f == nil && lost != nil {
		f = fail(exitFailed, "the output could not be written: %v", lost)
	}
	if f == nil {
		a.term.Last(a.next)
		return exitDone
	}
	a.complain(f)
	return f.exit
}
