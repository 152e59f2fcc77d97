package cli

import (
	"strconv"
	"strings"
	"unicode"
)

// plain makes text from a sheet or from the bank safe to show: control, format
// and direction characters, and everything else that is not printable, appear
// as \u escapes, so that no terminal acts on them. Line breaks become spaces.
func plain(s string) string {
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '\n' || r == '\r' || r == '\t':
			b.WriteByte(' ')
		case unprintable(r):
			quoted := strconv.QuoteRuneToASCII(r)
			b.WriteString(quoted[1 : len(quoted)-1])
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// unprintable is what must not reach a terminal raw. Joiners stay: Indian
// scripts are spelt with them and no terminal acts on them.
func unprintable(r rune) bool {
	const zeroWidthNonJoiner, zeroWidthJoiner = '\u200c', '\u200d'
	if r == zeroWidthNonJoiner || r == zeroWidthJoiner {
		return false
	}
	return r == unicode.ReplacementChar || !unicode.IsPrint(r) && !unicode.Is(unicode.Mn, r) && !unicode.Is(unicode.Mc, r)
}
