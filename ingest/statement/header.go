package statement

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// column is the meaning of a statement's column. The names are the interface's (interface.md, "Statement
// entry"), plus debit and credit for files that have a column for each.
type column int

const (
	colTransacted column = iota
	colPosted
	colValue
	colAmount
	colType
	colDebit
	colCredit
	colBalance
	colBalanceType
	colReference
	colRemarks
	colID
	colAccount
	colCurrency
	columnCount
)

var columnNames = [columnCount]string{
	"transacted_date", "posted_date", "value_date", "transaction_amount", "transaction_type", "debit", "credit",
	"closing_balance", "balance_type", "reference_number", "remarks", "transaction_id", "account_number", "currency",
}

func (c column) String() string { return columnNames[c] }

// dateColumns are the columns that hold days.
var dateColumns = [...]column{colTransacted, colPosted, colValue}

// repeats reports whether a file may have the column more than once. Banks split these texts, and the reader
// joins them.
func (c column) repeats() bool { return c == colReference || c == colRemarks }

// headerWords are the banks' names for the columns, folded like headers.
var headerWords = headerWordsOf(map[column]string{
	colBalance: "balance bal closingbalance closingbal runningbalance ledgerbalance accountbalance availablebalance availablebal balanceamount balanceamt " +
		"शेष शेषराशि बैलेंस",
	colDebit: "debit dr debits debitamount debitamt dramount dramt withdrawal withdrawals withdrawalamount withdrawalamt withdrawaldr withdrawalsdr debitdr " +
		"withdrawl withdrawls withdrawlamount withdrawlamt debited amountdebited moneyout paidout outflow नामे डेबिट निकासी आहरण निकासीराशि डेबिटराशि",
	colCredit: "credit cr credits creditamount creditamt cramount cramt deposit deposits depositamount depositamt depositcr depositscr creditcr " +
		"credited amountcredited moneyin paidin inflow जमा क्रेडिट जमाराशि क्रेडिटराशि",
	colType:   "drcr crdr debitcredit creditdebit dc cd drcrindicator debitcreditindicator",
	colValue:  "valuedate valuedt valuedat valdate valdt मूल्यतिथि मूल्यदिनांक",
	colPosted: "posteddate postingdate postdate bookingdate txnposteddate transactionposteddate",
	colReference: "chqrefno chqrefnumber refno refnumber referenceno referencenumber reference utr utrno utrnumber rrn " +
		"chequeno chequenumber chqno chqnumber chequerefno chequereferenceno refnochequeno refchequeno instrumentno instrumentid chequeid chequedetails bankreference bankreferenceno bankrefno संदर्भ संदर्भसंख्या चेकसंख्या",
	colAccount:    "accountno accountnumber acno acctno खातासंख्या",
	colCurrency:   "currency ccy curr currencycode accountcurrency transactioncurrency txncurrency unit units",
	colTransacted: "createdat createdon datevaluedate तारीख दिनांक तिथि लेनदेनतिथि लेनदेनदिनांक",
	colRemarks:    "transaction विवरण टिप्पणी",
	colAmount:     "राशि",
}, map[column]string{
	colTransacted: "date dt dateandtime datetime",
	colAmount:     "amount amt",
	colReference:  "reference referenceno referencenumber referenceid refno refnumber ref",
	colRemarks:    "narration description particulars particular remarks remark details",
})

// A header that is not known is a text of the entries if it has one of these words and none of noTextWords: Details of
// transaction, Customer reference. Banks split and name these texts in many ways, and the names of payouts are in them.
var (
	remarkWords    = visible.WordSet("narration", "narrations", "narrative", "description", "particulars", "particular", "remark", "remarks", "detail", "details")
	referenceWords = visible.WordSet("reference", "ref", "utr", "rrn", "cheque", "chq", "instrument")
	noTextWords    = visible.WordSet("date", "dt", "time", "amount", "amt", "balance", "account", "branch", "type", "code", "currency")
)

// textOf returns the column of texts that a header is.
func textOf(header string) (c column, ok bool) {
	switch {
	case visible.Says(header, noTextWords):
		return c, false
	case visible.Says(header, remarkWords):
		return colRemarks, true
	}
	return colReference, visible.Says(header, referenceWords)
}

// folded returns the meaning of each word, folded like headers.
func folded[T comparable](words map[T]string) map[string]T {
	all := map[string]T{}
	for meaning, list := range words {
		for word := range strings.FieldsSeq(list) {
			all[visible.FoldHeader(word)] = meaning
		}
	}
	return all
}

// headerWordsOf returns the words, the words of anyPrefix with each prefix that banks use, and the columns' own
// names.
func headerWordsOf(words, anyPrefix map[column]string) map[string]column {
	all := folded(words)
	for _, prefix := range []string{"", "txn", "tran", "trans", "transaction"} {
		for c, list := range anyPrefix {
			for word := range strings.FieldsSeq(list) {
				all[prefix+word] = c
			}
		}
		if prefix != "" {
			all[prefix+"id"] = colID
		}
	}
	for c, name := range columnNames {
		all[visible.FoldHeader(name)] = column(c)
	}
	return all
}

// weakWords name a column only if no other header does. Transaction Type often holds NEFT or RTGS, and an
// available balance need not be the booked one.
var weakWords = map[string]column{
	"transactiontype": colType, "txntype": colType, "type": colType, "availablebalance": colBalance, "availablebal": colBalance,
}

// signedAmount has the names of a Dr/Cr column that holds signed amounts if no other column holds the amounts.
var signedAmount = map[string]bool{"debitcredit": true, "creditdebit": true}

// isMoney reports whether the cells of the column are rupees.
func (c column) isMoney() bool {
	return c == colAmount || c == colDebit || c == colCredit || c == colBalance
}

// creditWord matches Cr, which in a statement does not mean crore.
var creditWord = regexp.MustCompile(`(?i)\bcrs?\b`)

// withoutCredit drops what names no unit in a statement.
func withoutCredit(text string) string {
	return strings.ReplaceAll(creditWord.ReplaceAllString(text, ""), "%", "")
}

// otherUnit returns the unit or currency, other than the rupee, that a text names.
func otherUnit(text string) string { return visible.OtherUnit(withoutCredit(text)) }

// unitNote returns the unit that a row outside the table gives for its amounts.
func unitNote(cells []string) string { return visible.UnitNote(ledger.ListOf(cells, withoutCredit)) }

// unitOf returns the other unit that a header of amounts names; "" if none.
func unitOf(header string) string {
	for _, word := range visible.Words(header) {
		if c, ok := headerWords[word]; ok && c.isMoney() {
			return otherUnit(header)
		}
	}
	return ""
}

// layout is the place of each column in a header.
type layout struct {
	at    [columnCount][]int // the cells of each column
	width int                // cells up to the last one with a name
	names []string           // of the header, trimmed
	units []int              // cells with amounts in another unit than rupees
}

func (l *layout) has(c column) bool { return len(l.at[c]) > 0 }

// one returns the cell of a column that occurs once.
func (l *layout) one(c column) int { return l.at[c][0] }

// complete reports whether entries can be read with this header.
func (l *layout) complete() bool { return len(l.lacks()) == 0 }

func (l *layout) dated() bool {
	return l.has(colTransacted) || l.has(colPosted) || l.has(colValue)
}

// near reports whether a row is the header, even if it lacks a column.
func (l *layout) near() bool {
	known := 0
	if l.dated() {
		known = len(l.units)
	}
	for c := range l.at {
		known += min(len(l.at[c]), 1)
	}
	return known >= 3
}

// read returns the layout of a row as if it were the header.
func (t declared) read(cells []string) layout {
	l := layout{names: make([]string, len(cells))}
	var types []int
	weak, mapped := map[column][]int{}, map[column]bool{}
	for _, c := range t {
		mapped[c] = true
	}
	for i, cell := range cells {
		l.names[i] = visible.Trim(cell)
		if l.names[i] == "" {
			continue
		}
		l.width = i + 1
		if len(cell) > visible.MaxHeaderBytes {
			continue
		}
		key := visible.FoldHeader(cell)
		c, isSaid := t[key]
		known, isWeak := isSaid, false
		if !isSaid {
			if c, isWeak = weakWords[key]; !isWeak {
				c, known = visible.MeaningOf(cell, func(key string) (column, bool) { c, ok := headerWords[key]; return c, ok })
			}
			if !known && !isWeak {
				c, known = textOf(cell)
			}
		}
		switch {
		case unitOf(cell) != "" || known && c.isMoney() && otherUnit(cell) != "":
			l.units = append(l.units, i)
		case isWeak && !mapped[c]:
			weak[c] = append(weak[c], i)
		case !known || !isSaid && mapped[c]:
		case c == colType && !isSaid:
			types = append(types, i)
		default:
			l.at[c] = append(l.at[c], i)
		}
	}
	if !l.has(colBalance) {
		l.at[colBalance] = weak[colBalance]
	}
	if len(types) == 0 && !l.has(colDebit) && !l.has(colType) {
		types = weak[colType]
	}
	if len(types) == 1 && !l.has(colAmount) && !l.has(colDebit) && !l.has(colCredit) && signedAmount[visible.FoldHeader(l.names[types[0]])] {
		l.at[colAmount], types = types, nil
	}
	for _, i := range types {
		c := l.belongs(i)
		l.at[c] = append(l.at[c], i)
	}
	return l
}

// belongs returns the column that a Dr/Cr column belongs to, amount or balance: the nearest to its left, else
// to its right.
func (l *layout) belongs(at int) column {
	nearest, of := -1, colType
	for _, c := range []column{colAmount, colBalance} {
		for _, i := range l.at[c] {
			if i < at && i > nearest {
				nearest, of = i, c
			}
		}
	}
	if nearest < 0 && !l.has(colAmount) {
		of = colBalance
	}
	if of == colBalance {
		return colBalanceType
	}
	return colType
}

// problems lists columns in another unit, and columns that occur or are mapped twice.
func (l *layout) problems(row int) error {
	var found refusal
	for _, at := range l.units {
		f := ingest.NewFinding(CodeCurrency, row, "amounts in %s: the header says %q", otherUnit(l.names[at]), visible.Shorten(l.names[at]))
		f.Header = l.names[at]
		found = append(found, f)
	}
	for c, at := range l.at {
		if len(at) < 2 || column(c).repeats() {
			continue
		}
		f := ingest.NewFinding(CodeColumn, row, "%q (%s) and %q (%s) are both read as %s",
			l.names[at[0]], ingest.ColumnName(at[0]+1), l.names[at[1]], ingest.ColumnName(at[1]+1), column(c))
		f.Column = column(c).String()
		f.Option = ledger.Option{Name: ledger.OptionMap, Value: column(c).String() + "=" + l.names[at[0]]}
		if visible.FoldHeader(l.names[at[0]]) == visible.FoldHeader(l.names[at[1]]) { // no mapping separates equal names
			f.Fix, f.Option = fixAgain, noOption
		}
		found = append(found, f)
	}
	if len(found) > 0 {
		return found
	}
	return nil
}

// lacks names the missing columns.
func (l *layout) lacks() (names []string) {
	if !l.dated() {
		names = append(names, "a date")
	}
	if !l.has(colAmount) && !(l.has(colDebit) && l.has(colCredit)) {
		names = append(names, "the amounts (debit and credit, or one amount with Dr or Cr)")
	}
	if !l.has(colBalance) {
		names = append(names, "the balance")
	}
	return names
}

// day returns the column of the day on which the balance moved. The header has one.
func (l *layout) day() column {
	for _, c := range []column{colTransacted, colPosted} {
		if l.has(c) {
			return c
		}
	}
	return colValue
}

// declared is Options.Map by folded header: the column that each header is.
type declared map[string]column

// newDeclared reads Map, whose keys are the name of a column or any known word for it.
func newDeclared(columns map[string]string) (declared, error) {
	t := declared{}
	for _, name := range slices.Sorted(maps.Keys(columns)) {
		header := columns[name]
		c, ok := headerWords[visible.FoldHeader(name)]
		if !ok {
			return nil, unsatisfied(name, header, "%q is no column of a statement", name)
		}
		key := visible.FoldHeader(header)
		if other, again := t[key]; again && other != c {
			return nil, unsatisfied(other.String(), header, "%q is said to be both %s and %s", header, other, c)
		}
		t[key] = c
	}
	return t, nil
}

func unsatisfied(name, header, format string, args ...any) error {
	return &ingest.UsageError{Option: ledger.Option{Name: ledger.OptionMap, Value: name + "=" + header}, Why: fmt.Sprintf(format, args...)}
}
