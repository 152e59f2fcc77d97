package visible

import "strings"

// MaxQuoted bounds what a message quotes, in characters.
const MaxQuoted = 80

// Shorten keeps what a message quotes to one line's length, and a copy of it,
// so that it does not hold on to its whole row.
func Shorten(s string) string {
	if r := []rune(s); len(r) > MaxQuoted {
		return string(r[:MaxQuoted]) + "…"
	}
	return strings.Clone(s)
}
