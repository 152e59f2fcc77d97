package visible

import "strings"

// MaxQuoted bounds what a message quotes, in characters.
const MaxQuoted = 80

// Shorten keeps what a message quotes to one line's length, and a copy of it,
// so that it does not hold on to its whole row.
func Shorten(s string) string {
	if len(s) <= MaxQuoted {
		return strings.Clone(s)
	}
	n := 0
	for i := range s {
		if n == MaxQuoted {
			return strings.Clone(s[:i]) + "…"
		}
		n++
	}
	return strings.Clone(s)
}
