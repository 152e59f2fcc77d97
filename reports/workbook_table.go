package reports

import (
	"bytes"
	"fmt"
	"strconv"

	"payrun/ledger"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// table is a tab of many rows: a line of subtotals over the rows that the
// filter leaves, the header, then the rows. Beyond what one tab holds it goes
// on in the next: "Payouts", "Payouts 2", ….
type table struct {
	tableLayout
	dir    *folder.Folder
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
	sum    xlsx.Style
	number bool // a number that is not added up
}

// part is one tab of a table.
type part struct {
	name   string
	packed *xlsx.Packed
	data   *xlsx.Rows
	rows   int
	sums   []int64 // paise or counts, for the columns that are added up
}

const headerRow = 2 // below the subtotals

func newTable(dir *folder.Folder, l tableLayout) *table {
	return &table{tableLayout: l, dir: dir, perTab: xlsx.MaxRows - headerRow}
}

// add writes one row, a cell a column.
func (t *table) add(cells ...xlsx.Cell) error {
	p, err := t.current()
	if err != nil {
		return err
	}
	for i, c := range t.columns {
		if c.sum != xlsx.StyleNone {
			sum, fits := ledger.Paise(p.sums[i]).Plus(ledger.Paise(cells[i].Value))
			if !fits {
				return errSum
			}
			p.sums[i] = int64(sum)
		}
	}
	p.rows++
	return p.data.AddHigh(t.height(cells), cells...)
}

// height is what a row needs to show its wrapped cells, in points; 0 where one
// line will do. Spreadsheet programs do not all measure when they open.
func (t *table) height(cells []xlsx.Cell) int {
	lines := 1
	for i, c := range cells {
		if c.Style == xlsx.StyleWrapped {
			lines = max(lines, xlsx.Lines(c.Text, t.columns[i].width))
		}
	}
	if lines == 1 {
		return 0
	}
	return min(lines, xlsx.MaxLines) * xlsx.LinePoints
}

func (c column) heading() xlsx.Cell {
	if c.number || c.sum != xlsx.StyleNone {
		return xlsx.Heading(c.head).In(xlsx.StyleHeadNumber)
	}
	return xlsx.Heading(c.head)
}

// current is the part that takes the next row.
func (t *table) current() (*part, error) {
	n := len(t.parts)
	if n > 0 && t.parts[n-1].rows < t.perTab && t.parts[n-1].data.Bytes() < xlsx.MaxTabBytes {
		return t.parts[n-1], nil
	}
	name := t.name
	if n > 0 {
		name += " " + strconv.Itoa(n+1)
	}
	d, err := t.dir.Scratch()
	if err != nil {
		return nil, err
	}
	packed := xlsx.NewPacked(d)
	p := &part{name: name, packed: packed, data: xlsx.NewRows(packed, headerRow), sums: make([]int64, len(t.columns))}
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
	return p.data.Add(xlsx.Text(t.empty))
}

func (p *part) lastRow() int { return p.data.Last() }

// head is the rows above the data. They tell of all of it, so they are made
// when it is known.
func (t *table) head(p *part) ([]byte, error) {
	var b bytes.Buffer
	d := xlsx.NewRows(&b, 0)
	sums, names := make([]xlsx.Cell, len(t.columns)), make([]xlsx.Cell, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.heading()
		sums[i] = p.subtotal(i, c)
	}
	sums[0] = xlsx.Cell{Style: xlsx.StyleRowsShown, Number: strconv.Itoa(p.rows), Formula: p.over(0, "SUBTOTAL(103,%s)")}
	if err := d.AddHigh(18, sums...); err != nil {
		return nil, err
	}
	err := d.AddHigh(30, names...)
	return b.Bytes(), err
}

// subtotal is the sum over the rows that the filter leaves; saved with it is
// the sum over all.
func (p *part) subtotal(i int, c column) xlsx.Cell {
	formula := p.over(i, "SUBTOTAL(109,%s)")
	switch c.sum {
	case xlsx.StyleMoney:
		return xlsx.Money(ledger.Paise(p.sums[i])).In(xlsx.StyleMoneyTotal).From(formula)
	case xlsx.StyleCount:
		return xlsx.Count(int(p.sums[i])).In(xlsx.StyleCountTotal).From(formula)
	}
	return xlsx.Cell{Style: xlsx.StyleTotal}
}

func (p *part) over(column int, formula string) string {
	name := xlsx.ColumnName(column)
	return fmt.Sprintf(formula, fmt.Sprintf("%s%d:%s%d", name, headerRow+1, name, p.lastRow()))
}
