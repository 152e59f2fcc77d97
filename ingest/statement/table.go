package statement

import (
	"errors"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// tableReader reads a CSV or XLSX by its columns.
type tableReader struct {
	parts    // only its account numbers
	sheet    *ingest.Sheet
	declared declared
	header   layout
	row      ingest.Row

	dates      dayOrMonth
	lines      []line
	minus      bool // an amount in a single column of amounts has a minus
	debitMinus bool // an amount in the debit column has a minus
	controls   []control
	totalAt    int              // the number of lines above the last total
	summary    map[int]quantity // names of a summary, whose values are in the next row
	below      []ingest.Row     // since the last entry: rows without date, amount and balance
	found      refusal
}

// line is one entry as its row has it. Its days are set once all dates are known.
type line struct {
	row                  int
	entry                ledger.StatementEntry
	days                 [len(dateColumns)]*date // of each
	unsigned, debitMinus bool                    // the amount has no sign, or has a minus in the debit column
}

// headerRows is how many rows are searched for the header: banks put the account and its holder above it.
const headerRows = 60

// readTable reads a CSV or XLSX. The bytes that it parses must be those that were hashed before.
func (f *File) readTable(path string, o Options) error {
	t := &tableReader{parts: parts{o: o}}
	var err error
	if t.declared, err = newDeclared(o.Map); err != nil {
		return err
	}
	t.sheet, err = ingest.Open(path, ingest.Options{
		Tab: o.Tab, Encoding: o.Encoding, Limits: o.Limits, SHA256: f.SHA256,
		HeaderRows: headerRows,
		Hidden:     ingest.HiddenInclude, // a filter may hide rows; they were booked, and the balances prove them
		IsHeader:   func(cells []string) bool { l := t.declared.read(cells); return l.near() },
		IsComplete: func(cells []string) bool { l := t.declared.read(cells); return l.complete() },
	})
	if err != nil {
		return err
	}
	defer func() { _ = t.sheet.Close() }()
	f.Tab = t.sheet.Tab()
	if err := t.readRows(); err != nil {
		return err
	}
	return t.give(f)
}

func (t *tableReader) readRows() error {
	var nearest *layout
	nearestRow := 0
	for {
		row, err := t.sheet.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		t.row = row
		switch {
		case t.header.complete():
			t.entryRow()
		case row.Number <= headerRows:
			if l := t.declared.read(row.Cells); l.complete() {
				if err := l.problems(row.Number); err != nil {
					return err
				}
				t.header = l
				t.dates.header(&l)
			} else if l.near() && nearest == nil {
				nearest, nearestRow = &l, row.Number
			} else {
				t.title(row)
			}
		}
		if len(t.found) >= mostFindings {
			return t.found
		}
	}
	switch {
	case t.header.complete():
		for _, row := range t.below {
			t.unit(row)
		}
		return t.asked(&t.header)
	case nearest != nil:
		if err := t.asked(nearest); err != nil {
			return err
		}
		if len(nearest.units) > 0 {
			return nearest.problems(nearestRow)
		}
		return refuse(CodeHeader, nearestRow, "the header has no column for %s", strings.Join(nearest.lacks(), ", nor for "))
	}
	return refuse(CodeHeader, 0, "none of the first %d rows has a date, the amounts and a balance in columns of their own", headerRows)
}

// asked refuses a mapped header that the file does not have.
func (t *tableReader) asked(l *layout) error {
	for _, name := range slices.Sorted(maps.Keys(t.o.Map)) {
		header := t.o.Map[name]
		if !slices.ContainsFunc(l.names, func(n string) bool { return visible.FoldHeader(n) == visible.FoldHeader(header) }) {
			return unsatisfied(name, header, "the statement has no column %s", strings.TrimSpace(header))
		}
	}
	return nil
}

// title reads a row above a header, which may name the account.
func (t *tableReader) title(row ingest.Row) {
	for _, number := range accountsIn(row.Cells) {
		t.takes(number)
	}
	t.unit(row)
}

// legend matches a row below entries that only says what codes mean: USD : US Dollar.
var legend = regexp.MustCompile(`(?i)^(?:[ ,;|]*(?:INR|USD|AUD|CAD|SGD|HKD|EUR|GBP|AED|JPY|CHF|SAR|QAR|OMR|KWD)[ :=–-]+(?:\pL+ )?(?:rupee|dollar|euro|pound|sterling|dirham|yen|franc|riyal|rial|dinar)s?)+[ ,;|]*$`)

// unit refuses another unit that a row outside the entries states.
func (t *tableReader) unit(row ingest.Row) {
	if len(t.lines) > 0 && legend.MatchString(strings.Join(row.Cells, " ")) {
		return
	}
	if unit := unitNote(row.Cells); unit != "" {
		t.found = append(t.found, ingest.NewFinding(CodeCurrency, row.Number, "amounts in %s: a row outside the entries says so", unit))
	}
}

// bad adds a finding for a cell of the row.
func (t *tableReader) bad(code string, c column, format string, args ...any) {
	f := ingest.NewFinding(code, t.row.Number, format, args...)
	f.Column = c.String()
	if t.header.has(c) {
		at := t.header.one(c)
		f.Header = t.header.names[at]
		if t.row.Kinds != nil {
			f.Cell = ingest.ColumnName(at+1) + strconv.Itoa(t.row.Number)
		}
	}
	t.found = append(t.found, f)
}

// entryRow reads a row below the header. A row with a date and an amount is an entry, unless names of a summary
// are above it.
func (t *tableReader) entryRow() {
	dated, balance := startsWithDigit(t.text(t.header.day())), t.text(colBalance)
	amounts := t.text(colDebit) + t.text(colCredit) + t.text(colAmount)
	if t.summary != nil || !dated || isEmpty(strings.Trim(amounts, "0.")) {
		if t.headerAgain() {
			for _, row := range t.below {
				t.title(row)
			}
			return
		}
		if t.summaryRow() {
			return
		}
		switch what := t.rowLabel(); {
		case !dated && isEmpty(balance) && isEmpty(amounts):
			t.loose()
			return
		case what != none && (!dated || what != total && !isEmpty(balance)):
			t.control(what)
			return
		case !dated && !strings.ContainsAny(amounts+balance, "0123456789#"): // words below the amounts, as at the end of a page
			t.loose()
			return
		case !dated:
			t.bad(CodeRow, t.header.day(), "the row has an amount or a balance, and no date")
			return
		}
	}
	for _, cell := range t.row.Cells[min(t.header.width, len(t.row.Cells)):] {
		if visible.Trim(cell) != "" {
			t.found = append(t.found, ingest.NewFinding(CodeRow, t.row.Number, "the row has more cells than the header: a separator in a text without quotes moves the cells behind it"))
			return
		}
	}
	l := line{row: t.row.Number}
	t.readDates(&l)
	t.readAmount(&l)
	l.entry.Closing = t.balance()
	t.readTexts(&l.entry)
	if len(t.below) > 0 { // they continue the entry above
		e := &t.lines[len(t.lines)-1].entry
		texts := []string{e.Remarks}
		for _, row := range t.below {
			for _, at := range slices.Concat(t.header.at[colReference], t.header.at[colRemarks]) {
				texts = append(texts, row.Text(at))
			}
		}
		e.Remarks, t.below = joined(texts...), nil
	}
	t.lines = append(t.lines, l)
}

// startsWithDigit tells a date, readable or not, from a note in its column. Every date that can be read starts
// with a digit.
func startsWithDigit(text string) bool { return text != "" && '0' <= text[0] && text[0] <= '9' }

// loose keeps a row without date, amount and balance. Between two entries its text belongs to the one above; above and
// below the table only a unit counts, and above it an account.
func (t *tableReader) loose() {
	if len(t.lines) == 0 {
		t.title(t.row)
		return
	}
	t.below = append(t.below, ingest.Row{Number: t.row.Number, Cells: slices.Clone(t.row.Cells)})
}

// headerAgain reports whether the row repeats the header, as each page of a printed statement does.
func (t *tableReader) headerAgain() bool {
	for i, name := range t.header.names {
		if visible.FoldHeader(t.row.Text(i)) != visible.FoldHeader(name) {
			return false
		}
	}
	return true
}
