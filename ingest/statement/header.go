package statement

import (
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// column is what a statement's column means. The names are the interface's
// (interface.md, "Statement entry"), and debit and credit where the amounts of
// each have a column of their own.
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

// repeats reports whether a file may have the column more than once: what banks
// write in pieces is put together again.
func (c column) repeats() bool { return c == colReference || c == colRemarks }

// headerWords are what banks call the columns, folded as headers are.
var headerWords = headerWordsOf(map[column]string{
	colBalance: "balance bal closingbalance closingbal runningbalance ledgerbalance accountbalance availablebalance availablebal balanceamount balanceamt",
	colDebit:   "debit dr debits debitamount debitamt dramount dramt withdrawal withdrawals withdrawalamount withdrawalamt withdrawaldr withdrawalsdr debitdr",
	colCredit:  "credit cr credits creditamount creditamt cramount cramt deposit deposits depositamount depositamt depositcr depositscr creditcr",
	colType:    "drcr crdr debitcredit creditdebit dc cd drcrindicator debitcreditindicator",
	colValue:   "valuedate valuedt valdate valdt",
	colPosted:  "posteddate postingdate postdate bookingdate txnposteddate transactionposteddate",
	colReference: "chqrefno chqrefnumber refno refnumber referenceno referencenumber reference utr utrno utrnumber rrn " +
		"chequeno chequenumber chqno chqnumber chequerefno chequereferenceno refnochequeno refchequeno instrumentno instrumentid",
	colAccount:  "accountno accountnumber acno acctno",
	colCurrency: "currency ccy curr",
	colRemarks:  "details",
}, map[column]string{
	colTransacted: "date dt",
	colAmount:     "amount amt",
	colRemarks:    "narration description particulars particular remarks remark",
})

// headerWordsOf gives the words, those of anyPrefix also with what banks put
// before them, and the names of the columns themselves.
func headerWordsOf(words, anyPrefix map[column]string) map[string]column {
	all := map[string]column{}
	for c, list := range words {
		for word := range strings.FieldsSeq(list) {
			all[word] = c
		}
	}
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

// words that mean the direction only where nothing else does: a column of this
// name often says NEFT or RTGS.
var looseType = map[string]bool{"transactiontype": true, "txntype": true, "type": true}

// layout is where a header puts the columns.
type layout struct {
	at    [columnCount][]int // the cells of each
	width int                // cells up to the last with a name
	names []string           // of the header, trimmed
	clash *clash             // what is said of them and cannot all hold; nil where it can
}

func (l *layout) has(c column) bool { return len(l.at[c]) > 0 }

// one is the cell of a column that is there once.
func (l *layout) one(c column) int { return l.at[c][0] }

// complete reports whether entries can be read by this header.
func (l *layout) complete() bool {
	dated := l.has(colTransacted) || l.has(colPosted) || l.has(colValue)
	return dated && l.has(colBalance) && (l.has(colDebit) && l.has(colCredit) || l.has(colAmount))
}

// near reports whether a row is the header, for all that it may lack a column.
func (l *layout) near() bool {
	known := 0
	for c := range l.at {
		known += min(len(l.at[c]), 1)
	}
	return known >= 3
}

// read lays a row out as if it were the header.
func (t told) read(cells []string) layout {
	said, clash := t.of(cells)
	l := layout{names: make([]string, len(cells)), clash: clash}
	var types, loose []int
	mapped := map[column]bool{}
	for _, c := range said {
		mapped[c] = true
	}
	for i, cell := range cells {
		l.names[i] = visible.Trim(cell)
		if l.names[i] == "" {
			continue
		}
		l.width = i + 1
		key := visible.FoldHeader(cell)
		c, isSaid := said[key]
		if !isSaid {
			var known bool
			if c, known = headerWords[key]; !known || mapped[c] {
				if looseType[key] && !mapped[colType] {
					loose = append(loose, i)
				}
				continue
			}
			if looseType[key] {
				loose = append(loose, i)
				continue
			}
		}
		if c == colType && !isSaid {
			types = append(types, i)
			continue
		}
		l.at[c] = append(l.at[c], i)
	}
	if len(types) == 0 && !l.has(colDebit) && !l.has(colType) {
		types = loose
	}
	for _, i := range types {
		c := l.belongs(i)
		l.at[c] = append(l.at[c], i)
	}
	return l
}

// belongs tells whether a Dr/Cr column is that of the amount or of the balance:
// of the nearest to the left of it, else to the right.
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

// problems says which columns are there twice, or are said to be two.
func (l *layout) problems(row int) error {
	var found refusal
	if l.clash != nil {
		f := finding(CodeColumn, row, "payrun.toml says that %q is %s and %s", l.clash.header, l.clash.one, l.clash.other)
		f.Column = l.clash.one.String()
		f.Option = ledger.Option{Name: ledger.OptionMap, Value: l.clash.one.String() + "=" + l.clash.header}
		found = append(found, f)
	}
	for c, at := range l.at {
		if len(at) < 2 || column(c).repeats() {
			continue
		}
		f := finding(CodeColumn, row, "%q (%s) and %q (%s) are both read as %s",
			l.names[at[0]], ingest.ColumnName(at[0]+1), l.names[at[1]], ingest.ColumnName(at[1]+1), column(c))
		f.Column = column(c).String()
		f.Option = ledger.Option{Name: ledger.OptionMap, Value: column(c).String() + "=" + l.names[at[0]]}
		if visible.FoldHeader(l.names[at[0]]) == visible.FoldHeader(l.names[at[1]]) { // no map tells apart what has one name
			f.Fix, f.Option = fixAgain, noOption
		}
		found = append(found, f)
	}
	if len(found) > 0 {
		return found
	}
	return nil
}

// lacks says which columns are not there.
func (l *layout) lacks(row int) error {
	var names []string
	if !l.has(colTransacted) && !l.has(colPosted) && !l.has(colValue) {
		names = append(names, "a date")
	}
	if !l.has(colAmount) && !(l.has(colDebit) && l.has(colCredit)) {
		names = append(names, "the amounts (debit and credit, or one amount with Dr or Cr)")
	}
	if !l.has(colBalance) {
		names = append(names, "the balance")
	}
	return refuse(CodeHeader, row, "the header has no column for %s", strings.Join(names, ", nor for "))
}

// day is the column of the day on which the balance moved; the header has one.
func (l *layout) day() column {
	for _, c := range []column{colTransacted, colPosted} {
		if l.has(c) {
			return c
		}
	}
	return colValue
}
