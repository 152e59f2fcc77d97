package validate

import (
	"fmt"
	"slices"
	"strings"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/validate/visible"
)

// looksTotal reports whether a row is a control total if it is the last one:
// its first cell with text says so, and it pays nobody (contract.md, "Sheets").
func (l *layout) looksTotal(cells []string) bool {
	first := slices.IndexFunc(cells, func(c string) bool { return visible.Trim(c) != "" })
	if first < 0 || !saysTotal(visible.Trim(cells[first])) {
		return false
	}
	for _, c := range [...]column{colAccount, colIFSC, colBeneficiary} {
		if at := l.at[c]; at >= 0 && at < len(cells) && visible.Trim(cells[at]) != "" {
			return false
		}
	}
	return true
}

// saysTotal knows Total and Grand Total, in any case and with a colon.
func saysTotal(s string) bool {
	s = visible.Trim(strings.TrimSuffix(s, ":"))
	before := len(s) - len("total")
	if before < 0 || !strings.EqualFold(s[before:], "total") {
		return false
	}
	grand := visible.Trim(s[:before])
	return before == 0 || (strings.EqualFold(grand, "grand") && len(grand) < before)
}

// controlTotal compares the total row with the sum over all rows, bad ones
// too. The row is never paid.
func (c *check) controlTotal(row ingest.Row) {
	value, ok := c.readTotal(row)
	if !ok {
		return
	}
	switch {
	case c.sheet.Total == value && !c.overflow:
		c.sheet.HasTotal = true
	default:
		c.found.add(ledger.Finding{
			Row: row.Number, Column: colAmount.String(), Code: codeControlTotalDiffers, Value: value.String(),
			Message: fmt.Sprintf("the total row says %s, the rows above it add up to %s%s", value.Indian(), c.sheet.Total.Indian(), c.unreadableWords()),
		})
	}
}

func (c *check) readTotal(row ingest.Row) (ledger.Paise, bool) {
	at := c.layout.at[colAmount]
	text, kind := "", ingest.Text
	if at < len(row.Cells) {
		text = visible.Trim(row.Cells[at])
	}
	if at < len(row.Kinds) {
		kind = row.Kinds[at]
	}
	shown, exact := text, true
	if kind.Numeric() {
		shown, exact = numericText(text)
	}
	value, fault := parseAmount(shown)
	if fault == amountZero {
		fault = amountFine
	}
	if exact && fault == amountFine && !kind.ShownOtherwise() {
		return value, true
	}
	c.found.add(ledger.Finding{
		Row: row.Number, Column: colAmount.String(), Code: codeControlTotalUnreadable, Value: text,
		Message: "the total row has no readable amount in the amount column",
	})
	return 0, false
}

// unreadableWords says how many amounts a sum does not contain.
func (c *check) unreadableWords() string {
	if c.unreadable == 0 {
		return ""
	}
	return fmt.Sprintf(", not counting %d whose amount cannot be read", c.unreadable)
}
