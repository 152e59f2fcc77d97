package validate

import (
	"fmt"
	"slices"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// currencyHeaders are the headers of a column in which each row gives only its currency.
var currencyHeaders = visible.WordSet("currency", "ccy", "curr", "payoutcurrency", "transfercurrency",
	"currencycode", "paymentcurrency", "transactioncurrency", "txncurrency", "amountcurrency", "instructedcurrency")

// unitHeaders and unitWords belong to columns in which each row gives its unit. It may also be a unit of goods:
// Kg.
var unitHeaders = visible.WordSet("amountin", "in")
var unitWords = visible.WordSet("unit", "units", "figure", "figures", "denomination", "scale", "uom")

// saysUnit reports whether the rows below a header may give their unit.
func saysUnit(header string) bool {
	return unitHeaders[headerKey(header)] || visible.Says(header, unitWords) || statesUnit(header)
}

// statesUnit reports whether a header is not a column name but a note: Rs. in Lakhs.
func statesUnit(header string) bool {
	return visible.UnitNote([]string{header}) != "" && !visible.Says(header, plainAmounts)
}

var plainAmounts = visible.WordSet("amount", "amt", "value", "राशि", "रकम")

// currencyWords begin or end a word in the header of a column that may hold currencies: Doc. Curr, LCurr.
var currencyWords = [...]string{"currency", "curr", "ccy", "crcy", "cur", "fx", "मुद्रा"}

func saysCurrency(header string) bool {
	return slices.ContainsFunc(visible.Words(header), func(w string) bool {
		return w != "current" && slices.ContainsFunc(currencyWords[:], func(c string) bool { return strings.HasPrefix(w, c) || strings.HasSuffix(w, c) })
	})
}

// isForeign reports whether said is the code of another currency, as programs write it.
func isForeign(said string) bool {
	return len(said) == len("USD") && said != "INR" && isUpper(said[0]) && visible.OtherUnit(said) == said
}

// payableWords name what is left to pay, or is deducted before. If the sheet has one of them, a bare Amount may
// be either.
var payableWords = visible.WordSet("net", "payable", "tds", "deduction", "deductions", "deducted", "less")

// rupeeValues are the headers, folded, of a column with the rupees next to a bare Amount of another currency.
var rupeeValues = visible.WordSet("inrvalue", "valueininr", "inrequivalent", "equivalentinr", "equivalentininr", "rupeevalue", "rupeeequivalent")

// placeWords show that a header is not about money: Payable Location.
var placeWords = visible.WordSet("location", "branch", "city", "at", "date", "place", "bank")

// bareAmounts are the headers, folded, that do not say which amount they mean.
var bareAmounts = visible.WordSet("amount", "amt", "amountinr", "amountininr", "amountrs", "amountinrs", "amountrupees", "amountinrupees", "inramount", "rs", "inr",
	"salaryamount", "amountinfigures", "राशि", "धनराशि", "रकम")

// isBareAmount reports whether a header does not say which amount it means, in one language or two, with its unit or without.
func isBareAmount(header string) bool {
	_, bare := visible.MeaningOf(header, func(word string) (column, bool) { return colAmount, bareAmounts[word] })
	return bare
}

// otherDeductions name other amounts between gross and net. If the sheet has one of them, gross − TDS need not
// be net.
var otherDeductions = visible.WordSet("pf", "epf", "vpf", "esi", "esic", "pt", "ptax", "lwf", "nps", "deduction", "deductions", "deducted", "less", "advance", "loan", "emi",
	"retention", "discount", "penalty", "recovery", "adjustment", "adjusted", "hold", "other", "others", "add", "plus", "bonus", "incentive",
	"reimbursement", "arrears", "arrear", "gst", "cgst", "sgst", "igst", "tax", "cess", "tcs", "charges", "fee", "fees", "round", "rounding", "debit")

// netCheck has the columns, counted from 0, of which gross less TDS is net. The zero value means that the sheet
// has none.
type netCheck struct{ gross, tds, net int }

func (n netCheck) any() bool { return n != netCheck{} }

// moneyFaults adds the problems that headers near the amount cause, and records the columns in which each row
// says more about its amount.
func (v *vocabulary) moneyFaults(l *layout) {
	if !l.has(colAmount) && len(l.notRupees) == 0 {
		l.notRupees = l.amountsInOtherUnits()
	}
	for _, at := range l.notRupees {
		if header := l.mapping.headers[colAmount]; !l.has(colAmount) || header != "" && headerKey(header) == l.keys[at] {
			l.problems = append(l.problems, l.problem(colAmount.String(), codeAmountOtherUnit, at,
				fmt.Sprintf("the column %s cannot be the amount: amounts are rupees, and its header says %q", l.named(at), visible.OtherUnit(l.headers[at]))))
			break
		}
	}
	if !l.has(colAmount) {
		return
	}
	if at := l.paise(); at >= 0 {
		l.problems = append(l.problems, l.problem(colAmount.String(), codeAmountPaiseApart, at,
			fmt.Sprintf("the rupees are in %s and the paise in %s: a payout has one amount", l.named(l.at[colAmount]), l.named(at))))
	}
	v.grossOrNet(l)
	l.net = l.netCheck()
}

// amountsInOtherUnits finds columns that would be the amount if they were in rupees.
func (l *layout) amountsInOtherUnits() (at []int) {
	for i, header := range l.headers {
		if header != "" && !slices.Contains(l.at[:], i) && visible.OtherUnit(header) != "" && hintsAt(colAmount, header) && !currencyHeaders[l.keys[i]] {
			at = append(at, i)
		}
	}
	return at
}

// unitNote returns the problem of a row outside the table that states another unit or currency: Rs. in Lakhs.
func (l *layout) unitNote(row int, cells []string) (p ledger.Finding, found bool) {
	unit := visible.UnitNote(cells)
	if unit == "" {
		return p, false
	}
	p = noteProblem(fmt.Sprintf("a note in row %d", row), strings.Join(strings.Fields(strings.Join(cells, " ")), " "), unit, "delete the note")
	p.Row, p.Cell = row, l.cell(slices.IndexFunc(cells, func(s string) bool { return s != "" }), row)
	return p, true
}

// noteProblem returns the problem of a note that gives the unit of the amounts.
func noteProblem(where, note, unit, remedy string) ledger.Finding {
	return ledger.Finding{
		Column: colAmount.String(), Code: codeAmountOtherUnit, Value: note,
		Message: fmt.Sprintf("%s says %q, and amounts are rupees: %q", where, unit, visible.Shorten(note)),
		Fix:     fmt.Sprintf("Write the amounts in rupees and %s. If they are rupees already, only %[1]s.", remedy),
	}
}

// concludeUnits refuses a sheet with a header that states another unit above a column of empty cells: it is a
// note about the amounts.
func (c *check) concludeUnits() {
	for i := range c.contents.columns {
		col := &c.contents.columns[i]
		if col.filled > 0 || !statesUnit(col.header) {
			continue
		}
		p := noteProblem(fmt.Sprintf("a header above empty cells (%s)", ingest.ColumnName(col.at+1)), col.header, visible.UnitNote([]string{col.header}), "delete the header")
		p.Cell, p.Header = c.layout.cell(col.at, c.layout.row), visible.Shorten(col.header)
		c.report(p)
	}
}

// grossOrNet refuses a bare Amount next to a net amount or a deduction: the person may mean the other column.
func (v *vocabulary) grossOrNet(l *layout) {
	at := l.at[colAmount]
	if l.refuses(colAmount) || l.mapping.headers[colAmount] != "" || !isBareAmount(l.headers[at]) {
		return
	}
	var others []string
	for i, header := range l.headers {
		if header != "" && !slices.Contains(l.at[:], i) && (visible.Says(header, payableWords) && !visible.Says(header, placeWords) && !headerSaysOf(header).count || rupeeValues[l.keys[i]]) {
			others = append(others, l.named(i))
		}
	}
	if len(others) == 0 {
		return
	}
	p := l.problem(colAmount.String(), codeAmountGrossOrNet, at,
		fmt.Sprintf("both %s and %s are there, and it is not clear which one to pay", l.named(at), strings.Join(others, ", ")))
	p.Option = mapOption(colAmount.String(), "HEADER")
	l.problems = append(l.problems, p)
}

// paise finds a column of paise next to the rupees, or returns -1. Its name is a word for paise anywhere, or
// the letters ps or p directly to the right of the amount.
func (l *layout) paise() int {
	for i, header := range l.headers {
		next := i == l.at[colAmount]+1 && (l.keys[i] == "ps" || l.keys[i] == "p")
		if len(header) <= maxHeaderBytes && !slices.Contains(l.at[:], i) && (next || saysPaise(header)) {
			return i
		}
	}
	return -1
}

// netCheck finds gross, TDS and net, if there is one of each and nothing else is deducted or added.
func (l *layout) netCheck() netCheck {
	n := netCheck{-1, -1, -1}
	for i, header := range l.headers {
		if header == "" || len(header) > maxHeaderBytes || (slices.Contains(l.at[:], i) && i != l.at[colAmount]) {
			continue
		}
		words, at := visible.Words(header), &n.net
		switch {
		case slices.Contains(words, "tds"):
			at = &n.tds
		case slices.Contains(words, "gross"), isBareAmount(header):
			at = &n.gross
		case slices.Contains(words, "net"):
		case hasWord(words, otherDeductions):
			return netCheck{}
		default:
			continue
		}
		if *at >= 0 {
			return netCheck{}
		}
		*at = i
	}
	if min(n.gross, n.tds, n.net) < 0 {
		return netCheck{}
	}
	return n
}
