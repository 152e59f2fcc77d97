package statement

import (
	"regexp"
	"strconv"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// direction is the Dr, Cr or sign of an amount or a balance in the file.
type direction uint8

const (
	noDirection direction = iota
	debit
	credit
)

// directionOf reads D, Dr, Debit and the like, and the same for a credit.
func directionOf(text string) (direction, bool) {
	switch strings.ToLower(strings.Trim(visible.Trim(text), ".()[] ")) {
	case "d", "dr", "debit":
		return debit, true
	case "c", "cr", "credit":
		return credit, true
	}
	return noDirection, false
}

// money is the amount in a cell, with its sign and its Dr or Cr.
type money struct {
	value     ledger.Paise // never below zero
	negative  bool         // it has a minus in front
	signed    bool         // it has a minus or a plus in front
	direction direction    // it has Dr or Cr
}

// signedValue returns the amount as a balance: below zero if it is owed to the bank.
func (m money) signedValue() ledger.Paise {
	if m.negative != (m.direction == debit) {
		return -m.value
	}
	return m.value
}

// isEmpty reports whether text says that there is no amount, or is a line drawn under a header.
func isEmpty(text string) bool { return strings.Trim(text, "-–—*=_") == "" }

// parseMoney reads an amount as banks write it: digits with Indian, Western or no grouping, a sign, ₹, Rs, Rs.
// or INR in front, Dr or Cr at the end, and at most two decimals. It refuses brackets, because banks do not
// agree on what they mean. It uses no floating point.
func parseMoney(text string) (m money, ok bool) {
	text = visible.Trim(text)
	text, m.direction = cutDirection(text)
	text, _ = visible.CutRupee(text)
	if rest := strings.TrimLeft(text, "+-"); len(rest) == len(text)-1 {
		m.signed, m.negative = true, text[0] == '-'
		text, _ = visible.CutRupee(visible.Trim(rest))
	}
	whole, fraction, point := strings.Cut(text, ".")
	if m.value, ok = paiseOf(strings.ReplaceAll(whole, ",", ""), fraction); m.value == 0 {
		m.negative = false
	}
	return m, ok && visible.WellGrouped(whole) && !(point && fraction == "") && !(m.direction != noDirection && m.signed)
}

// paiseOf reads an amount with at most two decimals that are not zero.
func paiseOf(whole, fraction string) (ledger.Paise, bool) {
	fraction = strings.TrimRight(fraction, "0")
	value, err := ledger.ParsePaise(whole + "." + (fraction + "00")[:2])
	return value, err == nil && len(fraction) <= 2
}

// parseBalance reads a balance. It first rounds one with more than two decimals to 15 significant digits,
// because programs that add doubles write 899.9000000000001.
func parseBalance(text string) (money, bool) {
	m, ok := parseMoney(text)
	at := longDecimal.FindStringIndex(text)
	if ok || at == nil {
		return m, ok
	}
	number := strings.ReplaceAll(text[at[0]:at[1]], ",", "")
	f, err := strconv.ParseFloat(number, 64)
	if err != nil || strings.IndexByte(number, '.') > ingest.ExactDigits-2 { // the paise are beyond the exact digits
		return m, false
	}
	f, _ = strconv.ParseFloat(strconv.FormatFloat(f, 'e', ingest.ExactDigits-1, 64), 64)
	return parseMoney(text[:at[0]] + strconv.FormatFloat(f, 'f', -1, 64) + text[at[1]:])
}

// longDecimal finds a number with so many decimals that it comes from a double.
var longDecimal = regexp.MustCompile(`[0-9][0-9,]*\.[0-9]{3,}`)

// cutDirection removes Dr or Cr from the end, with or without brackets.
func cutDirection(text string) (string, direction) {
	at := strings.LastIndexAny(text, "0123456789")
	if of, ok := directionOf(text[at+1:]); at >= 0 && ok {
		return text[:at+1], of
	}
	return text, noDirection
}

// digits reports whether text consists of ASCII digits and is not empty.
func digits(text string) bool { return text != "" && strings.Trim(text, "0123456789") == "" }
