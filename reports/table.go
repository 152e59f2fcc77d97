package reports

import (
	"bytes"
	"fmt"
	"strconv"

	"payrun/ledger"
)

// A table is a tab of many rows: a line of subtotals over the rows that the
// filter leaves, the header, then the rows. Beyond what one tab holds it goes
// on in the next: "Payouts", "Payouts 2", ….
type table struct {
	tableLayout
	dir    *folder
	perTab int // rows a tab
	parts  []*part
}

// tableLayout is what the tabs of a table have in common.
type tableLayout struct {
	name    string
	empty   string // what to say when there are no rows
	columns []column
	fixed   int // columns that stay in sight
	printed int // columns that go to paper; 0 for all
}

// column of a table. Its subtotal is in the style sum: styleMoney, styleCount,
// or styleNone where adding up makes no sense.
type column struct {
	head   string
	width  float64 // in characters
	sum    cellStyle
	number bool // a number that is not added up
}

// part is one tab of a table.
type part struct {
	name  string
	draft *draft
	data  *sheetData
	rows  int
	sums  []int64 // paise or counts, for the columns that are added up
}

const (
	// maxTabRows is what a tab of an XLSX workbook holds.
	maxTabRows = 1_048_576
	// maxTabBytes keeps a tab's part of the archive well below 4 GiB, from
	// where spreadsheet programs want another kind of archive.
	maxTabBytes = 3 << 30

	headerRow = 2 // below the subtotals

	linePoints = 14 // of the workbook's font
	mostLines  = 12 // a bank's long words are cut in sight, not in the cell
)

func newTable(dir *folder, l tableLayout) *table {
	return &table{tableLayout: l, dir: dir, perTab: maxTabRows - headerRow}
}

// add writes one row, a cell a column.
func (t *table) add(cells ...cell) error {
	p, err := t.current()
	if err != nil {
		return err
	}
	for i, c := range t.columns {
		if c.sum != styleNone {
			p.sums[i] += cells[i].value
		}
	}
	p.rows++
	return p.data.writeHigh(t.height(cells), cells...)
}

// height is what a row needs to show its wrapped cells, in points; 0 where one
// line will do. Spreadsheet programs do not all measure when they open.
func (t *table) height(cells []cell) int {
	lines := 1
	for i, c := range cells {
		if c.style == styleWrapped {
			lines = max(lines, wrappedLines(c.text, t.columns[i].width))
		}
	}
	if lines == 1 {
		return 0
	}
	return min(lines, mostLines) * linePoints
}

// wrappedLines is how many lines a text takes in a column.
func wrappedLines(s string, columnWidth float64) int {
	width := int(columnWidth) * 11 / 10 // words are narrower than the digits that widths count
	return (utf16Length(s) + width - 1) / width
}

func (c column) heading() cell {
	if c.number || c.sum != styleNone {
		return heading(c.head).in(styleHeadNumber)
	}
	return heading(c.head)
}

// current is the part that takes the next row.
func (t *table) current() (*part, error) {
	n := len(t.parts)
	if n > 0 && t.parts[n-1].rows < t.perTab && t.parts[n-1].data.bytes < maxTabBytes {
		return t.parts[n-1], nil
	}
	name := t.name
	if n > 0 {
		name += " " + strconv.Itoa(n+1)
	}
	d, err := t.dir.scratch()
	if err != nil {
		return nil, err
	}
	p := &part{name: name, draft: d, data: &sheetData{w: d, row: headerRow}, sums: make([]int64, len(t.columns))}
	t.parts = append(t.parts, p)
	return p, nil
}

// finish gives a table without rows its one tab, which says so.
func (t *table) finish() error {
	if len(t.parts) > 0 {
		return nil
	}
	p, err := t.current()
	if err != nil {
		return err
	}
	return p.data.write(text(t.empty))
}

func (p *part) lastRow() int { return p.data.row }

// head is the rows above the data. They tell of all of it, so they are made
// when it is known.
func (t *table) head(p *part) ([]byte, error) {
	var b bytes.Buffer
	d := &sheetData{w: &b}
	sums, names := make([]cell, len(t.columns)), make([]cell, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.heading()
		sums[i] = p.subtotal(i, c)
	}
	sums[0] = cell{style: styleRowsShown, number: strconv.Itoa(p.rows), formula: p.over(0, "SUBTOTAL(103,%s)")}
	if err := d.writeHigh(18, sums...); err != nil {
		return nil, err
	}
	err := d.writeHigh(30, names...)
	return b.Bytes(), err
}

// subtotal is the sum over the rows that the filter leaves; saved with it is
// the sum over all.
func (p *part) subtotal(i int, c column) cell {
	formula := p.over(i, "SUBTOTAL(109,%s)")
	switch c.sum {
	case styleMoney:
		return money(ledger.Paise(p.sums[i])).in(styleMoneyTotal).from(formula)
	case styleCount:
		return count(int(p.sums[i])).in(styleCountTotal).from(formula)
	}
	return cell{style: styleTotal}
}

func (p *part) over(column int, formula string) string {
	name := columnName(column)
	return fmt.Sprintf(formula, fmt.Sprintf("%s%d:%s%d", name, headerRow+1, name, p.lastRow()))
}
