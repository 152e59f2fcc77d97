package validate

import (
	"strconv"
	"strings"
)

// exactDigits is how many significant digits a spreadsheet program keeps. A
// number with more has been rounded, or holds the noise of a calculation.
const exactDigits = 15

// numericText gives a numeric cell as the shortest decimal of its double, which
// is what the spreadsheet program shows: 1.1000000000000001 is 1.1. It reports
// false when that has more than 15 significant digits, so that what the cell
// holds is not surely what the person typed, and when raw is not a number at all.
//
// The double only finds the text; the value of an amount is then read from
// digits, as everywhere.
func numericText(raw string) (string, bool) {
	if text, ok := plainDecimal(raw); ok {
		return text, true
	}
	if strings.Trim(raw, "0123456789+-.eE") != "" {
		return raw, false // keeps ParseFloat's Inf, NaN and hexadecimal out
	}
	double, err := strconv.ParseFloat(raw, 64)
	if err != nil {
		return raw, false
	}
	text := strconv.FormatFloat(double, 'f', -1, 64)
	return text, significantDigits(text) <= exactDigits
}

// plainDecimal avoids the double: digits and at most one point, of no more than 15 significant digits,
// are already the shortest decimal once the zeros at the end of the fraction are removed.
func plainDecimal(raw string) (string, bool) {
	whole, fraction, _ := strings.Cut(raw, ".")
	if whole == "" || !plainDigits(whole, 0) || !plainDigits(fraction, 0) {
		return "", false
	}
	if len(whole)+len(fraction) > exactDigits || (len(whole) > 1 && whole[0] == '0') {
		return "", false
	}
	if fraction = strings.TrimRight(fraction, "0"); fraction == "" {
		return whole, true
	}
	return raw[:len(whole)+1+len(fraction)], true
}

// significantDigits counts the digits of a decimal without the zeros before
// the first and after the last that is not zero.
func significantDigits(s string) int {
	s = strings.TrimLeft(strings.ReplaceAll(strings.TrimPrefix(s, "-"), ".", ""), "0")
	return len(strings.TrimRight(s, "0"))
}
