package validate

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
	"payrun/validate/ifsc"
)

// Columns that are not read can change what a sheet means: a second column of amounts, a
// newer account number, the debit account, credits among the debits. Headers are endless, so
// these rules look at what the columns hold. What they find refuses the file once all rows
// are known, and --map says which column is meant.

// contents watches the columns that are not read.
type contents struct {
	columns []contentColumn
	amounts amountRelation
	debit   debitContents
}

// contentColumn is what one of them held so far.
type contentColumn struct {
	at     int
	header string
	money  moneyHeader

	mayBeAccount, mayBeIFSC, isType, isState bool

	filled   int // cells that are not empty
	amounts  comparison
	formed   bool // an amount has a point, a comma or a currency mark
	accounts comparison
	ifscs    comparison

	debits, credits, others int    // Dr, Cr, and what is neither
	creditRow               int    // the first that says Cr, Credit Note, Refund
	yes, no                 int    // of a column of approvals
	last                    string // said, and what it counted as
	lastSays                *int
	emptyRow                int // the first in which it is empty
}

// comparison counts the cells of one kind, beside the cell of that kind that is read.
type comparison struct {
	values, equal, differ int
	row                   int // the first that differs
}

func (c *comparison) count(equal bool, row int) {
	c.values++
	if equal {
		c.equal++
		return
	}
	if c.differ++; c.differ == 1 {
		c.row = row
	}
}

// most gives the comparison where more than half of the filled cells are of the kind, and one
// differs; else nil.
func (c *comparison) most(filled int) *comparison {
	if c.differ == 0 || 2*c.values <= filled {
		return nil
	}
	return c
}

// contentsOf chooses the columns to watch. Those whose rows are judged one by one, and
// a pain.001, have none.
func (l *layout) contentsOf() contents {
	w := contents{debit: debitContents{of: -1}}
	if l.message != nil {
		return w
	}
	for i, header := range l.headers {
		if header == "" || !l.isUnread(i) || l.beside.judges(i) {
			continue
		}
		if len(header) > maxHeaderBytes {
			header = ""
		}
		words := visible.Words(header)
		if hasWord(words, pastWords) {
			continue // Old Account, Last Amount: what was, and is not to be paid
		}
		account := saysAccount(header)
		counts := hasWord(words, countWords)
		w.columns = append(w.columns, contentColumn{
			at: i, header: l.headers[i], money: moneyHeaderOf(header, words),
			mayBeAccount: mayMean(colAccount, header) && (account || !counts),
			mayBeIFSC:    mayMean(colIFSC, header),
			isType:       hasWord(words, typeWords),
			isState:      stateHeaders[visible.FoldHeader(header)],
		})
	}
	w.amounts.values = make([]ledger.Paise, len(w.columns))
	for _, col := range w.columns {
		w.amounts.parts = append(w.amounts.parts, col.money != moneyNot)
	}
	return w
}

func saysAccount(header string) bool {
	return hasWord(visible.Words(header), accountWords) || strings.Contains(strings.ToLower(header), "a/c")
}

// isUnread reports a column that is neither read nor tells where a row came from.
func (l *layout) isUnread(at int) bool {
	for _, i := range l.at {
		if i == at {
			return false
		}
	}
	return l.origin[0] != at && l.origin[1] != at
}

// judges reports a column whose value is compared in each row.
func (b *beside) judges(at int) bool {
	if b == nil {
		return false
	}
	for _, i := range b.confirm {
		if i == at {
			return true
		}
	}
	return false
}

// Words of headers. typeWords name what kind of document a row is of; accountWords say that
// a number is an account's; countWords say that it is none, and no amount either.
var (
	typeWords    = wordSet("type", "nature", "doc", "document", "entry", "vch", "voucher")
	pastWords    = wordSet("old", "previous", "prev", "last", "earlier", "पुराना")
	accountWords = wordSet("account", "acct", "acc", "ac", "खाता")
	countWords   = wordSet("no", "num", "number", "nos", "code", "id", "ref", "reference", "pin", "pincode", "zip", "phone", "mobile", "mob", "tel", "contact", "aadhaar", "aadhar",
		"uan", "pan", "gstin", "hsn", "sac", "po", "utr", "cheque", "chq", "date", "day", "days", "month", "months", "year", "years", "age", "qty", "quantity", "hours", "hrs", "count",
		"units", "pcs", "pieces", "kg", "kgs", "gm", "gms", "ton", "tons", "mt", "litre", "litres", "ltr", "ltrs", "km", "kms", "weight", "distance", "area", "sqft", "size", "time", "score", "rating", "ratio", "rate", "price", "mrp", "sl", "sr", "sno", "serial", "invoice", "bill", "percent", "percentage", "pct", "attendance", "lop", "grade",
		"level", "ward", "shift", "version", "employer", "ctc", "ytd", "संख्या", "क्रमांक", "मोबाइल")
	moneyWords = wordSet("amount", "amt", "value", "rs", "inr", "rupees", "gross", "total", "due", "basic", "salary", "wages", "राशि", "रकम")

	// payWords are what a header says of the amount that is to be paid in the end.
	payWords = wordSet("pay", "payable", "payment", "paid", "payout", "net", "approved", "revised", "revision", "passed", "sanctioned", "final", "released", "release", "settled", "settlement",
		"disbursed", "disbursement", "actual", "corrected", "updated", "balance", "remaining", "outstanding", "देय", "शुद्ध")
)

// moneyHeader is what a header says of the numbers below it.
type moneyHeader uint8

const (
	moneyUnknown moneyHeader = iota
	moneyNot                 // a count, a code, a rate
	moneySome                // an amount
	moneyOff                 // what is taken off, or added
	moneyPaid                // what is paid
)

func moneyHeaderOf(header string, words []string) moneyHeader {
	percent := strings.Contains(header, "%")
	switch pays := hasWord(words, payWords) && !hasWord(words, placeWords); {
	case pays && (percent || !hasWord(words, countWords)):
		return moneyPaid
	case otherUnit(header) != "", hasWord(words, countWords) && !hasWord(words, moneyWords):
		return moneyNot
	case hasWord(words, otherDeductions) || hasWord(words, payableWords):
		return moneyOff
	case hasWord(words, moneyWords):
		return moneySome
	}
	return moneyUnknown
}

// watch looks at the row in hand, which was read.
func (c *check) watch() {
	r, w := &c.reader, &c.contents
	for i := range w.columns {
		col := &w.columns[i]
		said := r.said(col.at)
		if said == "" {
			if w.amounts.values[i] = 0; col.isState && col.emptyRow == 0 {
				col.emptyRow = r.number
			}
			continue
		}
		col.filled++
		w.amounts.values[i] = 0
		if w.amounts.parts[i] || w.amounts.multiplies(i) {
			w.amounts.values[i] = col.amount(r, said)
		}
		col.account(r, said)
		col.says(said, r.number)
	}
	if r.amount && len(w.columns) > 0 {
		w.amounts.row(r.payout.Amount)
	}
}

// amount compares an amount with the one that is read, and gives it; 0 for none.
func (c *contentColumn) amount(r *rowReader, said string) ledger.Paise {
	if !r.amount || !mayBeNumber(said) {
		return 0
	}
	kind := ingest.Text
	if c.at < len(r.row.Kinds) {
		kind = r.row.Kinds[c.at]
	}
	value, ok := r.payout.Amount, said == r.cells[colAmount]
	if !ok {
		value, ok = amountOf(said, kind)
	}
	if !ok {
		return 0
	}
	c.formed = c.formed || strings.IndexByte(said, '.') >= 0 || strings.IndexByte(said, ',') >= 0 || !isDigit(said[0])
	if value == 0 {
		c.amounts.values++ // a balance of nothing differs from no amount
	} else {
		c.amounts.count(value == r.payout.Amount, r.number)
	}
	return value
}

// mayBeNumber sorts out most texts at a glance: what begins and ends with a digit has
// nothing but digits, points and commas between.
func mayBeNumber(said string) bool {
	first := said[0]
	if !isDigit(first) {
		return strings.IndexByte("-(₹RrIi", first) >= 0 && hasDigit(said)
	}
	for i := range len(said) {
		if c := said[i]; !isDigit(c) && c != '.' && c != ',' {
			return !isDigit(said[len(said)-1]) && i >= len(said)-3 // a trailing mark: 500/-
		}
	}
	return true
}

// account compares an account number or an IFSC with the one that is read.
func (c *contentColumn) account(r *rowReader, said string) {
	switch n := len(said); {
	case c.mayBeIFSC && n == ifscChars && isUpper(said[0]&^0x20) && r.payout.IFSC != "":
		if code := strings.ToUpper(said); ifsc.Valid(code) {
			c.ifscs.count(code == r.payout.IFSC, r.number)
		}
	case c.mayBeAccount && n >= 9 && n <= 18 && isDigit(said[0]) && plainDigits(said, 0) && r.payout.BankAccountNumber != "":
		if n == 10 && said[0] >= '6' && !saysAccount(c.header) {
			return // a mobile number
		}
		c.accounts.count(strings.TrimLeft(said, "0") == strings.TrimLeft(r.payout.BankAccountNumber, "0"), r.number)
	}
}

const ifscChars = 11

// The sides of an account, and documents that are credits, folded by foldLabel.
var (
	drWords      = wordSet("dr", "d", "debit", "नामे")
	crWords      = wordSet("cr", "c", "credit", "जमा")
	creditTypes  = wordSet("credit note", "creditnote", "credit memo", "cn", "cr note", "refund", "reversal", "reversed", "credit")
	approvalYes  = wordSet("yes", "y", "approved", "ok", "okay", "true", "1", "pay", "release", "released")
	longestLabel = len("credit memo") + 2 // of what is looked at, with signs around it
)

// says takes note of what the rows say about themselves: Dr or Cr, what document they are
// of, whether they are approved.
func (c *contentColumn) says(said string, row int) {
	if len(said) > longestLabel || c.others > 0 && !c.isType && !c.isState {
		c.others++
		return
	}
	if said != c.last {
		c.last, c.lastSays = said, c.counterOf(said)
	}
	if *c.lastSays++; c.lastSays == &c.credits && c.credits == 1 {
		c.creditRow = row
	}
}

// counterOf chooses what a cell counts as. A column of approvals has neither Dr nor Cr.
func (c *contentColumn) counterOf(said string) *int {
	label := foldLabel(said)
	switch {
	case c.isState && (approvalYes[label] || tickOf(said) == tickYes):
		return &c.yes
	case c.isState && (stopWords[label] || tickOf(said) == tickNo):
		return &c.no
	case crWords[label], c.isType && creditTypes[label]:
		return &c.credits
	case drWords[label]:
		return &c.debits
	}
	return &c.others
}

// mixesCredits reports a column in which some rows are credits and others are not. A column
// of one kind says nothing: upload formats mark every payee C.
func (c *contentColumn) mixesCredits() bool {
	return c.credits > 0 && (c.debits > 0 && c.others == 0 || c.isType && c.debits+c.others > 0)
}

// amountRelation is whether the amount follows from the other amounts of its row.
type amountRelation struct {
	values []ledger.Paise // of the row in hand, one a column
	parts  []bool         // a column may be a part of the amount: no count and no rate
	rows   int
	sum    bool     // the amount is the sum of them all
	net    []bool   // it is that column less all others
	pairs  [][2]int // it is the product of these: rate and quantity
}

// multiplies reports a column that may be a rate or a quantity.
func (a *amountRelation) multiplies(i int) bool {
	return a.rows == 0 || slices.ContainsFunc(a.pairs, func(p [2]int) bool { return p[0] == i || p[1] == i })
}

func (a *amountRelation) row(amount ledger.Paise) {
	var sum ledger.Paise
	for i, v := range a.values {
		if a.parts[i] {
			sum += v
		}
	}
	if a.rows++; a.rows == 1 {
		a.sum, a.net = true, make([]bool, len(a.values))
		for i, v := range a.values {
			a.net[i] = a.parts[i]
			for j := range i {
				if v != 0 && a.values[j] != 0 {
					a.pairs = append(a.pairs, [2]int{j, i})
				}
			}
		}
	}
	a.sum = a.sum && sum == amount
	for i, v := range a.values {
		a.net[i] = a.net[i] && v-(sum-v) == amount
	}
	kept := a.pairs[:0]
	for _, p := range a.pairs {
		const halfARupee = 50.0 // paise: products are rounded
		if product := float64(a.values[p[0]]) * float64(a.values[p[1]]) / 100; math.Abs(product-float64(amount)) <= halfARupee {
			kept = append(kept, p)
		}
	}
	a.pairs = kept
}

// explains reports that the amount follows from the columns, of which i is one.
func (w *contents) explains(i, amountAt int) bool {
	if w.amounts.multiplies(i) {
		return true
	}
	// The amount is the last of them, as a total is.
	paid, off := -1, false // the column that says it is paid; several: no explanation
	for j := range w.columns {
		c := &w.columns[j]
		switch {
		case c.amounts.values == 0, !w.amounts.parts[j]:
		case c.at > amountAt || paid >= 0 && c.money == moneyPaid:
			return false
		case c.money == moneyPaid:
			paid = j
		case c.money == moneyOff:
			off = true
		}
	}
	for j := range w.columns {
		if w.amounts.net[j] && (paid < 0 || paid == j) {
			return true
		}
	}
	return w.amounts.sum && paid < 0 && !off
}

// unclear reports a column of amounts that may be what is to be paid. Beside a bare Amount
// any may be; a header such as Net Pay says that what comes before it is taken into account.
func (w *contents) unclear(i int, l *layout) bool {
	c, at := &w.columns[i], l.at[colAmount]
	if c.money == moneyNot || c.amounts.most(c.filled) == nil || c.money == moneyUnknown && !c.formed && c.amounts.equal == 0 {
		return false
	}
	switch {
	case isBareAmount(l.headers[at]), c.money == moneyPaid:
	case c.money == moneyOff && c.at > at:
	case c.money == moneyUnknown && c.amounts.equal > 0:
	default:
		return false
	}
	return !w.explains(i, at)
}

// concludeContents says what the columns that are not read hold, now that all rows are known.
func (c *check) concludeContents() {
	l, w := &c.layout, &c.contents
	c.concludeRivals(colAmount, codeAmountColumnUnclear, func(i int) *comparison {
		if !w.unclear(i, l) {
			return nil
		}
		return &w.columns[i].amounts
	})
	c.concludeRivals(colAccount, codeAccountColumnUnclear, func(i int) *comparison { return w.columns[i].accounts.most(w.columns[i].filled) })
	c.concludeRivals(colIFSC, codeAccountColumnUnclear, func(i int) *comparison { return w.columns[i].ifscs.most(w.columns[i].filled) })
	for i := range w.columns {
		col := &w.columns[i]
		if col.mixesCredits() {
			c.report(problem{
				code: codeCreditsAmongPayouts, at: col.at + 1,
				message: fmt.Sprintf("%s says Dr or another kind of document in some rows, and Cr, a credit note or a refund %s", l.named(col.at), rowWords(col.credits, col.creditRow)),
			})
		}
		if col.isState && col.yes > 0 && col.no > 0 && col.emptyRow > 0 {
			c.found.add(ledger.Finding{
				Row: col.emptyRow, Column: colReference.String(), Cell: l.cell(col.at, col.emptyRow), Header: visible.Shorten(col.header), Code: codeRowSaysOtherwise,
				Message: fmt.Sprintf("%s is empty in row %d, and other rows say yes or no", l.named(col.at), col.emptyRow),
			})
		}
	}
}

// concludeRivals refuses the file where columns that are not read may be meant instead of one
// that is, and no map says which.
func (c *check) concludeRivals(read column, code string, differs func(i int) *comparison) {
	l := &c.layout
	if !l.has(read) || l.told.headers[read] != "" {
		return
	}
	var rivals []string
	at := 0
	for i := range c.contents.columns {
		col := &c.contents.columns[i]
		if col.at == c.contents.debit.of {
			continue
		}
		if d := differs(i); d != nil {
			rivals = append(rivals, fmt.Sprintf("%s holds another one %s", l.named(col.at), rowWords(d.differ, d.row)))
			at = cmp.Or(at, col.at+1)
		}
	}
	if len(rivals) == 0 {
		return
	}
	c.report(problem{
		column: read.String(), code: code, value: l.headers[at-1], at: at, option: mapOption(read.String(), "HEADER"),
		message: fmt.Sprintf("%s is read as %s, and %s", l.named(l.at[read]), read, strings.Join(rivals, ", ")),
	})
}

// named gives a column as people know it: "Amount" (E).
func (l *layout) named(at int) string {
	return fmt.Sprintf("%q (%s)", visible.Shorten(l.headers[at]), ingest.ColumnName(at+1))
}

func rowWords(n, first int) string {
	if n == 1 {
		return fmt.Sprintf("in row %d", first)
	}
	return fmt.Sprintf("in %d rows, first in row %d", n, first)
}

func hasWord(words []string, set map[string]bool) bool {
	for _, w := range words {
		if set[w] {
			return true
		}
	}
	return false
}

// tick is what a sign in a cell says.
type tick uint8

const (
	tickNone tick = iota
	tickYes
	tickNo
)

func tickOf(said string) tick {
	switch strings.TrimSuffix(said, "\ufe0f") { // drawn in colour
	case "✓", "✔", "☑", "✅":
		return tickYes
	case "✗", "✘", "❌", "☒", "✖":
		return tickNo
	}
	return tickNone
}
