package app

import (
	"regexp"
	"strings"

	"payrun/ledger"
)

// EventPiece is a piece of what an event says: words, or a digest by its beginning,
// and then the whole of it.
type EventPiece struct{ Words, Full string }

// digestChars is how much of a digest is shown.
const digestChars = 12

// wholeDigest is a digest as events have it: of SHA-256, in lower-case hex.
var wholeDigest = regexp.MustCompile(`\b[0-9a-f]{64}\b`)

// toldAmount is an amount as events have it, where it is of counted payouts or rows.
var toldAmount = regexp.MustCompile(`\b(?:payouts|rejected) of [0-9]+\.[0-9]{2}\b`)

// EventPieces are the pieces of an event's detail, as people read them in a story.
// Amounts are written as every other amount, and digests, which are for programs, are
// cut: the trail itself and its export have them whole.
func EventPieces(detail string) (list []EventPiece) {
	text := toldAmount.ReplaceAllStringFunc(ledger.Plain(detail), func(told string) string {
		words, amount, _ := strings.Cut(told, " of ")
		p, err := ledger.ParsePaise(amount)
		if err != nil { // of more than there can be
			return told
		}
		return words + " of " + p.Rupees()
	})
	from := 0
	for _, at := range wholeDigest.FindAllStringIndex(text, -1) {
		full := text[at[0]:at[1]]
		list = append(list, EventPiece{Words: text[from:at[0]]}, EventPiece{full[:digestChars] + "…", full})
		from = at[1]
	}
	return append(list, EventPiece{Words: text[from:]})
}

// EventDetail is an event's detail in one line of text.
func EventDetail(detail string) string {
	var words strings.Builder
	for _, piece := range EventPieces(detail) {
		words.WriteString(piece.Words)
	}
	return words.String()
}
