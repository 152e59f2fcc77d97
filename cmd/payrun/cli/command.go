package cli

import (
	"context"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// command is one command as a person meets it; the parser's own type is made
// from it, and so is its help.
type command struct {
	name     string
	args     string // as the usage line shows them
	brief    string // one line, for the list of commands
	long     string // paragraphs
	examples []string
	exits    []int // beyond 0, 1, 2 and 130, which any command may have
	flags    []urfave.Flag
	sub      []command
	group    string // heading in the list of commands
	least    int    // arguments it needs
	most     int    // and takes; anyNumber for no limit

	sends        bool                          // something at the bank changes: never suggested for a word that was meant otherwise
	untilStopped bool                          // a signal is how it ends, not an interruption
	usage        func(c *urfave.Context) error // what can be said about the flags before anything is opened
	run          func(ctx context.Context, c *urfave.Context) error
}

// anyNumber of arguments.
const anyNumber = -1

// checkArgs holds the number of arguments against what the command takes.
func (c command) checkArgs(name string, got int) error {
	line := strings.TrimSpace("usage: payrun " + name + " " + c.args)
	switch {
	case c.most == 0 && got > 0:
		return usage("payrun %s takes no argument", name).Then(app.Say("%s", line))
	case got < c.least:
		return usage("payrun %s needs %s", name, c.args).Then(app.Say("%s", line))
	case c.most != anyNumber && got > c.most:
		return usage("payrun %s takes no more than %s", name, ledger.Counted(c.most, "argument", "arguments")).Then(app.Say("%s", line))
	}
	return nil
}

// urfave gives the parser's form. Help and completion of the parser stay off:
// the first would read an argument named "help" as a command, the second would
// run the command on TAB.
func (c command) urfave(ctx context.Context, parent string) *urfave.Command {
	name := parent + c.name
	out := &urfave.Command{
		Name: c.name, Flags: c.flags,
		HideHelp: true, HideHelpCommand: true,
		OnUsageError: badFlag,
		Action: func(cc *urfave.Context) error {
			if err := c.checkArgs(name, cc.NArg()); err != nil {
				return err
			}
			if c.usage != nil {
				if err := c.usage(cc); err != nil {
					return err
				}
			}
			return c.run(ctx, cc)
		},
	}
	for _, s := range c.sub {
		out.Subcommands = append(out.Subcommands, s.urfave(ctx, name+" "))
	}
	return out
}

// badFlag makes a flag's bad value a usage failure like any other.
func badFlag(_ *urfave.Context, err error, _ bool) error {
	return usage("%s", ledger.Plain(err.Error())).Because(err)
}
