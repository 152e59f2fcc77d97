package ledger

import (
	"strings"
	"unicode"
)

// mostWords is the maximum number of words of a name: a reference has at most 60 characters,
// with dashes and slashes among them.
const mostWords = 30

// EachName calls known with the start and end of each word of a text, and of each run of words with the
// text between them, longest first. If known returns true, the words of that name are skipped: a shorter
// name inside it does not count. A part of a word is never a name.
func EachName(text string, known func(start, end int) bool) {
	var room [32]span
	words := wordsIn(text, room[:0])
	for first := 0; first < len(words); first++ {
		for last := min(len(words), first+mostWords) - 1; last >= first; last-- {
			if known(words[first].start, words[last].end) {
				first = last
				break
			}
		}
	}
}

// FirstWord returns the word with which a text begins.
func FirstWord(text string) string {
	return text[:len(text)-len(strings.TrimLeftFunc(text, inWord))]
}

// ShortName is the minimum length, in bytes, of a word that is a name by itself.
const ShortName = 6

// bareWords returns the letters and digits of text, in lower case.
func bareWords(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
