package cli

import (
	"context"
	"errors"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) doctorCommand() command {
	return command{
		name:  "doctor",
		brief: "check the setup",
		long: `It checks the configuration (and which was found), the keys, the ledger and its lock, the disk, the three
hosts of the bank, the environment, the debit accounts, both clocks and the last night, and gives the fix
for each problem. With --nightly it also checks what cron needs. It changes nothing, and ends with the
worst exit code of what failed; a warning alone ends with 0. --show-config shows each setting and where it
came from instead, with secrets masked.`,
		examples: []string{"payrun doctor", "payrun doctor --nightly --json", "payrun doctor --show-config"},
		exits:    []int{exitCredentials, exitUnanswered, exitPerson, exitLedger},
		flags: []urfave.Flag{
			&urfave.BoolFlag{Name: "nightly", Usage: "also check what payrun nightly needs"},
			&urfave.BoolFlag{Name: "show-config", Usage: "show each setting and where it came from"},
		},
		usage: func(c *urfave.Context) error {
			return usageIf(c.Bool("nightly") && c.Bool("show-config"), "--nightly and --show-config are two things: say one")
		},
		run: p.doctor,
	}
}

func (p *program) doctor(ctx context.Context, c *urfave.Context) error {
	p.protectKeys()
	if c.Bool("show-config") {
		return p.showConfig()
	}
	found, err := app.Doctor(ctx, p.sources(), p.env(), c.Bool("nightly"))
	checks := []doc.Checkup{}
	for _, f := range found {
		check := doc.Checkup{Name: f.Name, Health: string(f.Health), What: ledger.Plain(f.What), Code: string(f.Code), Next: p.plainHints(f.Next)}
		p.term.Resultf("%s %s: %s", p.term.Paint(marks[f.Health].color, marks[f.Health].word), ledger.Plain(f.Name), check.What)
		for _, line := range check.Next {
			p.term.Resultf("       %s", line)
		}
		checks = append(checks, check)
	}
	return errors.Join(err, p.document("payrun.doctor/v1", map[string]any{"checks": checks, "exit": exitOf(app.Worst(err))}))
}

// plainHints returns the hints as lines of printable text.
func (p *program) plainHints(hints []app.Hint) []string {
	lines := []string{}
	for _, h := range hints {
		for _, line := range p.hintLines(h) {
			lines = append(lines, ledger.Plain(line))
		}
	}
	return lines
}

// marks are the words and colours at the start of a line, by health.
var marks = map[app.Health]struct {
	word  string
	color term.Color
}{
	app.Well: {"ok    ", term.Good}, app.Doubtful: {"warn  ", term.Attend}, app.Unwell: {"FAILED", term.Bad}, app.Unknown: {"-     ", term.Ordinary},
}

func (p *program) showConfig() error {
	values, err := config.Show(p.sources())
	if err != nil {
		return err
	}
	t := p.term.Table(term.Columns{"Setting", "Value", "From"})
	for _, v := range values {
		t.Row(v.Key, v.Holds, v.From)
	}
	t.Render()
	return p.document("payrun.config/v1", map[string]any{"values": values})
}
