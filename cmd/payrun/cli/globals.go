package cli

import (
	"log/slog"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// globals are the flags of every command, besides those of the terminal.
type globals struct {
	config, ledger string
	logFormat      string
	lockTimeout    time.Duration
}

// globalFlags defines them for each run by themselves: the parser keeps state in them.
func globalFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "config", Usage: "the configuration `FILE` (default: payrun.toml here, then in the user's configuration folder)"},
		&urfave.StringFlag{Name: "ledger", Usage: "the ledger `FILE`"},
		&urfave.BoolFlag{Name: "json", Usage: "one JSON document on standard output and nothing else"},
		&urfave.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "print only what was asked for, and failures"},
		&urfave.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "print more, and long lists whole"},
		&urfave.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "answer yes to a question; never answers an OTP"},
		&urfave.BoolFlag{Name: "no-input", Usage: "never ask; end with 12 if an OTP is needed"},
		&urfave.BoolFlag{Name: "no-color", Usage: "no colours (also: NO_COLOR)"},
		&urfave.StringFlag{Name: "log-format", Usage: "format of log lines on standard error: `text|json`", Value: "text"},
		&urfave.DurationFlag{Name: "lock-timeout", Usage: "wait `DURATION` for a ledger that another run uses (default: do not wait)"},
		&urfave.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show help"},
		&urfave.BoolFlag{Name: "version", Usage: "show the version"},
	}
}

// readGlobals runs before every command.
func (p *program) readGlobals(c *urfave.Context) error {
	p.flags = globals{
		config:    c.String("config"),
		logFormat: c.String("log-format"), lockTimeout: c.Duration("lock-timeout"),
	}
	p.term.Options = term.Options{
		JSON: c.Bool("json"), Quiet: c.Bool("quiet"), Verbose: c.Bool("verbose"),
		Yes: c.Bool("yes"), NoInput: c.Bool("no-input"), NoColor: c.Bool("no-color"),
	}
	switch {
	case p.flags.logFormat != "text" && p.flags.logFormat != "json":
		return usage("--log-format %s: want text or json", ledger.Plain(p.flags.logFormat))
	case p.flags.lockTimeout < 0:
		return usage("--lock-timeout must not be negative")
	case p.term.Quiet && p.term.Verbose:
		return usage("--quiet and --verbose contradict each other")
	}
	if err := config.CheckLedger("--ledger", c.String("ledger")); err != nil {
		return err // next steps repeat the flag, and a password in it
	}
	p.flags.ledger = c.String("ledger")
	level := p.logLevel()
	if p.verb == "nightly" && !p.term.Verbose { // silent, unless a log was asked for: then each step
		level = slog.LevelError
		if c.IsSet("log-format") {
			level = slog.LevelInfo
		}
	}
	p.log = newLogger(p.term, p.flags.logFormat, level)
	return nil
}

// logLevel is for operators: warnings, and with --verbose every step.
func (p *program) logLevel() slog.Level {
	switch {
	case p.term.Verbose:
		return slog.LevelDebug
	case p.term.Quiet:
		return slog.LevelError
	}
	return slog.LevelWarn
}

func newLogger(t *term.Terminal, format string, level slog.Level) *slog.Logger {
	o := &slog.HandlerOptions{Level: level}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(t.Err, o))
	}
	return slog.New(slog.NewTextHandler(t.Err, o))
}
