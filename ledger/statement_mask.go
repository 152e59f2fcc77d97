package ledger

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A bank writes the other side's account number into the remarks. Runs of so many
// digits are masked before they are recorded, but for what we know them by
// (statements.md, "Files").
const mostAccountDigits = 18

var longDigits = regexp.MustCompile(`[0-9]{9,}`)

// mostPieces is over how many neighbouring words a name of ours is looked for around a run of digits:
// a reference may have dashes or slashes in it.
const mostPieces = 4

// MaskRemarks masks each run of 9 to 18 digits in text that is no name of ours and is in none. ours is
// called with words, and with words and the text between them, in lower case.
func MaskRemarks(text string, ours func(word string) bool) string {
	words, i := wordsIn(text, nil), 0
	var b strings.Builder
	done := 0
	for _, run := range longDigits.FindAllStringIndex(text, -1) {
		start, end := run[0], run[1]
		for words[i].end < end {
			i++
		}
		if w := words[i]; end-start > mostAccountDigits || isUTR(text[w.start:w.end], start-w.start) || known(text, words, i, text[start:end], ours) {
			continue
		}
		b.WriteString(text[done:start])
		b.WriteString(Mask(text[start:end]))
		done = end
	}
	return b.String() + text[done:]
}

// utrLengths are those of NEFT's and RTGS's UTRs, whatever is between the bank's four
// letters and the digits.
var utrLengths = [...]int{16, 22}

// isUTR reports whether a run of digits in a word, from the given place on, is a part of any UTR: four
// letters of a bank, and N, R or I for the way that it went; a word of a UTR's length that begins with
// a bank's letters and not with those of an account (AC, ACCT); or N and 15 digits.
func isUTR(word string, at int) bool {
	if at == 5 && letters(word[:5]) && strings.ContainsRune("NRInri", rune(word[4])) {
		return true
	}
	if at == 1 && len(word) == 16 && strings.ContainsRune("Nn", rune(word[0])) {
		return strings.Trim(word[1:], "0123456789") == ""
	}
	return slices.Contains(utrLengths[:], len(word)) && letters(word[:4]) && !strings.EqualFold(word[:2], "AC")
}

// letters reports whether all of a text is ASCII letters.
func letters(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c >= 0x80 || !isAlnum(byte(c)) || isDigit(byte(c)) })
}

// span is a part of a text.
type span struct{ start, end int }

// wordsIn adds the runs of letters and digits of any script.
func wordsIn(text string, words []span) []span {
	for i := 0; i < len(text); i++ {
		start := i
		for i < len(text) && inWord(text[i:]) > 0 {
			i += inWord(text[i:])
		}
		if i > start {
			words = append(words, span{start, i})
		}
	}
	return words
}

// inWord is how many bytes the character has with which a text begins, where it is
// one of a word: a letter, a digit, or what belongs to the letter before it. 0 for others.
func inWord(text string) int {
	if c := text[0]; c < utf8.RuneSelf {
		if isAlnum(c) {
			return 1
		}
		return 0
	}
	r, size := utf8.DecodeRuneInString(text)
	if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.Join_Control, r) {
		return size
	}
	return 0
}

// known reports whether the run in words[i] is a name of ours, or a part of one.
func known(text string, words []span, i int, run string, ours func(string) bool) bool {
	if ours(run) {
		return true
	}
	for first := i; first >= max(0, i-mostPieces); first-- {
		for last := i; last < min(len(words), i+mostPieces+1); last++ {
			if ours(strings.ToLower(text[words[first].start:words[last].end])) {
				return true
			}
		}
	}
	return false
}
