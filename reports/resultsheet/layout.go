package resultsheet

import (
	"slices"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/reports/xlsx"
)

// column is a column that payrun adds after the person's own.
type column struct {
	name  string
	width float64 // in characters
}

// placed is one cell of a row that is written: the person's or ours.
type placed struct {
	theirs cell
	ours   xlsx.Cell
	isOurs bool
	wrong  string // what is wrong with it, if it is the person's; "" if nothing is
}

// layout places our columns after the person's own. If the sheet already has one of ours, because payrun wrote
// it, that column is filled: two columns with one name cannot be read.
type layout struct {
	output
	asXLSX bool // else as CSV

	width int   // columns up to the last one with a name
	at    []int // the place of each of our columns; new ones from width on
	added int   // how many of them are new
	line  []placed
}

// head reads the header and returns it with our columns.
func (l *layout) head(row ingest.Row) []placed {
	l.width = row.Filled()
	l.at, l.added = make([]int, len(l.columns)), 0
	titles := make([]xlsx.Cell, len(l.columns))
	for i, c := range l.columns {
		titles[i] = xlsx.Heading(c.name)
		l.at[i] = slices.IndexFunc(row.Cells, func(theirs string) bool { return visible.FoldHeader(theirs) == visible.FoldHeader(c.name) })
		if l.at[i] < 0 {
			l.at[i] = l.width + l.added
			l.added++
		}
	}
	return l.fill(row, l.width, l.at, titles)
}

// alone lays out a row without cells of ours: a title, a blank row, the total.
func (l *layout) alone(row ingest.Row) []placed { return l.fill(row, len(row.Cells), nil, nil) }

// row lays out a row with our cells.
func (l *layout) row(row ingest.Row, ours []xlsx.Cell) []placed {
	filled := row.Filled()
	switch {
	case l.again && filled > l.width:
		return l.broken(row, filled, ours)
	case l.again && l.isShort(row) && !l.asXLSX:
		return l.broken(row, len(row.Cells), ours)
	}
	l.fill(row, l.width, l.at, ours)
	for i := l.width; i < filled; i++ { // cells without a header go after ours
		l.line = append(l.line, placed{theirs: cellOf(row, i)})
	}
	return l.line
}

// isShort reports whether a row of a CSV has fewer cells than the header: it is broken there, and would look
// normal in a workbook.
func (l *layout) isShort(row ingest.Row) bool {
	return l.sheet.Format == "csv" && len(row.Cells) < l.width
}

// broken lays out a row with more or fewer cells than the header. Its cells cannot be assigned to columns, so
// they stay as they are, ours follow directly, and the row still has too many or too few cells. When it is read
// again, it is refused until a person puts the cells in their places.
func (l *layout) broken(row ingest.Row, filled int, ours []xlsx.Cell) []placed {
	at := make([]int, len(l.at))
	for i := range l.at {
		at[i] = -1
		if l.at[i] >= l.width {
			at[i] = filled + l.at[i] - l.width
		}
	}
	return l.fill(row, filled, at, ours)
}

// fill makes a line of the row's first cells, and ours at their places; -1 leaves one out.
func (l *layout) fill(row ingest.Row, cells int, at []int, ours []xlsx.Cell) []placed {
	l.line = l.line[:0]
	for i := range cells {
		c := placed{}
		if i < len(row.Cells) {
			c.theirs = cellOf(row, i)
		}
		l.line = append(l.line, c)
	}
	for i, c := range ours {
		if at[i] < 0 {
			continue
		}
		for len(l.line) <= at[i] {
			l.line = append(l.line, placed{})
		}
		l.line[at[i]] = placed{ours: c, isOurs: true}
	}
	return l.line
}
