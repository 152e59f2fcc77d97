package ledger

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
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

// A bank writes the other side's account number into the remarks. Runs of 9 to 18
// digits are masked before they are recorded, except UTRs and references of ours
// (statements.md, "Files").
const mostAccountDigits = 18

var longDigits = regexp.MustCompile(`[0-9]{9,}`)

// mostPieces is how many words before and after a run of digits may belong to the same name of ours:
// a reference may contain dashes or slashes.
const mostPieces = 4

// MaskRemarks masks each run of 9 to 18 digits in text, unless it is a UTR or a name of ours, or part of
// one. ours is called in lower case with single words, and with runs of words and the text between them.
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

// utrLengths are the lengths of the UTRs of NEFT and RTGS, which begin with four letters
// of a bank.
var utrLengths = [...]int{16, 22}

// isUTR reports whether a run of digits at a place of a word belongs to a UTR. A UTR is four letters of a
// bank, then N, R or I for the rail; or a word of a UTR's length that begins with four letters, but not
// with those of an account (AC, ACCT); or N and 15 digits.
func isUTR(word string, at int) bool {
	return at == 5 && letters(word[:5]) && strings.ContainsRune("NRInri", rune(word[4])) ||
		at == 1 && len(word) == 16 && strings.ContainsRune("Nn", rune(word[0])) && onlyDigits(word[1:]) ||
		slices.Contains(utrLengths[:], len(word)) && letters(word[:4]) && !strings.EqualFold(word[:2], "AC")
}

// letters reports whether a text consists of ASCII letters.
func letters(text string) bool {
	return !strings.ContainsFunc(text, func(c rune) bool { return c >= 0x80 || !isAlnum(byte(c)) || isDigit(byte(c)) })
}

// span is a part of a text.
type span struct{ start, end int }

// wordsIn adds to words the runs of letters and digits, of any script, in text.
func wordsIn(text string, words []span) []span {
	for i := 0; i < len(text); i++ {
		if n := len(FirstWord(text[i:])); n > 0 {
			words = append(words, span{i, i + n})
			i += n
		}
	}
	return words
}

// inWord reports whether a character is part of a word: a letter, a digit, or a mark on the letter before it.
func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return isAlnum(byte(r))
	}
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) || unicode.Is(unicode.Join_Control, r)
}

// known reports whether the run in words[i] is a name of ours or a part of one.
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
