package validate

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"payrun/ledger"
)

const (
	ifscLength = 11
	leiLength  = 20

	minAccountChars = 5
	maxAccountChars = 34
)

// validIFSC reports four capital letters, a zero and six capitals or digits.
func validIFSC(s string) bool {
	if len(s) != ifscLength || s[4] != '0' {
		return false
	}
	for i := range 4 {
		if !isUpper(s[i]) {
			return false
		}
	}
	for i := 5; i < ifscLength; i++ {
		if !isUpper(s[i]) && !isDigit(s[i]) {
			return false
		}
	}
	return true
}

// explainIFSC tells what is wrong with a code that is not valid, and what it
// probably should be: "" when nothing near it is a valid code.
func explainIFSC(s string) (why, likely string) {
	likely = likelyIFSC(s)
	squeezed := squeeze(s)
	switch n := utf8.RuneCountInString(squeezed); {
	case !isASCIIPrintable(s):
		why = "it holds characters that are not plain letters and digits"
	case squeezed != s:
		why = "it holds spaces or punctuation"
	case n != ifscLength:
		why = fmt.Sprintf("it has %d characters, an IFSC has %d", n, ifscLength)
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

// likelyIFSC undoes the usual slips: case, spaces, the letter O for the zero.
func likelyIFSC(s string) string {
	fixed := []byte(strings.ToUpper(squeeze(s)))
	if len(fixed) == ifscLength && fixed[4] == 'O' {
		fixed[4] = '0'
	}
	if !validIFSC(string(fixed)) {
		return ""
	}
	return string(fixed)
}

// squeeze drops spaces and the punctuation people put into codes.
func squeeze(s string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune(" \t\u00a0-._/'`", r) {
			return -1
		}
		return r
	}, s)
}

// accountFault returns the code for what is wrong with the text of an account
// number, or "".
func accountFault(s string) string {
	plain := true
	for i := range len(s) {
		plain = plain && (isDigit(s[i]) || isUpper(s[i]&^0x20))
	}
	switch {
	case s == "":
		return codeAccountMissing
	case looksExponent(s) && !plain:
		return codeAccountScientific
	case hasForeignDigit(s):
		return codeAccountDigits
	case !plain, len(s) < minAccountChars, len(s) > maxAccountChars:
		return codeAccountMalformed
	}
	return ""
}

// explainLEI tells what is wrong with a Legal Entity Identifier.
func explainLEI(s string) string {
	upper := strings.ToUpper(squeeze(s))
	switch n := utf8.RuneCountInString(s); {
	case upper != s && ledger.ValidLEI(upper):
		return "it is " + upper + " in capitals, without spaces or punctuation"
	case n != leiLength:
		return fmt.Sprintf("it has %d characters, an LEI has %d", n, leiLength)
	case strings.Trim(s, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return "it has characters other than capital letters and digits"
	default:
		return "its two check digits do not fit the rest (ISO 7064 mod 97-10): a character is wrong or two are swapped"
	}
}

// validUUID reports the 8-4-4-4-12 form of a UUID, in either case.
func validUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch i {
		case 8, 13, 18, 23:
			if s[i] != '-' {
				return false
			}
		default:
			if c := s[i] | 0x20; !isDigit(s[i]) && (c < 'a' || c > 'f') {
				return false
			}
		}
	}
	return true
}

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
