package ledger

import (
	"regexp"
	"strings"
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

var bareWord = regexp.MustCompile(`^[\p{L}\p{N}_@%+=:,./-]+$`)

// ShellWord writes a word as a shell takes it for one.
func ShellWord(word string) string {
	switch {
	case bareWord.MatchString(word):
		return word
	case !strings.ContainsAny(word, "\"$!\\`"):
		return `"` + word + `"`
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
