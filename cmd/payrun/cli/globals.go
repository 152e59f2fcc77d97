package cli

import (
	"io"
	"log/slog"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// globals are the flags that hold everywhere.
type globals struct {
	config, ledger, actor string
	json, quiet, verbose  bool
	yes, noInput, noColor bool
	logFormat             string
	lockTimeout           time.Duration
}

// globalFlags defines them for each run by themselves: the parser keeps state in them.
func globalFlags() []urfave.Flag {
	return []urfave.Flag{
		&urfave.StringFlag{Name: "config", Usage: "the configuration `FILE` (default: payrun.toml here, then in the user's configuration folder)"},
		&urfave.StringFlag{Name: "ledger", Usage: "the ledger `FILE`"},
		&urfave.BoolFlag{Name: "json", Usage: "one JSON document on standard output and nothing else"},
		&urfave.BoolFlag{Name: "quiet", Aliases: []string{"q"}, Usage: "say only what was asked for, and what failed"},
		&urfave.BoolFlag{Name: "verbose", Aliases: []string{"v"}, Usage: "say more; show long lists whole"},
		&urfave.BoolFlag{Name: "yes", Aliases: []string{"y"}, Usage: "answer yes to a question; never answers an OTP"},
		&urfave.BoolFlag{Name: "no-input", Usage: "never ask; end with 12 where an OTP would be needed"},
		&urfave.BoolFlag{Name: "no-color", Usage: "no colours (also: NO_COLOR)"},
		&urfave.StringFlag{Name: "log-format", Usage: "the form of log lines on standard error: `text|json`", Value: "text"},
		&urfave.StringFlag{Name: "actor", Usage: "the `NAME` the audit trail records (default: the user's)"},
		&urfave.DurationFlag{Name: "lock-timeout", Usage: "wait `DURATION` for a ledger that another run holds (default: not at all)"},
		&urfave.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show help"},
		&urfave.BoolFlag{Name: "version", Usage: "show the version"},
	}
}

// readGlobals runs before every command.
func (p *program) readGlobals(c *urfave.Context) error {
	p.flags = globals{
		config: c.String("config"), ledger: c.String("ledger"), actor: c.String("actor"),
		json: c.Bool("json"), quiet: c.Bool("quiet"), verbose: c.Bool("verbose"),
		yes: c.Bool("yes"), noInput: c.Bool("no-input"), noColor: c.Bool("no-color"),
		logFormat: c.String("log-format"), lockTimeout: c.Duration("lock-timeout"),
	}
	if f := p.flags.logFormat; f != "text" && f != "json" {
		return usage("--log-format %s: want text or json", ledger.Plain(f))
	}
	if p.flags.lockTimeout < 0 {
		return usage("--lock-timeout must not be negative")
	}
	if p.flags.quiet && p.flags.verbose {
		return usage("--quiet and --verbose contradict each other")
	}
	p.term.Options = term.Options{
		JSON: p.flags.json, Quiet: p.flags.quiet, Verbose: p.flags.verbose,
		Yes: p.flags.yes, NoInput: p.flags.noInput, NoColor: p.flags.noColor,
	}
	p.log = newLogger(p.term.Err, p.flags)
	return nil
}

// newLogger writes for operators: warnings, and with --verbose every step.
func newLogger(w io.Writer, g globals) *slog.Logger {
	level := slog.LevelWarn
	switch {
	case g.verbose:
		level = slog.LevelDebug
	case g.quiet:
		level = slog.LevelError
	}
	o := &slog.HandlerOptions{Level: level}
	if g.logFormat == "json" {
		return slog.New(slog.NewJSONHandler(w, o))
	}
	return slog.New(slog.NewTextHandler(w, o))
}
