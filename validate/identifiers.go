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

// accountFault returns the code of the fault in an account number, or "".
func accountFault(s string) string {
	plain := true
	for i := range len(s) {
		plain = plain && (isDigit(s[i]) || isUpper(s[i]&^0x20))
	}
	switch {
	case s == "":
		return codeAccountMissing
	case plain && minAccountChars <= len(s) && len(s) <= maxAccountChars:
		return ""
	case looksExponent(s) && !plain:
		return codeAccountScientific
	case hasForeignDigit(s):
		return codeAccountDigits
	}
	return codeAccountMalformed
}

// explainLEI says what is wrong with a Legal Entity Identifier.
func explainLEI(s string) string {
	upper := strings.ToUpper(visible.Squeeze(s))
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

// uuid is the 8-4-4-4-12 form of a UUID, in either case.
var uuid = regexp.MustCompile(`^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$`)

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
