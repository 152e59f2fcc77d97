// Package visible decides what a person sees of the text of a cell: which spaces and characters show,
// and how headers are compared. It refuses nothing; validate and statement do.
package visible

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Trim drops leading and trailing Unicode spaces of every kind, NBSP included (contract.md, "Sheets").
// Zero-width characters are not spaces: they stay, and are refused later.
func Trim(s string) string {
	if s == "" || (isPlain(s[0]) && isPlain(s[len(s)-1])) {
		return s
	}
	return strings.TrimFunc(s, unicode.IsSpace)
}

// TrimColon drops spaces and colons around a label or its value. A colon may have a cell of its own.
func TrimColon(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return r == ':' || unicode.IsSpace(r) })
}

// isPlain reports whether c is printable ASCII and not the space.
func isPlain(c byte) bool { return c > ' ' && c < 0x7f }

// IsASCII reports whether s has only printable ASCII and spaces.
func IsASCII(s string) bool {
	for i := range len(s) {
		if s[i]-' ' >= 0x7f-' ' {
			return false
		}
	}
	return true
}

// FreeText reads a name or a remark. A line break becomes one space and sets breaks. Every other
// control, format or invisible character is returned as bad, because it could show one thing and send
// another. ZWJ and ZWNJ stay where Indic, Arabic and their sister scripts need them: right after a
// letter or mark of such a script.
func FreeText(s string) (text string, breaks bool, bad rune) {
	if IsASCII(s) {
		return s, false, 0
	}
	before := rune(0)
	for _, r := range s {
		switch {
		case isLineBreak(r):
			breaks = true
		case isJoiner(r) && usesJoiners(before):
		case !Is(r):
			return s, false, r
		}
		before = r
	}
	if breaks {
		s = strings.Join(strings.FieldsFunc(s, isLineBreak), " ")
	}
	return s, breaks, 0
}

func isLineBreak(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }

// Is reports whether a character is visible. Spaces of any width inside a text count as visible. Controls,
// formats, fillers, variation selectors, unassigned and private characters do not, nor does the replacement
// character, which marks a lost one.
func Is(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r < 0x7f
	}
	switch {
	case r == utf8.RuneError, r == brailleBlank:
		return false
	case unicode.Is(unicode.Zs, r):
		return true
	case unicode.Is(unicode.Other_Default_Ignorable_Code_Point, r), unicode.Is(unicode.Variation_Selector, r):
		return false
	}
	return unicode.IsPrint(r)
}

const (
	brailleBlank       = 0x2800 // a symbol that is drawn as nothing
	zeroWidthNonJoiner = 0x200c
	zeroWidthJoiner    = 0x200d
)

func isJoiner(r rune) bool { return r == zeroWidthJoiner || r == zeroWidthNonJoiner }

// joinerScripts are the scripts whose spelling uses ZWJ and ZWNJ.
var joinerScripts = []*unicode.RangeTable{
	unicode.Arabic, unicode.Bengali, unicode.Devanagari, unicode.Gujarati, unicode.Gurmukhi, unicode.Kannada,
	unicode.Khmer, unicode.Malayalam, unicode.Meetei_Mayek, unicode.Mongolian, unicode.Myanmar, unicode.Ol_Chiki,
	unicode.Oriya, unicode.Sinhala, unicode.Syriac, unicode.Tamil, unicode.Telugu, unicode.Tibetan,
}

func usesJoiners(before rune) bool {
	return (unicode.IsLetter(before) || unicode.IsMark(before)) && unicode.In(before, joinerScripts...)
}

// Squeeze drops spaces and the punctuation that people put into codes.
func Squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\u00a0-._/'`", r) {
			return -1
		}
		return r
	}, s)
}

// WellGrouped reports whether the commas of a whole number follow Indian or Western grouping. A number without
// commas is well grouped.
func WellGrouped(s string) bool {
	first := strings.IndexByte(s, ',')
	if first < 0 {
		return s != ""
	}
	indian, western := first == 1 || first == 2, first >= 1 && first <= 3
	for rest := s[first+1:]; ; {
		next := strings.IndexByte(rest, ',')
		if next < 0 {
			return len(rest) == 3 && (indian || western) && s[0] != '0'
		}
		indian, western = indian && next == 2, western && next == 3
		rest = rest[next+1:]
	}
}

// RupeeMarks are in the order they are tried: the longer of two that begin alike comes first.
var RupeeMarks = [...]string{"₹", "Rs.", "Rs", "INR"}

// CutRupee removes one name of the rupee from the front, and the space after it.
func CutRupee(s string) (rest string, found bool) {
	if s != "" && s[0] <= '9' {
		return s, false // a number, as nearly every amount
	}
	for _, mark := range RupeeMarks {
		if len(s) >= len(mark) && strings.EqualFold(s[:len(mark)], mark) {
			return Trim(s[len(mark):]), true
		}
	}
	return s, false
}
