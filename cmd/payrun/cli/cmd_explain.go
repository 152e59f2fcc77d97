package cli

import (
	"context"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
)

func (p *program) explainCommand() command {
	return command{
		name: "explain", args: "[CODE]", group: groupOther,
		brief:    "explain a finding: why it matters and what to do",
		long:     "Without CODE it lists every code.",
		examples: []string{"payrun explain ifsc_malformed", "payrun explain"},
		most:     1,
		run: func(_ context.Context, c *urfave.Context) error {
			if c.NArg() == 0 {
				return p.explainAll()
			}
			return p.explain(c.Args().First())
		},
	}
}

func (p *program) explain(code string) error {
	e, err := app.Explain(code)
	if err != nil {
		return err
	}
	if p.term.JSON {
		return p.document(e)
	}
	p.term.Resultf("%s (%s): %s\n\n  why  %s\n  fix  %s", e.Code, e.Severity, e.Title, e.Why, withFlag(e.Fix, e.Option))
	if e.Example != "" {
		p.term.Resultf("  e.g. %s", e.Example)
	}
	return nil
}

func (p *program) explainAll() error {
	for _, e := range app.Explanations() {
		if !p.term.JSON {
			p.term.Resultf("%-30s %-8s %s", e.Code, e.Severity, e.Title)
			continue
		}
		if err := p.document(e); err != nil {
			return err
		}
	}
	return nil
}
