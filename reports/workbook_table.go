package reports

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"

	"payrun/ledger"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// table is a tab of many rows: a line of subtotals over the filtered rows, the header, then the rows. Rows that
// do not fit go on in the next tab: "Payouts", "Payouts 2", ….
type table struct {
	layout
	columns []heading
	shown   []int // where the cell of each column is in a line
	dir     *folder.Folder
	perTab  int // rows in one tab
	parts   []*part
	row     []xlsx.Cell // buffer
	err     error       // the first error, which addTo returns
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

// newTable makes a table of the columns with these heads; of all of them without heads.
func newTable[T any](dir *folder.Folder, l layout, columns []column[T], heads ...string) *table {
	if len(heads) == 0 {
		heads = ledger.ListOf(columns, func(c column[T]) string { return c.head })
	}
	t := &table{layout: l, dir: dir, perTab: xlsx.MaxRows - headerRow}
	for _, head := range heads {
		at := slices.IndexFunc(columns, func(c column[T]) bool { return c.head == head })
		t.columns, t.shown = append(t.columns, columns[at].heading), append(t.shown, at)
	}
	return t
}

// filled makes a table of all the columns with a row for each of list.
func filled[T any](dir *folder.Folder, l layout, list []T, columns ...column[T]) *table {
	t := newTable(dir, l, columns)
	var line []xlsx.Cell
	for _, v := range list {
		line = cellsOf(columns, v, line[:0])
		t.add(line)
	}
	return t
}

// add writes one row from the cells of a line.
func (t *table) add(line []xlsx.Cell) {
	p := t.current()
	if p == nil {
		return
	}
	t.row = t.row[:0]
	for _, at := range t.shown {
		t.row = append(t.row, line[at])
	}
	p.rows++
	p.data.AddHigh(xlsx.Height(sumUp(t.columns, t.row, p.sums)), t.row...)
}

// current returns the part that takes the next row; nil after an error.
func (t *table) current() *part {
	n := len(t.parts)
	if n > 0 && t.parts[n-1].rows < t.perTab && t.parts[n-1].data.Bytes() < xlsx.MaxTabBytes {
		return t.parts[n-1]
	}
	name := t.name
	if n > 0 {
		name += " " + strconv.Itoa(n+1)
	}
	d, err := t.dir.Unnamed()
	if err != nil {
		t.err = cmp.Or(t.err, err)
		return nil
	}
	p := &part{name: name, draft: d, data: xlsx.NewRows(d, headerRow), sums: make([]ledger.Paise, len(t.columns))}
	t.parts = append(t.parts, p)
	return p
}

// head returns the rows above the data. They summarise all of it, so they are made last.
func (t *table) head(p *part) io.Reader {
	b := new(bytes.Buffer)
	d := xlsx.NewRows(b, 0)
	sums, names := make([]xlsx.Cell, len(t.columns)), make([]xlsx.Cell, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.headCell()
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
