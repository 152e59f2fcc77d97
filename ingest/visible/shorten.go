package visible

import "strings"

// MaxQuoted is the longest quote in a message, in characters.
const MaxQuoted = 80

// Shorten cuts a quote to MaxQuoted characters. It returns a copy, so that the quote does not keep its whole
// row in memory.
func Shorten(s string) string {
	if r := []rune(s); len(r) > MaxQuoted {
		return string(r[:MaxQuoted]) + "…"
	}
	return strings.Clone(s)
}
