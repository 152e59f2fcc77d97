package cli

import (
	"regexp"
	"strings"

	"payrun/cmd/payrun/app"
)

// hintLine words a hint: what comes first, then the command as it is typed.
func hintLine(h app.Hint) string {
	line := h.Before
	if len(h.Command) > 0 {
		if line != "" {
			line += ": "
		}
		line += typed(h.Command)
	}
	if h.After != "" {
		line += " " + h.After
	}
	return line
}

// nothingLeft ends a command after which nothing is waited for.
const nothingLeft = "Nothing is left to do. The files are written by: payrun report"

// nextIs says last what has to be done next.
func (p *program) nextIs(hints ...app.Hint) {
	p.last = nothingLeft
	var lines []string
	for i, h := range hints {
		word := "Next"
		if i > 0 {
			word = "Then"
		}
		if h.Before != "" {
			word += ", "
		} else {
			word += ": "
		}
		lines = append(lines, word+hintLine(h))
	}
	if len(lines) > 0 {
		p.last = strings.Join(lines, "\n")
	}
}

// typed gives a command of payrun as a person types it in a shell.
func typed(command []string) string {
	words := []string{"payrun"}
	for _, w := range command {
		words = append(words, quoted(w))
	}
	return strings.Join(words, " ")
}

var bare = regexp.MustCompile(`^[\p{L}\p{N}_@%+=:,./-]+$`)

// quoted makes a word one word for a shell.
func quoted(word string) string {
	if bare.MatchString(word) {
		return word
	}
	if !strings.ContainsAny(word, `"$!\`+"`") {
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
