package visible

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// hiddenMark takes the place of a space that is not the ordinary one, so that
// a header with an NBSP inside is not taken for the one it looks like
// (safety.md, "Hostile sheets").
const hiddenMark = '\u200b'

// headerUnits are the units in brackets that say nothing new about a column:
// every amount is in rupees.
var headerUnits = strings.NewReplacer(
	"(inr)", "", "(in inr)", "", "(rs)", "", "(rs.)", "", "(in rs)", "", "(in rs.)", "", "(₹)", "", "(in ₹)", "",
	"(rupees)", "", "(in rupees)", "", "[inr]", "", "[rs]", "", "[rs.]", "", "[₹]", "", " in ₹", "", "\nin ₹", "",
	"(रु)", "", "(रु.)", "", "(रुपये)", "", "(रुपए)", "", "(रुपये में)", "", "(रुपए में)", "", "#", "no",
)

// rupeeSign stands alone over amounts, and is no unit there but all that is said.
const rupeeSign = "₹"

// FoldHeader gives what headers are compared by: NFKC, lower case, without
// spaces, punctuation and units. Characters that do not show are kept, so that
// a header that only looks like another one stays different.
func FoldHeader(s string) string {
	s = strings.Map(func(r rune) rune {
		if r > ' ' && unicode.IsSpace(r) {
			return hiddenMark
		}
		return r
	}, Trim(s))
	if s == rupeeSign {
		return "inr"
	}
	s = headerUnits.Replace(strings.ToLower(norm.NFKC.String(s)))
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x80 && !Is(r):
			return r
		case unicode.IsPunct(r), unicode.IsSymbol(r), r <= ' ':
			return -1
		}
		return r
	}, s)
}
