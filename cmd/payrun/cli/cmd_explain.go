package cli

import (
	"cmp"
	"context"
	"fmt"
	"strconv"
	"strings"

	urfave "github.com/urfave/cli/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

func (p *program) explainCommand() command {
	return command{
		name: "explain", args: "[CODE]",
		brief: "explain a finding, a state or a code, and what to do",
		long: `CODE is a finding of check, an exception, a condition that needs action, a state of a batch or payout, an
exit code, an error code (payrun.error/v1), a code of the bank, or the words that tables show for one, as
"In doubt". If a word is several of these, all are explained. Without CODE it lists all.`,
		examples: []string{"payrun explain ifsc_malformed", "payrun explain otp_late", "payrun explain 15", "payrun explain"},
		run: func(_ context.Context, c *urfave.Context) error {
			if c.NArg() == 0 {
				return p.explainAll()
			}
			return p.explain(c.Args().First())
		},
	}
}

// Kinds of explanations that only the command line has.
const (
	kindExitCode  = "exit code"
	kindErrorCode = "error code"
)

// exitExplanations explains the exit codes and the codes of payrun.error/v1.
func exitExplanations() []doc.Explanation {
	var out []doc.Explanation
	add := func(code, kind, title, why, fix string) {
		out = append(out, doc.Explanation{Code: code, Kind: kind, Title: title, Why: why, Fix: fix})
	}
	for _, m := range exitTable {
		var why, fix []string
		for _, c := range m.codes {
			add(string(c.code), kindErrorCode, c.meaning, "the command ends with "+strconv.Itoa(m.exit)+": "+m.meaning, c.do)
			why, fix = append(why, string(c.code)+": "+c.meaning), append(fix, string(c.code)+": "+c.do)
		}
		switch len(m.codes) {
		case 0:
			why, fix = []string{"all went well"}, []string{"Nothing."}
		case 1:
			fix = []string{m.codes[0].do}
		}
		add(strconv.Itoa(m.exit), kindExitCode, m.meaning, strings.Join(why, "\n"), strings.Join(fix, "\n"))
	}
	return out
}

func (p *program) explain(code string) error {
	found, err := app.Explain(code, exitExplanations()...)
	if err != nil {
		return err
	}
	for i, e := range found {
		if i > 0 {
			p.term.Resultf("")
		}
		p.term.Resultf("%s (%s): %s\n\n  why  %s\n  fix  %s", e.Code, sortOf(e), e.Title, hanging(e.Why), hanging(e.Option.EndFix(e.Fix)))
		if e.Example != "" {
			p.term.Resultf("  e.g. %s", e.Example)
		}
	}
	return lines(p, "payrun.explain/v1", found)
}

// hanging indents every line of a text but the first.
func hanging(text string) string { return strings.ReplaceAll(text, "\n", "\n       ") }

// sortOf returns the severity of a finding, and the kind of any other explanation.
func sortOf(e doc.Explanation) string { return cmp.Or(string(e.Severity), e.Kind) }

// explainAll lists every code by kind, or as documents with --json.
func (p *program) explainAll() error {
	all := append(app.Explanations(), exitExplanations()...)
	for _, g := range explainedGroups {
		p.term.Resultf("%s", strings.ToUpper(g.heading))
		for _, e := range all {
			if sortOf(e) == g.sort {
				p.term.Resultf("%s", term.Cut(fmt.Sprintf("  %-*s %s", g.indent, e.Code, e.Title), explainedWidth))
			}
		}
		p.term.Resultf("")
	}
	p.term.Resultf("payrun explain CODE says why it matters and what to do.")
	return lines(p, "payrun.explain/v1", all)
}

// explainedGroups are the headings of the list of explain.
var explainedGroups = [...]struct {
	sort    string // sortOf of the explanations in it
	heading string
	indent  int // width of the code column; a longer code moves its title
}{
	{string(ledger.SeverityError), "Findings of a sheet or a statement: errors", 24},
	{string(ledger.SeverityWarning), "Findings: warnings, look before you pay", 24},
	{string(ledger.SeverityInfo), "Findings: for information", 26},
	{app.KindAttention, "Exceptions, and what a batch asks for", 23},
	{app.KindBatchState, "States of a batch", 17},
	{app.KindPayoutState, "States of a payout", 17},
	{kindExitCode, "Exit codes", 4},
	{kindErrorCode, "Codes of a failure", 21},
	{app.KindBankCode, "Codes of the bank", 14},
	{app.KindBankStatus, "Statuses of the bank", 26},
}

// explainedWidth is the width of a line of the list, so that it fits any screen.
const explainedWidth = 80
