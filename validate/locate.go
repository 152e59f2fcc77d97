package validate

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
	"payrun/validate/ifsc"
)

// isHeader reports to ingest which rows may be headers, so that it finds the tab and the separator.
func (v *vocabulary) isHeader(cells []string) bool {
	l := v.read(0, cells)
	return l.known >= minKnownColumns || l.hasOrigin()
}

// isComplete reports to ingest which headers have every column that a payout needs.
func (v *vocabulary) isComplete(cells []string) bool {
	l := v.read(0, cells)
	return len(v.missing(&l)) == 0 || l.hasOrigin() // its columns are read like those of the sheet it came from
}

// mayPay reports to ingest whether a tab without a complete header may hold payouts: it has an amount, and
// three known names or an IFSC. A list of payees has no amount.
func (v *vocabulary) mayPay(rows [][]string) bool {
	var head layout
	below := rows
	for i, cells := range rows {
		if l := v.read(0, cells); l.known >= minKnownColumns && l.known > head.known {
			head, below = l, rows[i+1:]
		}
	}
	if head.known > 0 && (head.has(colAmount) || len(head.notRupees) > 0) {
		return len(below) > 0
	}
	for n, cells := range below {
		if head.known == 0 && !slices.ContainsFunc(cells, isIFSC) {
			continue
		}
		for i, cell := range cells {
			if cell = visible.Trim(cell); cell != strconv.Itoa(n+1) && mayBeAmount(cell) && !(head.known > 0 && slices.Contains(head.at[:], i)) {
				return true
			}
		}
	}
	return false
}

func isIFSC(cell string) bool { return ifsc.Valid(visible.Trim(cell)) }

// mayBeAmount reports whether a cell reads as an amount and is not a PIN code, phone number or account number.
func mayBeAmount(cell string) bool {
	const pin, account = 6, 9
	whole := plainDigits(cell, 0)
	_, fault := parseAmount(cell)
	return fault == "" && !(whole && (len(cell) == pin || len(cell) >= account))
}

// header reads up to the header: the first of the first 20 rows from which payouts can be read. Titles may come
// above it. If there is none, the findings are about the row with the most known names.
func (c *check) header(src *ingest.Sheet) error {
	if src.Format() == ingest.FormatPain {
		return c.messageHeader(src)
	}
	best := layout{}
	var all []layout
	data := 0 // the first row that looks like a payout
	for range ingest.HeaderRows {
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		l := c.words.read(row.Number, row.Cells)
		all = append(all, l)
		if data == 0 && slices.ContainsFunc(l.headers, ifsc.Valid) {
			data = row.Number
		}
		if l.hasOrigin() {
			if err := c.askOrigin(src, &l); err != nil {
				return err
			}
		}
		if src.Stale() {
			l.calculated(row.Kinds)
		}
		if l.complete() || l.known > best.known {
			best = l
		}
		if l.complete() {
			break
		}
	}
	none := best.known < minKnownColumns
	nearest, guessed := best, false
	if none {
		if looks, ok := guess(all); ok && (c.words.mapsTo(&looks) == nil || c.words.mapsTo(&best) != nil) {
			best, guessed = looks, true
		}
	}
	if err := cmp.Or(c.words.mapsTo(&best), c.keepable(&best)); err != nil {
		return err
	}
	if none { // the finding is about the file: no row is its header yet
		c.report(c.words.missingHeader(data, &nearest, &best, guessed))
		if guessed {
			c.layout, c.Sheet.Header = best, best.row
		}
		return errRefused
	}
	c.layout, c.Sheet.Header = best, best.row
	if c.ofUnknownSheet() {
		return errRefused
	}
	c.words.findFaults(&c.layout)
	above := all[:slices.IndexFunc(all, func(l layout) bool { return l.row == best.row })]
	c.layout.below(above)
	c.layout.inTwoRows(all)
	c.saidAbove(c.Sheet.Tab, above)
	c.layout.unmapped = c.layout.besideOf()
	c.contents = c.layout.contentsOf()
	c.layout.hidden(src)
	c.referenceOfPerson()
	return c.reportHeader()
}

// calculated refuses column names that formulas give, if their saved values are not what a person sees.
func (l *layout) calculated(kinds []ingest.Kind) {
	for c, at := range l.at {
		if at >= 0 && kinds[at].Saved() {
			l.problems = append(l.problems, l.problem(columnNames[c], codeColumnNameStale, at,
				"the name of the column is a formula, and its saved value is not what a person sees: the workbook is calculated again when it is opened"))
		}
	}
}

// referenceOfPerson adds a finding if codes of people are read as references, because these are the same every
// month.
func (c *check) referenceOfPerson() {
	at := c.layout.at[colReference]
	if at >= 0 && c.o.RefPrefix == "" && c.layout.mapping.headers[colReference] == "" && !c.layout.hasOrigin() && isCode(c.layout.headers[at]) {
		c.found.add(ledger.Finding{
			Row: c.layout.row, Column: colReference.String(), Code: codeReferenceOfPerson, Value: c.layout.headers[at],
			Message: fmt.Sprintf("%s is read as the reference, and a person's code is the same every month", c.layout.named(at)),
			Option:  ledger.Option{Name: ledger.OptionRefPrefix, Value: strings.ToUpper(c.o.Now.Format("Jan06")) + "-"},
		})
	}
}

// below refuses a header with payouts above it, which would be ignored like titles. The header was sorted into
// its table, or it is the header of a second table.
func (l *layout) below(above []layout) {
	table := false // it has its own header further up
	for _, other := range above {
		if l.looksPaid(&ingest.Row{Cells: other.headers}) || table && slices.ContainsFunc(other.headers, ifsc.Valid) {
			l.problems = append(l.problems, ledger.Finding{
				Code: codePayoutsAbove, Message: fmt.Sprintf("row %d looks like a payout, and is above the header in row %d", other.row, l.row),
			})
			return
		}
		table = table || other.known >= minKnownColumns
	}
}

// looksPaid reports whether a row is a payout if its columns are those of l. Rows above a table may have an
// account, an IFSC or a total too, but not in these places.
func (l *layout) looksPaid(row *ingest.Row) bool {
	if hasDigit(l.cellOf(row, colAccount)) && ifsc.Valid(l.cellOf(row, colIFSC)) {
		return true
	}
	return l.cellOf(row, colReference) != "" && hasDigit(l.cellOf(row, colAmount)) && l.paysSomebody(row)
}

// inTwoRows changes the problem of a missing column whose name is in the row above or below the header: the
// header is spread over two rows.
func (l *layout) inTwoRows(all []layout) {
	for i := range l.problems {
		p := &l.problems[i]
		c, known := columnNamed(p.Column)
		if p.Code != codeColumnMissing || !known {
			continue
		}
		for _, other := range all {
			if other.has(c) && other.known > 1 && (other.row == l.row-1 || other.row == l.row+1) {
				p.Message = fmt.Sprintf("there is no column %s in row %d, and %q is in row %d: the header is spread over two rows", c, l.row, visible.Shorten(other.headers[other.at[c]]), other.row)
				p.Fix, p.Option = "Put all column names into one row, the one right above the first payout, and unmerge its cells.", noOption
			}
		}
	}
}

// mapsTo checks that the sheet has every column that the run's map names.
func (v *vocabulary) mapsTo(l *layout) error {
	for c, header := range v.run.headers {
		if header != "" && !slices.Contains(l.keys, headerKey(header)) {
			return mapError(column(c).String(), header, fmt.Sprintf("the sheet has no column %q", header))
		}
	}
	return nil
}

// reportHeader turns the header's problems into findings.
func (c *check) reportHeader() error {
	refused := false
	for _, p := range c.layout.problems {
		refused = c.report(p) == ledger.SeverityError || refused
	}
	if refused {
		return errRefused
	}
	return nil
}

// report adds a problem of the header as a finding, at the header's row unless it names another. It masks a value
// of digits only: that is data, not a header, and may be an account number.
func (c *check) report(p ledger.Finding) ledger.Severity {
	if plainDigits(p.Value, 0) {
		p.Value = ledger.Mask(p.Value)
	}
	p.Row = cmp.Or(p.Row, c.layout.row)
	return c.found.add(p)
}
