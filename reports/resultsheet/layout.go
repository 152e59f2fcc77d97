package resultsheet

import (
	"strings"
	"unicode"

	"payrun/ingest"
	"payrun/reports/xlsx"
)

// column is one that payrun puts behind the person's own.
type column struct {
	name  string
	width float64 // in characters
}

// placed is one cell of a row on its way out: the person's, or ours.
type placed struct {
	theirs cell
	ours   xlsx.Cell
	isOurs bool
	wrong  bool // theirs, to be corrected
}

// layout places our columns after the person's own. If the sheet has one of ours, because payrun wrote
// it before, it is filled in place: two columns with one name cannot be read.
type layout struct {
	columns []column
	text    bool // a sheet of plain text, where a row with too few cells is a broken one
	asXLSX  bool // written as a workbook, where such a row looks like any other
	again   bool // to be read again: a broken row must stay one

	header int   // its row
	width  int   // columns up to the last with a name
	at     []int // the place of each of ours; new ones from width on
	added  int   // how many are new
	line   []placed
}

// head takes the header and lays it out.
func (l *layout) head(row ingest.Row) []placed {
	l.width = lastFilled(row)
	l.at, l.added = make([]int, len(l.columns)), 0
	titles := make([]xlsx.Cell, len(l.columns))
	for i, c := range l.columns {
		titles[i] = xlsx.Heading(c.name)
		l.at[i] = l.find(row, c.name)
		if l.at[i] < 0 {
			l.at[i] = l.width + l.added
			l.added++
		}
	}
	return l.fill(row, l.width, l.at, titles)
}

func (l *layout) find(row ingest.Row, name string) int {
	for i, c := range row.Cells {
		if foldColumnName(c) == foldColumnName(name) {
			return i
		}
	}
	return -1
}

// foldColumnName gives what the reader compares headers by, as far as it matters
// for our own names.
func foldColumnName(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			return unicode.ToLower(r)
		}
		return -1
	}, s)
}

// alone lays out a row that gets nothing from us: a title, a blank row, the total.
func (l *layout) alone(row ingest.Row) []placed { return l.fill(row, len(row.Cells), nil, nil) }

// row lays out a row with our cells.
func (l *layout) row(row ingest.Row, ours []xlsx.Cell) []placed {
	filled := lastFilled(row)
	switch {
	case l.again && filled > l.width:
		return l.broken(row, filled, ours)
	case l.again && l.isShort(row) && !l.asXLSX:
		return l.broken(row, len(row.Cells), ours)
	}
	l.fill(row, l.width, l.at, ours)
	for i := l.width; i < filled; i++ { // what no header is above goes behind ours
		l.line = append(l.line, placed{theirs: cellOf(row, i)})
	}
	return l.line
}

// isShort reports a row of plain text with fewer cells than the header.
func (l *layout) isShort(row ingest.Row) bool { return l.text && len(row.Cells) < l.width }

// broken lays out a row with more or fewer cells than the header. Its cells cannot be assigned to
// columns, so they stay as they are, ours come right after them, and the row still has as many too
// many or too few. When it is read again it is refused until a person has put the cells in their
// places.
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

// fill makes a line of the row's first cells and ours at their places; -1 is none.
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
