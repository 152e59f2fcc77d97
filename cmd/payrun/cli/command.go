package cli

import (
	"cmp"
	"context"
	"log/slog"
	"strings"
	"time"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/term"
)

// command is one command as a person sees it. The help page is made from it.
type command struct {
	name     string
	args     string // as in the usage line, which says how many there are: [WORD] at most one, WORD... at least one
	brief    string // one line, for the list of commands
	long     string // paragraphs
	examples []string
	exits    []int // besides 0, 1, 2 and 130, which any command may end with, and those of sub if it only has these
	flags    []urfave.Flag
	sub      []command

	needs        []string                      // flags that must have a value
	sends        bool                          // it changes something at the bank, so didYouMean never suggests it
	untilStopped bool                          // a signal is its normal end, not an interruption
	usage        func(c *urfave.Context) error // checks the flags before anything is opened
	run          func(ctx context.Context, c *urfave.Context) error
}

// takes reports whether the command takes so many arguments.
func (c command) takes(n int) bool {
	return n == 0 && (c.args == "" || c.args[0] == '[') || n == 1 && c.args != "" || n > 1 && strings.Contains(c.args, "...")
}

// checkArgs refuses a number of arguments that the command does not take.
func (c command) checkArgs(name string, got int) error {
	why := "takes no more than 1 argument"
	switch {
	case c.takes(got):
		return nil
	case c.args == "":
		why = "takes no argument"
	case got == 0:
		why = "needs " + strings.TrimSuffix(c.args, "...")
	}
	return usage("payrun %s %s", name, why).Then(app.Say("usage: payrun %s", strings.TrimSpace(name+" "+c.args)))
}

// checkUsage refuses arguments and flags that the command does not take, or not together.
func (c command) checkUsage(name string, given *urfave.Context) error {
	if err := c.checkArgs(name, given.NArg()); err != nil {
		return err
	}
	for _, needed := range c.needs {
		if !given.IsSet(needed) || strings.TrimSpace(given.String(needed)) == "" {
			return usage("payrun %s needs --%s", name, needed).Then(app.Say("payrun %s --help", name))
		}
	}
	if c.usage == nil {
		return nil
	}
	return c.usage(given)
}

// group is a heading in the list of commands.
type group struct {
	heading  string
	commands []command
}

// groups lists every command, in the order of the help.
func (p *program) groups() []group {
	return []group{
		{"Begin", []command{p.demoCommand(), p.initCommand(), p.templateCommand(), p.sandboxCommand()}},
		{"A payday", []command{p.checkCommand(), p.loadCommand(), p.approveCommand(), p.initiateCommand(), p.submitCommand(),
			p.pollCommand(), p.reconcileCommand(), p.reportCommand(), p.runCommand(), p.nightlyCommand()}},
		{"When something went wrong", []command{p.retryCommand(), p.abandonCommand(), p.resolveCommand(), p.policyCommand(), p.doctorCommand()}},
		{"What the ledger holds", []command{p.statusCommand(), p.payoutsCommand(), p.findCommand(), p.sheetsCommand(), p.deskCommand(),
			p.ifscCommand(), p.ledgerCommand()}},
		{"What the bank has", []command{p.accountsCommand(), p.balanceCommand(), p.statementCommand(), p.beneficiariesCommand(),
			p.merchantsCommand(), p.listenCommand()}},
		{"Also", []command{p.peopleCommand(), p.explainCommand(), p.completionCommand(), p.manCommand(), p.versionCommand(), p.helpCommand()}},
	}
}

func (p *program) commands() (all []command) {
	for _, g := range p.groups() {
		all = append(all, g.commands...)
	}
	return all
}

// globals are the values of the global flags, without those of the terminal.
type globals struct {
	config, ledger string
	logFormat      string
	lockTimeout    time.Duration
}

// globalFlags returns new flags at each call, because the parser keeps state in them.
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
		read("log-format", "format of log lines on standard error: `text|json`", oneOf("text", "json")),
		read("lock-timeout", "wait `DURATION` for a ledger that another run uses (default: do not wait)", span(0)),
		&urfave.BoolFlag{Name: "help", Aliases: []string{"h"}, Usage: "show help"},
		&urfave.BoolFlag{Name: "version", Usage: "show the version"},
	}
}

// readGlobals reads the global flags. It runs before every command.
func (p *program) readGlobals(c *urfave.Context) error {
	p.flags = globals{
		config:    c.String("config"),
		logFormat: given[string](c, "log-format"), lockTimeout: given[time.Duration](c, "lock-timeout"),
	}
	p.term.Options = term.Options{
		JSON: c.Bool("json"), Quiet: c.Bool("quiet"), Verbose: c.Bool("verbose"),
		Yes: c.Bool("yes"), NoInput: c.Bool("no-input"), NoColor: c.Bool("no-color"),
	}
	err := cmp.Or(usageIf(p.term.Quiet && p.term.Verbose, "--quiet and --verbose contradict each other"), config.CheckLedger("--ledger", c.String("ledger")))
	if err != nil {
		return err // before p.flags has the ledger, so that no next step repeats a password in the flag
	}
	p.flags.ledger = c.String("ledger")
	level := slog.LevelWarn // for operators
	switch {
	case p.term.Verbose:
		level = slog.LevelDebug
	case p.verb == "nightly" && c.IsSet("log-format"):
		level = slog.LevelInfo // each step
	case p.term.Quiet, p.verb == "nightly":
		level = slog.LevelError
	}
	p.log = newLogger(p.term, p.flags.logFormat, level)
	return nil
}

func newLogger(t *term.Terminal, format string, level slog.Level) *slog.Logger {
	o := &slog.HandlerOptions{Level: level}
	return slog.New(either[slog.Handler](format == "json", slog.NewJSONHandler(t.Err, o), slog.NewTextHandler(t.Err, o)))
}
