package ledger

import (
	"strings"
	"unicode"
)

// Command writes the step as a person types it, "payrun poll prt…"; in the
// place of an id that is "" stands what the step names, as in "payrun poll BATCH".
func (n Next) Command(id string) string {
	if id == "" {
		id = strings.ToUpper(string(n.Names))
	}
	words := []string{"payrun"}
	for _, word := range n.Args(id) {
		words = append(words, ShellWord(word))
	}
	return strings.Join(words, " ")
}

// ShellWord writes a word as a shell takes it for one.
func ShellWord(word string) string {
	switch {
	case word != "" && !strings.ContainsFunc(word, special):
		return word
	case !strings.ContainsAny(word, "\"$!\\`"):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// special reports a character that a shell may take for more than itself.
func special(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !strings.ContainsRune("_@%+=:,./-", r)
}
