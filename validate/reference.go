package validate

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// maxReferenceChars is the limit of contract.md, in characters.
const maxReferenceChars = 60

// longReferenceChars is the longest reference with room for what a later attempt may add (safety.md, rule N).
const longReferenceChars = maxReferenceChars - 3

// RefKey returns the form in which references are compared: NFKC and case folding, so that INV-1, inv-1 and
// ＩＮＶ-1 are one reference. A reference must be unique within the batch and across the merchant's history
// (interface.md, "Initiate transfer", rule 2), and nothing says whether the bank ignores case.
func RefKey(ref string) string {
	if !visible.IsASCII(ref) {
		return foldKey(ref)
	}
	key := []byte(ref) // every row's: strings.ToLower takes half as long again
	for i, c := range key {
		if isUpper(c) {
			key[i] |= 0x20
		}
	}
	return string(key)
}

// foldKey folds until nothing changes: folding may undo the normal form, and the normal form may bring capitals
// back (℡ becomes TEL).
func foldKey(s string) string {
	for range 4 {
		folded := norm.NFKC.String(cases.Fold().String(norm.NFKC.String(s)))
		if folded == s {
			break
		}
		s = folded
	}
	return s
}

// referenceFault returns the code of the fault in a reference and what is wrong, or "". bad is the character that
// causes it, if one does.
func referenceFault(ref string) (code, message string, bad rune) {
	if ref == "" {
		return codeReferenceMissing, "the reference is empty", 0
	}
	if n := utf8.RuneCountInString(ref); n > maxReferenceChars {
		return codeReferenceTooLong, fmt.Sprintf("the reference has %d characters, at most %d are allowed", n, maxReferenceChars), 0
	}
	key := ref
	if !visible.IsASCII(ref) && !startsFormula(ref) {
		for _, r := range ref {
			if !visible.Is(r) || (r != ' ' && unicode.IsSpace(r)) {
				return codeReferenceCharacters, fmt.Sprintf("the reference holds %U, which does not show or cannot be sent", r), r
			}
		}
		key = RefKey(ref)
	}
	if key == "" || startsFormula(ref) || startsFormula(key) {
		first, _ := utf8.DecodeRuneInString(ref)
		return codeReferenceStart, fmt.Sprintf("the reference starts with %q, which spreadsheet programs read as a formula", first), first
	}
	return "", "", 0
}

// checkPrefix refuses a prefix with which no reference may begin, or with which a reference could not be traced
// to the sheet.
func checkPrefix(prefix string) error {
	wrong := func(why string) error {
		return &UsageError{Option: ledger.Option{Name: ledger.OptionRefPrefix, Value: prefix}, Why: why}
	}
	switch code, _, bad := referenceFault(prefix); {
	case prefix == "":
		return nil
	case visible.Trim(prefix) != prefix:
		return wrong("it begins or ends with an invisible space")
	case code == codeReferenceTooLong:
		return wrong(fmt.Sprintf("a reference has at most %d characters", maxReferenceChars))
	case code != "":
		return wrong(fmt.Sprintf("no reference can begin like this: %q", bad))
	}
	return nil
}

// looksRounded reports whether ref is like 6.32513E+11 or 6.32513E11: programs write a number that is too long
// for them this way. A code such as 6E10 is not rounded.
func looksRounded(ref string) bool {
	return ref != "" && isDigit(ref[0]) && looksExponent(ref) && !strings.Contains(ref, "-") && strings.ContainsAny(ref, ".+")
}

// startsFormula reports whether the first character makes a spreadsheet program calculate when the reference
// comes back in a report or a statement.
func startsFormula(s string) bool { return strings.IndexByte("=+-@", s[0]) >= 0 }
