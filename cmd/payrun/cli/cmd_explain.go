package cli

import (
	"context"
	"slices"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/validate"
)

func (a *app) explainCommand() command {
	return command{
		name: "explain", args: "[CODE]", group: groupOther,
		brief:    "explain a finding: why it matters and what to do",
		long:     "Without CODE it lists every code.",
		examples: []string{"payrun explain ifsc_malformed", "payrun explain"},
		most:     1,
		run: func(_ context.Context, c *urfave.Context) error {
			if c.NArg() == 0 {
				return a.explainAll()
			}
			return a.explain(c.Args().First())
		},
	}
}

func (a *app) explain(code string) error {
	e, ok := validate.Explain(code)
	if !ok {
		return usage("there is no finding %q%s", ledger.Plain(code), didYouMean(code, codes())).hint("payrun explain lists them")
	}
	if a.flags.json {
		return a.document(explanation(e))
	}
	a.term.Show("%s (%s): %s\n\n  why  %s\n  fix  %s", e.Code, e.Severity, e.Title, e.Why, e.Fix)
	if e.Example != "" {
		a.term.Show("  e.g. %s", e.Example)
	}
	return nil
}

func (a *app) explainAll() error {
	for _, e := range validate.Explanations() {
		if !a.flags.json {
			a.term.Show("%-30s %-8s %s", e.Code, e.Severity, e.Title)
			continue
		}
		if err := a.document(explanation(e)); err != nil {
			return err
		}
	}
	return nil
}

func codes() []string {
	var out []string
	for _, e := range validate.Explanations() {
		out = append(out, e.Code)
	}
	slices.Sort(out)
	return out
}

func explanation(e validate.Explanation) doc.Explanation {
	return doc.Explanation{
		Schema: "payrun.explain/v1", Code: e.Code, Severity: e.Severity, Title: e.Title, Why: e.Why, Fix: e.Fix, Example: e.Example,
	}
}
