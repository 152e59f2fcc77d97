package validate

import (
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// control is what a control total is compared with: the sum over all rows, including bad ones, as the
// spreadsheet program computes it.
type control struct {
	sum      ledger.Paise
	missing  int  // rows whose amount cannot be read
	overflow bool // sum is not valid, because it overflowed
}

// count adds the amount of a row. It may be paid, or refused but readable, such as a credit note. known is
// false if it cannot be read.
func (t *control) count(amount ledger.Paise, known bool) {
	sum, ok := t.sum.Plus(amount)
	switch {
	case !known:
		t.missing++
	case !ok:
		t.overflow = true
	default:
		t.sum = sum
	}
}

// controlTotal compares the total row with the sum over all rows. The row is never paid.
func (c *check) controlTotal(row *ingest.Row) {
	said, same, ok := c.control.agrees(c.layout.cellOf(row, colAmount), row.Kind(c.layout.at[colAmount]))
	switch {
	case !ok:
		c.found.add(ledger.Finding{
			Row: row.Number, Column: colAmount.String(), Code: codeControlTotalUnreadable, Value: said,
			Message: "the total row has no readable amount in the amount column",
		})
	case same:
		c.Sheet.HasTotal = true
	default:
		c.found.add(ledger.Finding{
			Row: row.Number, Column: colAmount.String(), Code: codeControlTotalDiffers, Value: strings.ReplaceAll(said, ",", ""),
			Message: fmt.Sprintf("the total row says %s, the rows above it add up to %s%s", said, c.control.sum.Indian(), missingWords(c.control.missing, "read")),
		})
	}
}

// titledNumber is what a title says, which may be a number.
type titledNumber struct {
	row         int
	label, text string
}

// compareTitled compares totals and counts of payments above the table with the rows: the sheet may have been cut, or have
// grown, since. If titles state several amounts, such as cash, bank and both, one of them must be the sum. A total may also
// be how many rows there are.
func (c *check) compareTitled() {
	agrees := func(t titledNumber) bool { _, same, _ := c.control.agrees(t.text, ingest.Text); return same }
	stated := slices.ContainsFunc(c.titled, agrees)
	for _, t := range c.titled {
		said, _, ok := c.control.agrees(t.text, ingest.Text)
		switch {
		case !ok, said == (ledger.Paise(c.Sheet.Rows) * 100).Indian():
		case countsPayments(t.label):
			c.found.add(ledger.Finding{
				Row: t.row, Code: codeCountDiffers, Value: t.text, Message: fmt.Sprintf("a title says %q: %s, the sheet has %d", visible.Shorten(t.label), t.text, c.Sheet.Rows),
			})
		case isTotal(t.label) && !stated:
			c.found.add(ledger.Finding{
				Row: t.row, Code: codeControlTotalDiffers, Value: strings.ReplaceAll(said, ",", ""),
				Message: fmt.Sprintf("a title says that the total is %s, the rows add up to %s%s", said, c.control.sum.Indian(), missingWords(c.control.missing, "read")),
				Fix:     "Correct the amounts or the title. If it is the total of something else too, write the total of the payouts next to it.",
			})
		}
	}
}

var (
	numberWords  = visible.WordSet("no", "nos", "number", "count")
	paymentWords = visible.WordSet("payments", "payouts", "transactions", "txns", "transfers", "records", "instructions")
	fillerWords  = visible.WordSet("total", "of", "the")
)

// countsPayments reports whether a label is of the number of payments: No. of payments. Total payments may be their sum.
func countsPayments(label string) bool {
	words := visible.Words(label)
	return hasWord(words, numberWords) && hasWord(words, paymentWords) && onlyWords(words, numberWords, paymentWords, fillerWords)
}

// agrees compares a total with the sum, and returns it as findings quote it.
func (t *control) agrees(text string, kind ingest.Kind) (said string, same, ok bool) {
	if kind.Numeric() {
		return t.agreesAsNumber(text)
	}
	value, ok := amountOf(text, kind)
	if !ok {
		return text, false, false
	}
	return value.Indian(), value == t.sum && !t.overflow, true
}

// agreesAsNumber compares as many digits as a spreadsheet program shows, because a =SUM() of amounts with paise
// leaves noise in further digits.
func (t *control) agreesAsNumber(text string) (said string, same, ok bool) {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return text, false, false
	}
	said = strconv.FormatFloat(f, 'g', ingest.ExactDigits, 64)
	if shown, err := strconv.ParseFloat(said, 64); err == nil {
		said = strconv.FormatFloat(shown, 'f', -1, 64)
	}
	if value, fault := parseAmount(said); fault == "" {
		said = value.Indian()
	}
	sum := new(big.Float).SetPrec(128).Quo(new(big.Float).SetInt64(int64(t.sum)), big.NewFloat(100))
	return said, strconv.FormatFloat(f+0, 'e', ingest.ExactDigits-1, 64) == sum.Text('e', ingest.ExactDigits-1) && !t.overflow, true
}

// missingWords says how many amounts a sum does not include, because they cannot be read, or not be paid.
func missingWords(n int, verb string) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(", not counting %d whose amount cannot be %s", n, verb)
}

// amountOf reads the number of a cell regardless of its format, for the control total, which also adds up
// refused amounts.
func amountOf(cell string, kind ingest.Kind) (ledger.Paise, bool) {
	text := visible.Trim(cell)
	if kind.Numeric() && !ingest.Exact(text) {
		return 0, false
	}
	value, fault := parseAmount(text)
	switch fault {
	case "", codeAmountZero:
		return value, true
	case codeAmountNegative: // below zero, in any notation
		value, fault = parseAmount(strings.Trim(strings.Trim(text, "()[]"), minusSigns))
		return -value, fault == ""
	}
	return 0, false
}
