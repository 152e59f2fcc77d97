package validate

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// Rows that are not payouts: totals, subtotals, headings, signatures. The control total is compared and never
// paid. Each other row gives one finding, instead of four that ask a person to complete it.

// The label of a control total has one of totalWords, and no words other than totalWords and totalMore.
var (
	totalWords = visible.WordSet("total", "कुल", "योग", "महायोग")
	totalMore  = visible.WordSet("grand", "amount", "amt", "in", "rs", "inr", "rupees", "net", "pay", "payable", "payment", "राशि")
)

func isTotal(label string) bool {
	words := wordsOf(label)
	return hasWord(words, totalWords) && onlyWords(words, totalWords, totalMore)
}

// asideWords begin the label of a row that is not a payout.
var asideWords = [...]string{"total", "sub total", "subtotal", "grand total", "page total", "carried forward", "brought forward", "c f", "b f",
	"prepared by", "checked by", "verified by", "approved by", "passed by", "authorised", "authorized", "signatory", "signature", "for and on behalf",
	"amount in words", "in words", "rupees", "rs only", "note", "notes", "end of", "e oe", "e o e", "कुल", "योग", "हस्ताक्षर"}

// maxLabelBytes is the longest text that is examined as the label of a row.
const maxLabelBytes = 200

// foldLabel returns the form in which labels are compared: lower case, single spaces, no punctuation or signs.
func foldLabel(s string) string {
	if len(s) > maxLabelBytes {
		return ""
	}
	return strings.Join(wordsOf(s), " ")
}

// wordsOf returns the words of a text in lower case, without punctuation and signs.
func wordsOf(s string) []string {
	return strings.FieldsFunc(strings.ToLower(norm.NFKC.String(s)), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !unicode.IsDigit(r)
	})
}

func saysAside(cell string) bool {
	label := foldLabel(cell) + " "
	return slices.ContainsFunc(asideWords[:], func(words string) bool { return strings.HasPrefix(label, words+" ") })
}

// paysSomebody reports whether a row says which account it goes to, valid or not. Nearly every row passes the
// first test.
func (l *layout) paysSomebody(row *ingest.Row) bool {
	account := l.cellOf(row, colAccount)
	if account != "" && isDigit(account[0]) && len(account) >= minAccountChars {
		return true
	}
	code, id := l.cellOf(row, colIFSC), l.cellOf(row, colBeneficiary)
	return len(account) >= minAccountChars && hasDigit(account) || hasDigit(code) && strings.ContainsFunc(code, unicode.IsLetter) || hasDigit(id)
}

func hasDigit(s string) bool { return strings.ContainsFunc(s, unicode.IsDigit) }

// cellOf returns the trimmed text of a row in a column that is read.
func (l *layout) cellOf(row *ingest.Row, c column) string { return row.Text(l.at[c]) }

// nonPayment examines a row for which paysSomebody is false, or that repeats the header or numbers its columns. It
// returns why the row is not a payout, "" if it may be an incomplete one, and whether it is a control total if only such
// rows follow.
func (l *layout) nonPayment(row *ingest.Row) (why string, total bool) {
	if l.repeatsHeader(row) {
		return "the header is repeated", false
	}
	if l.numbersColumns(row) {
		return "it numbers the columns", false
	}
	label, first, filled, unknown := -1, 0, 0, false
	for i, cell := range row.Cells {
		unknown = unknown || row.Kind(i) == ingest.FormulaEmpty
		if cell = visible.Trim(cell); cell == "" {
			continue
		}
		if filled++; filled == 1 {
			first = i
		}
		if label < 0 && saysAside(cell) {
			label = i
		}
	}
	if label >= 0 {
		text := visible.Trim(row.Cells[label])
		return fmt.Sprintf("it says %q", visible.Shorten(maskDigits(text))), isTotal(text) && !l.anyFilled(row, label, colAccount, colIFSC, colBeneficiary)
	}
	short := row.Kinds == nil && len(row.Cells) < l.width
	if unknown || l.mayBePayout(row) || short && filled > 1 {
		return "", false
	}
	amount, said := l.cellOf(row, colAmount), visible.Shorten(maskDigits(row.Text(first)))
	switch {
	case !slices.ContainsFunc(l.at[:], func(at int) bool { return row.Text(at) != "" }):
		return fmt.Sprintf("it says %q, and nothing in the columns that are read", said), false
	case amount != "" && hasDigit(amount):
		return "it has an amount and says neither who is paid nor where, as a total does", false
	}
	return fmt.Sprintf("it says %q, and neither an amount nor an account, as a heading or a note does", said), false
}

// repeatsHeader detects the header in the middle of the sheet, where pages were joined.
func (l *layout) repeatsHeader(row *ingest.Row) bool {
	if !l.has(colAmount) || l.cellOf(row, colAmount) != l.headers[l.at[colAmount]] {
		return false
	}
	same := 0
	for _, at := range l.at {
		if at >= 0 && row.Text(at) == l.headers[at] {
			same++
		}
	}
	return same >= minKnownColumns
}

// numbersColumns detects the row 1, 2, 3 that official forms have directly below the header.
func (l *layout) numbersColumns(row *ingest.Row) bool {
	if row.Number != l.row+1 {
		return false
	}
	filled := 0
	for _, cell := range row.Cells {
		if cell = strings.Trim(visible.Trim(cell), "()"); cell == "" {
			continue
		}
		if filled++; cell != strconv.Itoa(filled) {
			return false
		}
	}
	return filled >= minKnownColumns
}

// anyFilled reports whether one of these columns has a text, apart from the label of the row.
func (l *layout) anyFilled(row *ingest.Row, label int, of ...column) bool {
	return slices.ContainsFunc(of, func(c column) bool { return l.at[c] != label && l.cellOf(row, c) != "" })
}

// mayBePayout reports whether a row has enough of a payout that a person should fill in the rest.
func (l *layout) mayBePayout(row *ingest.Row) bool {
	return l.cellOf(row, colReference) != "" && l.cellOf(row, colAmount) != "" && (!l.has(colName) || l.anyFilled(row, -1, colName, colDebitAccount, colLEI))
}

// putAside handles a row that is not a payout, and reports whether it is one. The last total is held until it
// is known that no payouts follow.
func (c *check) putAside(row *ingest.Row) bool {
	l := &c.layout
	if l.paysSomebody(row) && !l.repeatsHeader(row) && !l.numbersColumns(row) {
		return false
	}
	if !hasDigit(l.cellOf(row, colAmount)) {
		c.headsOther(row)
		if p, found := l.unitNote(row.Number, row.Cells); found {
			c.report(p)
		}
	}
	why, total := l.nonPayment(row)
	switch {
	case total:
		c.release("there is another total below it")
		c.held = &ingest.Row{Number: row.Number, Cells: slices.Clone(row.Cells), Kinds: slices.Clone(row.Kinds)}
		c.asides = append(c.asides, row.Number)
	case why != "":
		c.noPayout(row, why)
	}
	return why != ""
}

// headsOther refuses the header of a table whose columns are in other places. Reading a header takes ten times as
// long as judging a row.
func (c *check) headsOther(row *ingest.Row) {
	if again := c.words.read(row.Number, row.Cells); again.known >= minKnownColumns && again.at != c.layout.at {
		c.found.add(ledger.Finding{
			Row: row.Number, Code: codePayoutsAbove, Message: fmt.Sprintf("row %d is another header, and its columns are in other places than those of row %d", row.Number, c.layout.row),
		})
	}
}

// release rejects a held total that is not the control total after all.
func (c *check) release(why string) {
	if held := c.held; held != nil {
		c.held = nil
		c.noPayout(held, "it is a total, and "+why)
	}
}

// noPayout rejects a row that is not a payout. Its amount is not in the sheet's total.
func (c *check) noPayout(row *ingest.Row, why string) {
	c.Sheet.Rows++
	c.asides = append(c.asides, row.Number)
	c.RejectedRows = append(c.RejectedRows, row.Number)
	c.reader.begin(row)
	c.hashRow(row)
	c.found.add(ledger.Finding{Row: row.Number, Code: codeRowWithoutPayout, Message: "the row is no payout: " + why})
}
