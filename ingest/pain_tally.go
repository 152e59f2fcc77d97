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

	said    big.Rat // sum
	counted int
	total   big.Rat
}

const (
	painDecimals = 17 // of CtrlSum, by the schema; amounts have 5
	painDigits   = 18

	painCountDigits = 15
)

// add takes an amount, and reports false for what is no decimal number.
func (t *painTally) add(amount string) bool {
	var value big.Rat
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
	s := t.total.FloatString(painDecimals)
	point := strings.IndexByte(s, '.')
	return s[:point+3] + strings.TrimRight(s[point+3:], "0")
}

// decimal reads XML Schema's decimal: digits with at most one point, and a sign.
func decimal(into *big.Rat, s string) bool {
	digits := strings.TrimPrefix(strings.TrimPrefix(s, "-"), "+")
	whole, fraction, _ := strings.Cut(digits, ".")
	if len(s)-len(digits) > 1 || len(whole)+len(fraction) == 0 || len(whole) > painDigits || len(fraction) > painDecimals || !isDigits([]byte(whole+fraction)) {
		return false
	}
	_, ok := into.SetString(s[:len(s)-len(digits)] + "0" + digits)
	return ok
}
