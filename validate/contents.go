package validate

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
	"payrun/validate/ifsc"
)

// Columns that are not read can change the meaning of a sheet: a second column of amounts, a newer account
// number, the debit account, credits among the debits. Headers vary endlessly, so these rules look at the
// values of the columns. Their findings refuse the file once all rows are known, and --map says which column is
// meant.

// contents watches the columns that are not read.
type contents struct {
	columns []contentColumn
	amounts amountRelation
	debit   debitContents
}

// contentColumn is what one of these columns held so far.
type contentColumn struct {
	at      int
	header  string
	says    headerSays
	isState bool // rows say here whether they are to be paid, and not whether they are credits
	isFlag  bool // the same, or whether they are on hold: 1 is a yes, and not an amount

	filled   int // cells that are not empty
	empty    int // cells that are empty
	amounts  amountCells
	accounts accountCells
	ifscs    accountCells

	debits, credits, others  int // Dr, Cr, and other texts
	notes, refunds, invoices int // kinds of documents
	offsets                  int // what is taken back: Recovery, Reversal
	creditRow                int // the first row that says Cr, Credit Note, Refund or Recovery
	last                     string
	lastSays                 *int // the counter of the last text
}

// amountCells are the cells of a column that hold amounts, compared with the amount of the row.
type amountCells struct {
	values, equal, differ int    // that are not zero
	near, small           int    // from a fifth of the amount to twice the amount; at most twice the amount
	none                  int    // zero, empty, - or NIL
	row                   int    // the first row that differs or has none
	said                  string // the text in that row
}

// contentsOf chooses the columns to watch: all that are not read, except those that are compared in each row.
func (l *layout) contentsOf() contents {
	w := contents{debit: debitContents{of: -1}}
	for i, header := range l.headers[:l.width] {
		is := func(kind besideKind) bool {
			return slices.ContainsFunc(l.unmapped, func(b besideColumn) bool { return b.at == i && b.kind == kind })
		}
		if l.isUnread(i) && !is(asConfirmation) {
			w.columns = append(w.columns, contentColumn{at: i, header: header, says: headerSaysOf(header), isState: is(asState), isFlag: is(asState) || is(asHold)})
		}
	}
	w.amounts.values, w.amounts.slot = make([]ledger.Paise, len(w.columns)), make([]int, len(w.columns))
	return w
}

// isUnread reports whether a column is neither read nor names the origin of a row.
func (l *layout) isUnread(at int) bool {
	return !slices.Contains(l.at[:], at) && !slices.Contains(l.origin[:], at)
}

// watch examines the current row, after it was read.
func (c *check) watch() {
	r, w := &c.reader, &c.contents
	if len(w.columns) == 0 {
		return
	}
	for i := range w.columns {
		col := &w.columns[i]
		said := r.row.Text(col.at)
		w.amounts.values[i] = 0
		if said == "" {
			col.none(said, r.number)
			col.empty++
			continue
		}
		col.filled++
		if r.amount && !(col.isFlag && said == "1") && (!col.says.count || w.amounts.multiplies(i)) {
			w.amounts.values[i] = col.amount(r, said)
		}
		col.account(r, said)
		if !col.isState {
			col.addWord(said, r.number)
		}
	}
	if r.amount {
		w.amounts.row(r.payout.Amount, w.columns, c.layout.at[colAmount])
	}
}

// amount compares an amount with the one that is read, and returns it; 0 for none.
func (c *contentColumn) amount(r *rowReader, said string) ledger.Paise {
	if !mayBeNumber(said) {
		if isNil(said) {
			c.none(said, r.number)
		}
		return 0
	}
	read := r.payout.Amount
	value, ok := read, said == r.cells[colAmount]
	if c.says.percent {
		said, read, ok = strings.TrimRight(said, "% "), 100_00, false
	}
	if !ok {
		value, ok = amountOf(withoutSide(said), r.row.Kind(c.at))
	}
	if !ok { // a calculation left digits behind the paise
		f, err := strconv.ParseFloat(said, 64)
		value, ok = ledger.Paise(math.Round(f*100)), err == nil && math.Abs(f) < 1e12
	}
	a := &c.amounts
	switch size := max(value, -value); {
	case !ok:
		return 0
	case value == 0:
		c.none(said, r.number)
		return 0
	case size <= 2*read:
		if a.small++; 5*size >= read {
			a.near++
		}
	}
	if a.values++; value == read {
		a.equal++
		return value
	}
	if a.differ++; a.differ == 1 {
		a.row, a.said = r.number, visible.Shorten(said)
	}
	return value
}

// none counts a cell that has no amount.
func (c *contentColumn) none(said string, row int) {
	if c.amounts.none++; c.amounts.row == 0 {
		c.amounts.row, c.amounts.said = row, visible.Shorten(said)
	}
}

// mayBeNumber sorts out most texts quickly: a number that begins with a digit has only digits, points and
// commas, and perhaps a mark at the end.
func mayBeNumber(said string) bool {
	if !isDigit(said[0]) {
		return strings.IndexByte("-(\xe2RrIi", said[0]) >= 0 && hasDigit(said)
	}
	for i := range len(said) {
		if c := said[i]; !isDigit(c) && c != '.' && c != ',' {
			return !isDigit(said[len(said)-1]) && i >= len(said)-4 // 500/-, 500 Dr, 50%
		}
	}
	return true
}

// withoutSide drops Dr or Cr after an amount.
func withoutSide(said string) string {
	n := len(said) - 2
	if n > 0 && said[n+1]|0x20 == 'r' && (strings.EqualFold(said[n:], "dr") || strings.EqualFold(said[n:], "cr")) {
		return visible.Trim(said[:n])
	}
	return said
}

func isNil(said string) bool {
	return strings.Trim(said, "-–— ") == "" || strings.EqualFold(said, "nil") || strings.EqualFold(said, "na") || strings.EqualFold(said, "n/a")
}

// accountCells are the cells of a column that hold account numbers or IFSCs, compared with what the row is read
// as.
type accountCells struct {
	values, equal, differ int
	row                   int    // the first row that differs
	said                  string // the text in that row
	first, of             string // the first value of the column, and the account that its row pays
	several, shared       bool   // there is another value than the first; the first is also in a row that pays another account
}

func (c *accountCells) count(said string, equal bool, r *rowReader) {
	row, of := r.number, r.payout.BankAccountNumber
	if c.values == 0 {
		c.first, c.of = said, strings.Clone(of)
	}
	c.several = c.several || said != c.first
	c.shared = c.shared || of != c.of
	if c.values++; equal {
		c.equal++
	} else if c.differ++; c.differ == 1 {
		c.row, c.said = row, said
	}
}

// rivals reports whether the column may be meant instead of the one that is read: its header says so, or it
// holds the same value as that one in some rows. One value for several payees belongs to none of them.
func (c *accountCells) rivals(said bool, filled int) bool {
	return c.differ > 0 && (c.several || !c.shared) && (said || c.equal > 0 && 2*c.values > filled)
}

// account compares an account number or an IFSC with the one that is read.
func (c *contentColumn) account(r *rowReader, said string) {
	switch first := said[0]; {
	case c.says.mayBeIFSC && len(said) == ifscChars && isUpper(first&^0x20) && r.payout.IFSC != "":
		if code := strings.ToUpper(said); ifsc.Valid(code) {
			c.ifscs.count(code, code == r.payout.IFSC, r)
		}
	case c.says.mayBeAccount && r.payout.BankAccountNumber != "":
		if number := accountIn(said, c.says.account && c.header != ""); number != "" {
			c.accounts.count(strings.Clone(number), strings.TrimLeft(number, "0") == strings.TrimLeft(r.payout.BankAccountNumber, "0"), r)
		}
	}
}

const ifscChars = 11

// accountIn returns the account number in a cell: the whole cell, or, in a column of accounts, the first run of
// digits that is long enough, as in 6020 0987 6543 (from Nov).
func accountIn(said string, ofAccounts bool) string {
	const least, most = 9, 18
	if plainDigits(said, 0) {
		n := len(said)
		if ofAccounts && n == least-1 || n >= least && n <= most && (n != 10 || said[0] < '6') { // else perhaps a mobile number
			return said
		}
		return ""
	}
	if !ofAccounts || !hasDigit(said) {
		return ""
	}
	for _, run := range digitRuns.FindAllString(visible.Squeeze(said), -1) {
		if least <= len(run) && len(run) <= most {
			return run
		}
	}
	return ""
}

var digitRuns = regexp.MustCompile(`[0-9]+`)

// The sides of an account, and kinds of documents, folded by foldLabel.
var (
	drWords      = visible.WordSet("dr", "d", "debit", "नामे")
	crWords      = visible.WordSet("cr", "c", "credit", "जमा")
	refundWords  = visible.WordSet("refund")
	offsetWords  = visible.WordSet("recovery", "recoveries", "reversal", "reversed", "deduction", "deductions")
	invoiceWords = visible.WordSet("invoice", "bill", "purchase", "expense", "tax invoice", "payment")
	longestLabel = len("tax invoice") + 2 // the longest text that is examined, with signs around it
)

// creditNotes are the first words of documents that reduce what is paid.
var creditNotes = byFirstByte("credit note", "creditnote", "credit memo", "cr note", "debit note", "purchase return", "sales return")

// addWord counts what the row says about itself: Dr or Cr, or the kind of document.
func (c *contentColumn) addWord(said string, row int) {
	if c.others > 0 && isDigit(said[0]) {
		return // a column of numbers
	}
	if said != c.last {
		c.last, c.lastSays = said, c.counterOf(said)
	}
	*c.lastSays++
	if c.creditRow == 0 && (c.lastSays == &c.credits || c.lastSays == &c.notes || c.lastSays == &c.refunds || c.lastSays == &c.offsets) {
		c.creditRow = row
	}
}

// counterOf returns the counter for a cell.
func (c *contentColumn) counterOf(said string) *int {
	if slices.ContainsFunc(creditNotes[said[0]|0x20], func(note string) bool { return lengthOf(note, said) > 0 }) {
		return &c.notes
	}
	if len(said) > longestLabel || c.others > 0 && !c.says.document {
		return &c.others
	}
	switch label := foldLabel(said); {
	case crWords[label]:
		return &c.credits
	case drWords[label]:
		return &c.debits
	case c.says.document && refundWords[label]:
		return &c.refunds
	case c.says.document && offsetWords[label]:
		return &c.offsets
	case invoiceWords[label]:
		return &c.invoices
	}
	return &c.others
}

// mixesCredits reports whether some rows of a column are credits and others are not. Upload formats mark every
// payee C, and a list of refunds pays them, so a single kind means nothing.
func (c *contentColumn) mixesCredits() bool {
	return c.notes > 0 || c.refunds > 0 && c.invoices > 0 || c.offsets > 0 && c.offsets < c.filled+c.empty || c.credits > 0 && c.others+c.invoices == 0 && c.debits+c.empty > 0
}

// rivalAmount reports whether a column holds amounts that may be the ones to pay. A column to the left of the
// amount that goes into it does not.
func (w *contents) rivalAmount(i int, l *layout) bool {
	c, at := &w.columns[i], l.at[colAmount]
	a, says := &c.amounts, &c.says
	left, bare := c.at < at, isBareAmount(l.headers[at])
	switch texts := c.filled - a.values; {
	case says.count || a.values == 0 || w.amounts.multiplies(i):
		return false
	case !says.pays && !says.off && !says.money && texts > a.values:
		return false // texts with some numbers
	case w.amounts.explains(i, w.columns, at, bare), left && w.confirmed(c.at, at):
		return false
	case says.percent:
		return a.differ > 0
	case says.off:
		return (bare || !left) && 2*a.small >= a.values
	case left && !bare && (!says.final || says.rest):
		return false // Net Pay already includes the columns to its left
	case 2*a.near < a.values && (!says.final || 2*a.small < a.values):
		return false
	}
	return a.differ > 0 || says.pays && a.none > 0
}

// confirmed reports whether a column between at and the amount says that it is finally paid, and equals the
// amount in every row.
func (w *contents) confirmed(at, amountAt int) bool {
	return slices.ContainsFunc(w.columns, func(c contentColumn) bool {
		return c.says.final && at < c.at && c.at < amountAt && c.amounts.equal > 0 && c.amounts.differ+c.amounts.none == 0
	})
}

// concludeContents adds findings about the columns that are not read, once all rows are known.
func (c *check) concludeContents() {
	l, w := &c.layout, &c.contents
	c.concludeRivals(colAmount, codeAmountColumnUnclear, func(i int) (int, string, bool) {
		a := &w.columns[i].amounts
		return a.row, a.said, w.rivalAmount(i, l)
	})
	c.concludeRivals(colAccount, codeAccountColumnUnclear, func(i int) (int, string, bool) {
		col := &w.columns[i]
		return col.accounts.row, ledger.Mask(col.accounts.said), col.accounts.rivals(col.says.account, col.filled)
	})
	c.concludeRivals(colIFSC, codeAccountColumnUnclear, func(i int) (int, string, bool) {
		col := &w.columns[i]
		return col.ifscs.row, col.ifscs.said, col.ifscs.rivals(col.says.ifsc, col.filled)
	})
	for i := range w.columns {
		col := &w.columns[i]
		if col.mixesCredits() {
			p := l.problem("", codeCreditsAmongPayouts, col.at, fmt.Sprintf("%s says in row %d that it is a credit, and not in other rows", l.named(col.at), col.creditRow))
			p.Value = ""
			c.report(p)
		}
	}
	for _, b := range l.unmapped {
		word := strings.ContainsFunc(b.otherSays, unicode.IsLetter) // and not an amount
		words := visible.Words(l.headers[b.at])
		state := hasWord(words, stateWords) && !hasWord(words, approvalWords) && !slices.Contains(words, "by") // names are below Approved By, a stage below Process
		if b.other == 0 || !b.yes && !(word && state) {
			continue
		}
		says, others := fmt.Sprintf("says %q", b.otherSays), "other rows say yes"
		if b.otherSays == "" {
			says = "is empty"
		}
		if !b.yes {
			others = "payrun does not know the word"
		}
		c.found.add(ledger.Finding{
			Row: b.other, Column: colReference.String(), Cell: l.cell(b.at, b.other), Header: visible.Shorten(l.headers[b.at]), Code: codeRowSaysOtherwise, Value: b.otherSays,
			Message: fmt.Sprintf("%s %s in row %d, and %s", l.named(b.at), says, b.other, others),
		})
	}
}

// concludeRivals refuses the file if an unread column may be meant instead of a read one, unless a mapping of
// this header decides. Returned rows are read as their first sheet was.
func (c *check) concludeRivals(read column, code string, rival func(i int) (row int, said string, is bool)) {
	l := &c.layout
	if !l.has(read) || l.mapping.settled.headers[read] != "" || c.o.Origin != nil {
		return
	}
	var rivals []string
	at := -1
	for i := range c.contents.columns {
		col := &c.contents.columns[i]
		if col.at == c.contents.debit.of {
			continue
		}
		if row, said, is := rival(i); is {
			rivals = append(rivals, fmt.Sprintf("%s has %q in row %d", l.named(col.at), said, row))
			if at < 0 {
				at = col.at
			}
		}
	}
	if len(rivals) == 0 {
		return
	}
	p := l.problem(read.String(), code, at, fmt.Sprintf("%s is read as %s, and %s", l.named(l.at[read]), read, strings.Join(rivals, ", ")))
	p.Option = mapOption(read.String(), "HEADER")
	c.report(p)
}

// named returns a column as people know it: "Amount" (E).
func (l *layout) named(at int) string {
	switch {
	case l.message != nil:
		return fmt.Sprintf("%q", l.headers[at])
	case l.headers[at] == "":
		return fmt.Sprintf("the column %s, which has no name,", ingest.ColumnName(at+1))
	}
	return fmt.Sprintf("%q (%s)", visible.Shorten(l.headers[at]), ingest.ColumnName(at+1))
}
