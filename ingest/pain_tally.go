package ingest

import (
	"math/big"
	"strings"
)

// painTally holds what a message, or a PmtInf of it, says of its payouts against
// what is in it. Amounts are added up exactly, whatever is wrong with them
// otherwise, as the program that wrote them did.
type painTally struct {
	path      string
	line      int    // where the part begins
	count     string // NbOfTxs without leading zeros; "" where it says none
	sum       string // CtrlSum as written; "" where it says none
	countLine int
	sumLine   int

	said    big.Int // sum, in units of 10^-painDecimals
	counted int
	total   big.Int
}

const (
	painDecimals = 17 // of CtrlSum, by the schema; amounts have 5
	painDigits   = 18

	painCountDigits = 15
)

// add takes an amount, and reports false for what is no decimal number.
func (t *painTally) add(amount string) bool {
	var value big.Int
	if !decimal(&value, amount) {
		return false
	}
	t.counted++
	t.total.Add(&t.total, &value)
	return true
}

func (t *painTally) readSum(text string) bool {
	t.sum = text
	return decimal(&t.said, text)
}

func (t *painTally) readCount(text string) bool {
	if t.count = strings.TrimLeft(text, "0"); t.count == "" {
		t.count = "0"
	}
	return text != "" && len(text) <= painCountDigits && isDigits([]byte(text))
}

func (t *painTally) sumAgrees() bool { return t.said.Cmp(&t.total) == 0 }

// summed gives the sum as people write it, with two decimals or more.
func (t *painTally) summed() string {
	s := t.total.String()
	sign := ""
	if strings.HasPrefix(s, "-") {
		sign, s = "-", s[1:]
	}
	if len(s) <= painDecimals {
		s = strings.Repeat("0", painDecimals+1-len(s)) + s
	}
	whole, fraction := s[:len(s)-painDecimals], strings.TrimRight(s[len(s)-painDecimals:], "0")
	for len(fraction) < 2 {
		fraction += "0"
	}
	return sign + whole + "." + fraction
}

// decimal reads XML Schema's decimal: digits with at most one point, and a sign.
func decimal(into *big.Int, s string) bool {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	if len(s)-len(digits) > 1 {
		return false
	}
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(whole)+len(fraction) == 0 || len(whole) > painDigits || len(fraction) > painDecimals || !isDigits([]byte(whole)) || !isDigits([]byte(fraction)) {
		return false
	}
	_, ok := into.SetString(whole+fraction+strings.Repeat("0", painDecimals-len(fraction)), 10)
	if s[0] == '-' {
		into.Neg(into)
	}
	return ok
}
