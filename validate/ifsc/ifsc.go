// Package ifsc has the codes of Indian bank branches: the form of an IFSC, the import of the published branch
// list, which is read whole or not at all, and the look-up in that list. Package validate decides which
// findings follow.
package ifsc

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"payrun/ingest/visible"
)

// length is the number of characters of an IFSC.
const length = 11

// Valid reports whether s has four capital letters, a zero, and six capitals or digits.
func Valid(s string) bool {
	if len(s) != length || s[4] != '0' {
		return false
	}
	for i := range length {
		if !isUpper(s[i]) && (i < 4 || !isDigit(s[i])) {
			return false
		}
	}
	return true
}

// Explain returns what is wrong with an invalid code, and the code that was probably meant: "" if no similar
// code is valid.
func Explain(s string) (why, likely string) {
	likely = likelyCode(s)
	squeezed := visible.Squeeze(s)
	switch n := utf8.RuneCountInString(squeezed); {
	case !visible.IsASCII(s):
		why = "it holds characters that are not plain letters and digits"
	case squeezed != s:
		why = "it holds spaces or punctuation"
	case n != length:
		why = fmt.Sprintf("an IFSC has %d characters, and it has %d", length, n)
	case strings.ToUpper(s) != s:
		why = "it has lower-case letters"
	case s[4] == 'O':
		why = "its fifth character is the letter O, an IFSC has the digit zero there"
	case s[4] != '0':
		why = "its fifth character is not the digit zero"
	default:
		why = "its first four characters must be letters, the last six letters or digits"
	}
	return why, likely
}

// likelyCode undoes the usual slips: case, spaces, the letter O instead of the zero.
func likelyCode(s string) string {
	fixed := []byte(strings.ToUpper(visible.Squeeze(s)))
	if len(fixed) == length && fixed[4] == 'O' {
		fixed[4] = '0'
	}
	if !Valid(string(fixed)) {
		return ""
	}
	return string(fixed)
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }

func isDigit(c byte) bool { return c-'0' <= 9 }
