package cli

import (
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// hintLines words a hint. A command that is a next step has a line of its own, so that it can be
// copied.
func (p *program) hintLines(h app.Hint) []string {
	var lines []string
	switch {
	case len(h.Command) == 0:
		return []string{strings.TrimSpace(h.Before + " " + h.After)}
	case h.After != "": // a view, in the middle of a sentence
		line := p.typed(h.Command) + " " + h.After
		if h.Before != "" {
			line = h.Before + ": " + line
		}
		return []string{line}
	case h.Before != "":
		lines = append(lines, h.Before)
	}
	return append(lines, term.Next+p.typed(h.Command))
}

// nothingLeft ends a command after which nothing is waited for.
const nothingLeft = "Nothing is left to do. The files are written by: payrun report"

// nextIs says last what has to be done next.
func (p *program) nextIs(hints ...app.Hint) {
	var lines []string
	for _, h := range hints {
		lines = append(lines, p.hintLines(h)...)
	}
	p.last = strings.Join(lines, "\n")
	if len(lines) == 0 {
		p.last = nothingLeft
	}
}

// typed gives a command of payrun as a person types it in a shell, with the
// flags of this one that say which ledger it is about and how a sheet is read.
func (p *program) typed(command []string) string {
	words := append([]string{"payrun"}, command...)
	if command[0] == "load" && (p.verb == "check" || p.verb == "load") || command[0] == "run" && p.verb == "run" {
		for _, flag := range p.given {
			if flag != "--online" { // says nothing of how a sheet is read
				words = append(words, flag)
			}
		}
	}
	for _, f := range []struct{ name, value string }{{"--config", p.flags.config}, {"--ledger", p.flags.ledger}} {
		if f.value != "" {
			words = append(words, f.name, f.value)
		}
	}
	for i, w := range words {
		words[i] = ledger.ShellWord(w)
	}
	return strings.Join(words, " ")
}
