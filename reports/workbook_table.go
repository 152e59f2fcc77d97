package reports

import (
	"bytes"
	"fmt"
	"io"
	"strconv"

	"payrun/ledger"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// table is a tab of many rows: a line of subtotals over the filtered rows, the header, then the rows. Rows that
// do not fit go on in the next tab: "Payouts", "Payouts 2", ….
type table[T any] struct {
	layout
	columns []column[T]
	dir     *folder.Folder
	perTab  int // rows in one tab
	parts   []*part
	cells   []xlsx.Cell // buffer for a row
}

// layout is what the tabs of a table have in common.
type layout struct {
	name    string
	empty   string // shown if there are no rows
	fixed   int    // columns that stay visible when scrolling
	printed int    // columns that are printed; 0 for all
}

// part is one tab of a table.
type part struct {
	name  string
	draft *folder.Draft
	data  *xlsx.Rows
	rows  int
	sums  []ledger.Paise // or counts, for the columns with a subtotal
}

const headerRow = 2 // below the subtotals

func newTable[T any](dir *folder.Folder, l layout, columns ...column[T]) *table[T] {
	return &table[T]{layout: l, columns: columns, dir: dir, perTab: xlsx.MaxRows - headerRow}
}

// add writes one row.
func (t *table[T]) add(v T) error {
	p, err := t.current()
	if err != nil {
		return err
	}
	lines := 0
	t.cells, lines = rowOf(t.columns, v, t.cells[:0], p.sums)
	p.rows++
	p.data.AddHigh(xlsx.Height(lines), t.cells...)
	return nil
}

// rowOf appends the cells of a row, adds its amounts and counts to sums, and returns how many lines its wrapped
// cells need.
func rowOf[T any](columns []column[T], v T, cells []xlsx.Cell, sums []ledger.Paise) ([]xlsx.Cell, int) {
	lines := 1
	for i := range columns { // by pointer: there are millions of cells
		c := &columns[i]
		cells = append(cells, c.cell(v))
		made := &cells[len(cells)-1]
		if c.sum != xlsx.StyleNone {
			sums[i] = sums[i].PlusCapped(ledger.Paise(made.Value))
		}
		if made.Style == xlsx.StyleWrapped {
			lines = max(lines, xlsx.Lines(made.Text, c.width))
		}
	}
	return cells, lines
}

func (t *table[T]) addAll(rows []T) error {
	for _, v := range rows {
		if err := t.add(v); err != nil {
			return err
		}
	}
	return nil
}

// current returns the part that takes the next row.
func (t *table[T]) current() (*part, error) {
	n := len(t.parts)
	if n > 0 && t.parts[n-1].rows < t.perTab && t.parts[n-1].data.Bytes() < xlsx.MaxTabBytes {
		return t.parts[n-1], nil
	}
	name := t.name
	if n > 0 {
		name += " " + strconv.Itoa(n+1)
	}
	d, err := t.dir.Unnamed()
	if err != nil {
		return nil, err
	}
	p := &part{name: name, draft: d, data: xlsx.NewRows(d, headerRow), sums: make([]ledger.Paise, len(t.columns))}
	t.parts = append(t.parts, p)
	return p, nil
}

// head returns the rows above the data. They summarise all of it, so they are made last.
func (t *table[T]) head(p *part) io.Reader {
	b := new(bytes.Buffer)
	d := xlsx.NewRows(b, 0)
	sums, names := make([]xlsx.Cell, len(t.columns)), make([]xlsx.Cell, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.heading()
		sums[i] = c.subtotal(p.sums[i], p.over(i, "SUBTOTAL(109,%s)")) // over the filtered rows; the sum of all is saved
	}
	sums[0] = xlsx.Cell{Style: xlsx.StyleRowsShown, Number: strconv.Itoa(p.rows), Formula: p.over(0, "SUBTOTAL(103,%s)")}
	d.AddHigh(18, sums...)
	d.AddHigh(30, names...)
	return b
}

func (p *part) over(column int, formula string) string {
	name := xlsx.ColumnName(column)
	return fmt.Sprintf(formula, fmt.Sprintf("%s%d:%s%d", name, headerRow+1, name, p.data.Last()))
}
