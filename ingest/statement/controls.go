package statement

import (
	"slices"
	"strconv"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// quantity is what a row that is not an entry states about the entries. All of it is checked: a statement that
// states something other than its entries is refused.
type quantity uint8

const (
	none        quantity = iota
	opening              // the balance before the first entry, or before the entries below it
	closing              // the balance after the last entry, or after the entries above it
	forward              // the balance at this place
	debits               // the sum of the debits
	credits              // the sum of the credits
	debitCount           // the number of debits
	creditCount          // the number of credits
	total                // the sums in the columns of the amounts
)

// quantityNames are what findings call them.
var quantityNames = [...]string{opening: "an opening balance", closing: "a closing balance", forward: "a balance", debits: "debits", credits: "credits",
	debitCount: "a count of debits", creditCount: "a count of credits", total: "a total"}

// quantityWords are the banks' names for them, folded like headers.
var quantityWords = folded(map[quantity]string{
	opening: "openingbalance openingbal openbalance opbalance opbal प्रारंभिकशेष",
	closing: "closingbalance closingbal closebalance clbalance clbal अंतिमशेष",
	forward: "broughtforward balancebroughtforward bf balancebf balbf bfwd broughtfwd balancebfwd carriedforward balancecarriedforward cf balancecf balcf cfwd carriedfwd balancecfwd",
	debits: "debits debitamount debittotal totaldebit totaldebits totaldebitamount totaldebitamt totaldr totaldramount totalwithdrawal totalwithdrawals " +
		"totalwithdrawalamount totalwithdrawalamt totalmoneyout totalpaidout कुलनामे",
	credits: "credits creditamount credittotal totalcredit totalcredits totalcreditamount totalcreditamt totalcr totalcramount totaldeposit totaldeposits " +
		"totaldepositamount totaldepositamt totalmoneyin totalpaidin कुलजमा",
	debitCount:  "drcount debitcount debitscount countofdebits noofdebits noofdebit numberofdebits totaldebitcount totaldrcount noofwithdrawals",
	creditCount: "crcount creditcount creditscount countofcredits noofcredits noofcredit numberofcredits totalcreditcount totalcrcount noofdeposits",
	total:       "total totals grandtotal pagetotal subtotal totalamount totalforpage pagetotals transactiontotal transactionstotal कुल योग कुलयोग",
})

// quantityOf returns the quantity that a cell names, and the text after its colon.
func quantityOf(cell string) (q quantity, behind string) {
	const most = 60 // bytes; a longer text is not a name
	if len(cell) > most {
		return none, ""
	}
	if at := strings.LastIndexByte(cell, ':'); at >= 0 {
		if q = quantityWords[visible.FoldHeader(visible.WithoutUnit(cell[:at]))]; q != none {
			return q, visible.Trim(cell[at+1:])
		}
	}
	return quantityWords[visible.FoldHeader(visible.WithoutUnit(cell))], ""
}

// control is one statement of such a row.
type control struct {
	row      int
	what     quantity
	value    ledger.Paise // or the count
	from, at int          // the number of lines above it in the file, and above the total before it
}

// check returns an error if the entries contradict the control. Lines are oldest first; reversed means that the
// file has them newest first.
func (c control) check(lines []line, reversed bool) error {
	n, place := len(lines), c.at
	above := func(from int) []line { return lines[from:c.at] }
	if reversed {
		place = n - c.at
		above = func(from int) []line { return lines[place : n-from] }
	}
	first, _ := lines[0].entry.Before() // chained, so it fits
	last, here := lines[n-1].entry.Closing, first
	if place > 0 {
		here = lines[place-1].entry.Closing
	}
	agree := []ledger.Paise{here}
	words := ledger.Paise.String
	switch c.what {
	case opening:
		if agree = []ledger.Paise{first}; c.at < n {
			agree = append(agree, here)
		}
	case closing:
		if agree = []ledger.Paise{last}; c.at > 0 {
			agree = append(agree, here)
		}
	case debitCount, creditCount:
		words = func(count ledger.Paise) string { return strconv.FormatInt(int64(count), 10) }
		fallthrough
	case debits, credits, total:
		agree = []ledger.Paise{sums(above(0), c.what), sums(above(c.from), c.what)}
	}
	if slices.Contains(agree, c.value) {
		return nil
	}
	return refuse(CodeChain, c.row, "the row says %s of %s, and by the entries it is %s", quantityNames[c.what], words(c.value), words(agree[0]))
}

// sums adds up a quantity over some lines; for total, the change of the balance.
func sums(lines []line, what quantity) (sum ledger.Paise) {
	for i := range lines {
		e := &lines[i].entry
		switch {
		case what == total:
			sum += e.Change()
		case (what == debits || what == debitCount) != e.Debit:
		case what == debitCount || what == creditCount:
			sum++
		default:
			sum += e.Amount
		}
	}
	return sum
}

// tell records what the row states about the lines above it, from line since on.
func (t *tableReader) tell(what quantity, value ledger.Paise, since int) {
	t.controls = append(t.controls, control{t.row.Number, what, value, since, len(t.lines)})
}

// rowLabel returns the first quantity that a row names.
func (t *tableReader) rowLabel() quantity {
	for _, cell := range t.row.Cells {
		if q, _ := quantityOf(visible.Trim(cell)); q != none {
			return q
		}
	}
	return none
}

// control reads a row with a name, and values in the columns of the entries: a total, or a balance brought or
// carried forward.
func (t *tableReader) control(what quantity) {
	before := len(t.found)
	for _, side := range []struct {
		c column
		q quantity
	}{{colDebit, debits}, {colCredit, credits}, {colAmount, total}} {
		text := t.text(side.c)
		if isEmpty(text) || t.header.has(colDebit) && side.c == colAmount {
			continue
		}
		m, ok := parseBalance(text)
		if !ok {
			t.bad(CodeAmount, side.c, "%q is not an amount", visible.Shorten(text))
			return
		}
		value := m.value
		switch {
		case side.c != colAmount:
		case m.direction == debit:
			side.q = debits
		case m.direction == credit:
			side.q = credits
		case m.negative:
			value = -value
		}
		if value != 0 || what == total {
			t.tell(side.q, value, t.totalAt)
		}
	}
	if !isEmpty(t.text(colBalance)) {
		which := what
		if what != opening && what != forward {
			which = closing
		}
		if value := t.balance(); len(t.found) == before {
			t.tell(which, value, t.totalAt)
		}
	}
	if what == total {
		t.totalAt = len(t.lines)
	}
}

// summaryRow reads a row of names with their values, a row of names alone, or the row of values below one. It
// reports false for any other row.
func (t *tableReader) summaryRow() bool {
	var cells []int
	for i, cell := range t.row.Cells {
		if !isEmpty(visible.Trim(cell)) {
			cells = append(cells, i)
		}
	}
	if len(cells) == 0 {
		return false
	}
	if t.summary != nil && slices.ContainsFunc(cells, func(i int) bool { return strings.ContainsAny(t.row.Cells[i], "0123456789") }) {
		t.summaryValues(cells)
		return true
	}
	names, pairs := map[int]quantity{}, map[quantity]string{}
	whole := true
	for at := 0; at < len(cells); at++ {
		q, value := quantityOf(t.row.Text(cells[at]))
		if q == none || q == total {
			whole = false
			continue
		}
		names[cells[at]] = q
		if value == "" && at+1 < len(cells) && startsLikeMoney(t.row.Text(cells[at+1])) {
			at++
			value = t.row.Text(cells[at])
		}
		if value != "" {
			pairs[q] = value
		}
	}
	switch {
	case whole && len(pairs) == len(names):
		for q := opening; q < total; q++ {
			if value, is := pairs[q]; is {
				t.tellText(q, value)
			}
		}
		return true
	case len(names) > 1 && len(pairs) == 0 && !slices.ContainsFunc(cells, func(i int) bool { return startsLikeMoney(t.row.Text(i)) }):
		t.summary = names
		return true
	}
	return false
}

// startsLikeMoney tells a value from a name.
func startsLikeMoney(text string) bool {
	text, _ = visible.CutRupee(text)
	return startsWithDigit(strings.TrimLeft(text, "+- "))
}

// summaryValues reads the row of values below a row of names.
func (t *tableReader) summaryValues(cells []int) {
	for _, i := range cells {
		q, named := t.summary[i]
		if !named && startsLikeMoney(t.row.Text(i)) {
			t.found = append(t.found, ingest.NewFinding(CodeRow, t.row.Number, "a summary has %q, and no name above it that is understood", visible.Shorten(t.row.Text(i))))
			return
		}
		if named {
			t.tellText(q, t.row.Text(i))
		}
	}
	t.summary = nil
}

// tellText records a summary value. Directly below a total it covers all entries, because there are none since
// the total.
func (t *tableReader) tellText(q quantity, text string) {
	since := t.totalAt
	if since == len(t.lines) {
		since = 0
	}
	if q == debitCount || q == creditCount {
		if !digits(text) || len(text) > 9 {
			t.found = append(t.found, ingest.NewFinding(CodeRow, t.row.Number, "%q is not a count", visible.Shorten(text)))
			return
		}
		t.tell(q, ledger.Paise(number(text)), since)
		return
	}
	m, ok := parseBalance(text)
	switch {
	case !ok:
		t.found = append(t.found, ingest.NewFinding(CodeRow, t.row.Number, "%q is not an amount", visible.Shorten(text)))
	case q == debits || q == credits:
		t.tell(q, m.value, since)
	default:
		t.tell(q, m.signedValue(), since)
	}
}
