package cli

import (
	"context"
	"slices"

	urfave "github.com/urfave/cli/v2"

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

// explanation is payrun.explain/v1, one line a code.
type explanation struct {
	Schema   string          `json:"schema"`
	Code     string          `json:"code"`
	Severity ledger.Severity `json:"severity"`
	Title    string          `json:"title"`
	Why      string          `json:"why"`
	Fix      string          `json:"fix"`
	Example  string          `json:"example"`
}

func (a *app) explain(code string) error {
	e, ok := validate.Explain(code)
	if !ok {
		return usage("there is no finding %q%s", plain(code), didYouMean(code, codes())).hint("payrun explain lists them")
	}
	if a.flags.json {
		return a.document(explanation{"payrun.explain/v1", e.Code, e.Severity, e.Title, e.Why, e.Fix, e.Example})
	}
	a.show("%s (%s): %s\n\n  why  %s\n  fix  %s", e.Code, e.Severity, e.Title, e.Why, e.Fix)
	if e.Example != "" {
		a.show("  e.g. %s", e.Example)
	}
	return nil
}

func (a *app) explainAll() error {
	for _, e := range validate.Explanations() {
		if !a.flags.json {
			a.show("%-30s %-8s %s", e.Code, e.Severity, e.Title)
			continue
		}
		if err := a.document(explanation{"payrun.explain/v1", e.Code, e.Severity, e.Title, e.Why, e.Fix, e.Example}); err != nil {
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
