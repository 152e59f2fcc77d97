package validate

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// ParseAmount reads an amount, in paise, by the same rules as the cells of a sheet, so that an amount typed
// elsewhere, such as an expected total, means the same. The error says why it cannot be read.
func ParseAmount(s string) (ledger.Paise, error) {
	value, fault := parseAmount(visible.Trim(s))
	if fault != "" {
		return 0, fmt.Errorf("%q: %s", s, amountFaults[fault])
	}
	return value, nil
}

// parseAmount reads an amount as people write it, and returns paise: digits with Indian (1,00,000.00), Western
// (100,000.00) or no grouping, ₹, Rs, Rs. or INR before or after, a trailing /-, and up to two decimals
// (contract.md, "Sheets"). fault is the code that says why the amount cannot be read. It allocates nothing and
// uses no floating point.
//
// It refuses amounts with two possible meanings and does not guess: 1,50 may be 1.50 or 150, and 1.234 may be a
// thousand.
func parseAmount(s string) (value ledger.Paise, fault string) {
	number, ok := stripCurrency(s)
	if !ok {
		return 0, amountFaultOf(s, s)
	}
	rupees, fraction, hasPoint := strings.Cut(number, ".")
	if rupees == "" || !plainDigits(rupees, ',') || !plainDigits(fraction, 0) || (hasPoint && fraction == "") {
		return 0, amountFaultOf(s, number)
	}
	if !visible.WellGrouped(rupees) {
		return 0, codeAmountGrouping
	}
	if len(fraction) > 2 {
		// 1.500 may mean 1,500. 12500.5000, as databases write it, may not.
		if cents := strings.TrimRight(fraction[2:], "0"); cents != "" || len(fraction) == 3 && len(rupees) <= 3 {
			return 0, codeAmountDecimals
		}
		fraction = fraction[:2]
	}
	value, ok = paiseOf(rupees, fraction)
	switch {
	case !ok:
		return 0, codeAmountOutOfRange
	case value == 0:
		return 0, codeAmountZero
	}
	return value, ""
}

// paiseOf adds up digits that were checked before. It skips commas.
func paiseOf(rupees, fraction string) (ledger.Paise, bool) {
	var value uint64
	for _, digits := range [...]string{rupees, (fraction + "00")[:2]} {
		for i := range len(digits) {
			if digits[i] == ',' {
				continue
			}
			if value > math.MaxInt64/10 {
				return 0, false
			}
			value = value*10 + uint64(digits[i]-'0')
		}
	}
	return ledger.Paise(value), value <= math.MaxInt64
}

// stripCurrency removes one currency mark from the front or the end, and a trailing /-. It reports false if
// nothing is left, or if there is a mark at both ends.
func stripCurrency(s string) (string, bool) {
	if s != "" && isDigit(s[0]) && isDigit(s[len(s)-1]) {
		return s, true // the usual case: a bare number
	}
	rest, before := visible.CutRupee(s)
	if r, ok := strings.CutSuffix(rest, "/-"); ok {
		rest = visible.Trim(r)
	}
	rest, after := cutSuffixMark(rest)
	return rest, rest != "" && !(before && after)
}

func cutSuffixMark(s string) (string, bool) {
	for _, mark := range visible.RupeeMarks {
		if at := len(s) - len(mark); at >= 0 && strings.EqualFold(s[at:], mark) {
			return visible.Trim(s[:at]), true
		}
	}
	return s, false
}

// amountFaultOf returns the code for a text that is not an amount. s is the whole cell, number the cell without
// currency.
func amountFaultOf(s, number string) string {
	switch {
	case s == "":
		return codeAmountMissing
	case hasForeignDigit(s):
		return codeAmountDigits
	case looksNegative(number) || looksNegative(s):
		return codeAmountNegative
	case looksExponent(number):
		return codeAmountExponent
	case decimalComma(number):
		return codeAmountComma
	}
	return codeAmountUnreadable
}

// minusSigns are all forms of the minus, and the space next to it.
const minusSigns = "-−–—﹣－ "

// noDecimals are how some countries end an amount without decimals: 4800.-
var noDecimals = [...]string{".-", ",-"}

// looksNegative reports whether s is an amount with a minus of any form in front or at the end, or in
// accountants' brackets.
func looksNegative(s string) bool {
	inner := strings.Trim(s, "()[]")
	bare := strings.Trim(inner, minusSigns)
	ends := func(dash string) bool { return strings.HasSuffix(s, dash) }
	if bare == s || ends("/-") || slices.ContainsFunc(noDecimals[:], ends) {
		return false
	}
	number, ok := stripCurrency(bare)
	return ok && plainDigits(strings.ReplaceAll(number, ".", ""), ',')
}

// exponent matches 1e3, 1.5E+10 and the like.
var exponent = regexp.MustCompile(`^(?:[0-9,]+\.?|\.)[0-9,]*[eE][+-]*[0-9]+$`)

func looksExponent(s string) bool { return exponent.MatchString(s) }

// decimalComma reports whether s is like 1.234,56: points between groups, a comma before the decimals.
func decimalComma(s string) bool {
	point, comma := strings.IndexByte(s, '.'), strings.LastIndexByte(s, ',')
	return point > 0 && comma > point &&
		plainDigits(strings.ReplaceAll(s[:comma], ".", ""), 0) && plainDigits(s[comma+1:], 0)
}

// plainDigits reports whether s has only ASCII digits and the given separator (0 for none).
func plainDigits(s string, separator byte) bool {
	for i := range len(s) {
		if !isDigit(s[i]) && (separator == 0 || s[i] != separator) {
			return false
		}
	}
	return true
}

// hasForeignDigit reports whether s has a digit of another script, full-width digits included.
func hasForeignDigit(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf && unicode.IsDigit(r) })
}

func isDigit(c byte) bool { return c-'0' <= 9 }
