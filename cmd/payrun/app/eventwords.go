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

// EventPieces are the pieces of what an event says, as people read them in a story.
// Digests, which are for programs, are cut: the trail itself and its export have them whole.
func EventPieces(words string) (list []EventPiece) {
	text := ledger.Plain(words)
	from := 0
	for _, at := range wholeDigest.FindAllStringIndex(text, -1) {
		full := text[at[0]:at[1]]
		list = append(list, EventPiece{Words: text[from:at[0]]}, EventPiece{full[:digestChars] + "…", full})
		from = at[1]
	}
	return append(list, EventPiece{Words: text[from:]})
}

// EventDetail is what an event says in one line of text.
func EventDetail(words string) string {
	var line strings.Builder
	for _, piece := range EventPieces(words) {
		line.WriteString(piece.Words)
	}
	return line.String()
}
