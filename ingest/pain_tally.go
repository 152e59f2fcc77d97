package ingest

import (
	"math/big"
	"strings"
)

// painTally compares what a message, or one of its PmtInf, states about its payouts with its content. It adds
// up all amounts exactly, valid or not, as the program that wrote them did.
type painTally struct {
	path      string
	count     string // NbOfTxs without leading zeros; "" if it states none
	sum       string // CtrlSum as written; "" if it states none
	countLine int
	sumLine   int

	said    big.Rat // sum
	counted int
	total   big.Rat
}

const (
	painDecimals = 17 // in CtrlSum, by the schema; amounts have 5
	painDigits   = 18

	painCountDigits = 15
)

// add adds an amount, and reports false if it is not a decimal number.
func (t *painTally) add(amount string) bool {
	var value big.Rat
	if !decimal(&value, amount) {
		return false
	}
	t.counted++
	t.total.Add(&t.total, &value)
	return true
}

func (t *painTally) readCount(text string) bool {
	if t.count = strings.TrimLeft(text, "0"); t.count == "" {
		t.count = "0"
	}
	return text != "" && len(text) <= painCountDigits && isDigits([]byte(text))
}

// summed returns the sum as people write it, with two decimals or more.
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
