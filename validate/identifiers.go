package validate

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"payrun/ingest/visible"
	"payrun/ledger"
)

const (
	leiLength = 20

	minAccountChars = 5
	maxAccountChars = 34
)

// accountFault returns the code of the fault in an account number and what is wrong, or "".
func accountFault(s string) (code, message string) {
	plain := true
	for i := range len(s) {
		plain = plain && (isDigit(s[i]) || isUpper(s[i]&^0x20))
	}
	switch {
	case s == "":
		return codeAccountMissing, "the account number is empty"
	case plain && minAccountChars <= len(s) && len(s) <= maxAccountChars:
		return "", ""
	case looksExponent(s) && !plain:
		return codeAccountScientific, "the spreadsheet program turned the account number into a rounded number; its digits are lost"
	case hasForeignDigit(s):
		return codeAccountDigits, "the account number has digits of another script"
	}
	return codeAccountMalformed, malformedAccountWords(s)
}

// malformedAccountWords says why a text is not an account number.
func malformedAccountWords(number string) string {
	if hidden := hiddenIn(number); hidden != 0 {
		return fmt.Sprintf("the account number holds %U, which does not show", hidden)
	}
	if whole, ok := strings.CutSuffix(number, ".0"); ok && plainDigits(whole, 0) {
		return "the account number ends in .0: a program read it as a number, and zeros before it may be lost"
	}
	form := fmt.Sprintf("an account number has %d to %d letters and digits", minAccountChars, maxAccountChars)
	if plainDigits(number, 0) || visible.IsASCII(number) && visible.Squeeze(number) == number {
		return form + " and nothing else; this has " + ledger.Counted(len(number), "character", "characters")
	}
	return form + ", without spaces or punctuation"
}

// explainLEI says what is wrong with a Legal Entity Identifier.
func explainLEI(s string) string {
	upper := strings.ToUpper(visible.Squeeze(s))
	switch n := utf8.RuneCountInString(s); {
	case upper != s && ledger.ValidLEI(upper):
		return "it is " + upper + " in capitals, without spaces or punctuation"
	case n != leiLength:
		return fmt.Sprintf("an LEI has %d characters, and it has %d", leiLength, n)
	case strings.Trim(s, "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ") != "":
		return "it has characters other than capital letters and digits"
	default:
		return "its two check digits do not fit the rest (ISO 7064 mod 97-10): a character is wrong or two are swapped"
	}
}

// uuid is the 8-4-4-4-12 form of a UUID, in either case.
var uuid = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
