package ledger

import (
	"strings"
	"unicode"
)

// mostWords is of how many words a name may be: a reference has at most 60 characters, and
// dashes and slashes among them.
const mostWords = 30

// EachName calls known for each word of a text, and for each run of words with the text between them,
// longest first, as the places where it begins and ends. If known reports a name, nothing inside it is
// looked up: a name inside a longer one is not that name, and none is a part of a word.
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

// FirstWord is the word with which a text begins.
func FirstWord(text string) string {
	end := 0
	for end < len(text) && inWord(text[end:]) > 0 {
		end += inWord(text[end:])
	}
	return text[:end]
}

// ShortName is from which length a word is a name by itself.
const ShortName = 6

// bareWords is text in lower case without whatever is no letter or digit.
func bareWords(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, text)
}
