package visible

import (
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// hiddenMark replaces a space other than the ordinary one, so that a header with an NBSP inside is not taken
// for the header that it looks like (safety.md, "Hostile sheets").
const hiddenMark = '\u200b'

// rupeeUnits are units that add nothing to a header: every amount is in rupees.
var rupeeUnits = map[string]bool{"inr": true, "rs": true, "₹": true, "rupee": true, "rupees": true, "रु": true, "रुपये": true, "रुपए": true}

var otherForms = strings.NewReplacer(" in ₹", "", "\nin ₹", "", "#", "no")

// dateFormat matches the date format in a header: dd/mm/yyyy.
var dateFormat = regexp.MustCompile(`^(?:d{1,2}|m{1,4}|y{2,4})(?:[-/. ]+(?:d{1,2}|m{1,4}|y{2,4})){2}(?:[ t]*hh?:mm(?::ss)?)?$`)

// rupeeSign alone, as the header of amounts, is not a unit.
const rupeeSign = "₹"

// FoldHeader returns the form in which headers are compared: NFKC, lower case, without spaces, punctuation,
// rupee units and date formats. It keeps invisible characters, so that a header that only looks like another
// one stays different.
func FoldHeader(s string) string {
	s = strings.Map(func(r rune) rune {
		if r > ' ' && unicode.IsSpace(r) {
			return hiddenMark
		}
		return r
	}, Trim(s))
	if s == rupeeSign {
		return "inr"
	}
	s = strings.ToLower(norm.NFKC.String(s))
	s = otherForms.Replace(withoutUnits(s))
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 0x80 && !Is(r):
			return r
		case unicode.IsPunct(r), unicode.IsSymbol(r), r <= ' ':
			return -1
		}
		return r
	}, s)
}

var bracketed = regexp.MustCompile(`[(\[][^)\]]*[)\]]`)

// withoutUnits drops brackets that hold a rupee unit or a date format: Amount (INR ), Date (dd/mm/yyyy).
func withoutUnits(s string) string {
	return bracketed.ReplaceAllStringFunc(s, func(brackets string) string {
		inside := strings.Trim(brackets[1:len(brackets)-1], " ")
		if isRupeeUnit(inside) || dateFormat.MatchString(inside) {
			return ""
		}
		return brackets
	})
}

// WithoutUnit drops a unit or date format at the end of a header: Debit Rs., Amount in INR, Date dd/mm/yyyy.
// FoldHeader keeps these, because they may be the whole header.
func WithoutUnit(header string) string {
	words := strings.FieldsFunc(header, func(r rune) bool { return r == ' ' || r == '_' || r == '\n' })
	last := len(words) - 1
	if last < 1 {
		return header
	}
	unit := strings.ToLower(norm.NFKC.String(words[last]))
	switch {
	case last > 1 && strings.EqualFold(words[last-1], "in") && isRupeeUnit(unit):
		return strings.Join(words[:last-1], " ")
	case isRupeeUnit(unit) || dateFormat.MatchString(unit):
		return strings.Join(words[:last], " ")
	}
	return header
}

// isRupeeUnit reports whether s, in lower case, is INR, Rs., in Rs, रुपये में or the like.
func isRupeeUnit(s string) bool {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "in "), " में")
	return rupeeUnits[strings.Trim(s, " .")]
}

// DayFirst returns the order of day and month in a header's date format, such as (dd/mm/yyyy). known is false
// if the header has none.
func DayFirst(header string) (dayFirst, known bool) {
	header = strings.ToLower(header)
	for _, part := range append(strings.FieldsFunc(header, func(r rune) bool { return strings.ContainsRune("()[]", r) }), strings.Fields(header)...) {
		part = strings.Trim(part, "()[] ")
		if day, month := strings.IndexByte(part, 'd'), strings.IndexByte(part, 'm'); dateFormat.MatchString(part) && part[0] != 'y' && day >= 0 && month >= 0 {
			return day < month, true
		}
	}
	return false, false
}

// headerParts splits a header at its brackets, slashes and line breaks. Headers in two languages say the same
// in each part: नाम (Name). It returns nil if there is nothing to split at.
func headerParts(header string) []string {
	if len(header) > MaxHeaderBytes || !strings.ContainsAny(header, "()[]/|\n") {
		return nil
	}
	whole := withoutUnits(strings.ToLower(header))
	parts := strings.FieldsFunc(whole, func(r rune) bool { return strings.ContainsRune("()[]/|\n", r) })
	return slices.DeleteFunc(parts, func(s string) bool { return FoldHeader(s) == "" })
}

// MeaningOf returns what a header means: as it is, without the unit after it, or by its parts, if they all mean the same,
// as in नाम (Name) and खाता संख्या / Account No. of knows the folded words.
func MeaningOf[T comparable](header string, of func(folded string) (T, bool)) (meaning T, ok bool) {
	plain := WithoutUnit(header)
	for _, parts := range [...][]string{{header}, {plain}, headerParts(header), headerParts(plain)} {
		for i, part := range parts {
			means, known := of(FoldHeader(part))
			if ok = known && (i == 0 || means == meaning); !ok {
				break
			}
			meaning = means
		}
		if ok {
			return meaning, true
		}
	}
	return meaning, false
}
