package ledger

import "strings"

// Command writes the step as a person types it, "payrun poll prt…"; in the
// place of an id that is "" stands what the step names, as in "payrun poll BATCH".
func (n Next) Command(id string) string {
	if id == "" {
		id = strings.ToUpper(string(n.Names))
	}
	words := []string{"payrun"}
	for _, word := range n.Args(id) {
		words = append(words, shellWord(word))
	}
	return strings.Join(words, " ")
}

// shellWord quotes a word where a shell would take it for more than one, or
// for something else.
func shellWord(s string) string {
	const bare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.,:=/@%+"
	if s != "" && strings.Trim(s, bare) == "" {
		return s
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(s) + `"`
}
