package ingest

import (
	"bytes"
	"fmt"
	"strings"

	"payrun/ledger"
)

// overlay collects what makes a person see other data than the sheet holds: merged cells and hidden rows, from
// the header down.
type overlay struct {
	options *Options

	header int // row of the header; 0 before it is found
	last   int // last row that is not blank

	hidden  []rowRange // the first few of them
	hiddenN int
	areas   []Area
}

// Area is a range of cells. Rows are counted like Row.Number, columns from 0, both ends included.
type Area struct {
	Top, Bottom, Left, Right int
	Ref                      string // as the spreadsheet program names it
	// Mark is what a conditional format may do to its cells. It does not say to which: only a spreadsheet program
	// evaluates rules. Colours, borders that are not diagonal, bars and icons next to a value mark nothing. 0: the
	// cells are merged, and only the first one holds anything.
	Mark Mark
}

// has reports whether a cell is in the range.
func (a Area) has(row, column int) bool {
	return a.Top <= row && row <= a.Bottom && a.Left <= column && column <= a.Right
}

// mostAreas is the limit of ranges that are kept.
const mostAreas = 200_000

// rowRange is rows first to last.
type rowRange struct{ first, last int }

const rangesNamed = 8

// saw records a row that was returned.
func (o *overlay) saw(row Row) {
	if row.Filled() == 0 {
		return
	}
	if o.header == 0 && (o.options.IsHeader == nil || row.Number <= o.options.HeaderRows && o.options.IsHeader(row.Cells)) {
		o.header = row.Number
	}
	o.last = row.Number
	if row.Hidden && o.header > 0 {
		o.sawHidden(row.Number)
	}
}

func (o *overlay) sawHidden(row int) {
	o.hiddenN++
	if n := len(o.hidden); n > 0 && o.hidden[n-1].last == row-1 {
		o.hidden[n-1].last = row
		return
	}
	if len(o.hidden) < rangesNamed {
		o.hidden = append(o.hidden, rowRange{row, row})
	}
}

// keep keeps the range of merged cells, or of a conditional format with its mark, unless it lies above the header,
// below the last row, or merges one cell. A rule for the header alone does not count either. The ranges come after all
// rows. The caller knows the columns and decides what a range covers.
func (o *overlay) keep(ref []byte, mark Mark) error {
	a, ok := areaOf(ref)
	if !ok {
		return defect(CodeXMLMalformed, 0, "the workbook merges or formats the cells %q", clip(ref))
	}
	a.Mark = mark
	above := o.header == 0 || a.Bottom < o.header || a.Bottom == o.header && mark != 0
	if above || a.Top > o.last || mark == 0 && a.Left == a.Right && a.Top == a.Bottom {
		return nil
	}
	if len(o.areas) == mostAreas {
		return tooMuch("merges or formats cells in more than %d places", mostAreas)
	}
	o.areas = append(o.areas, a)
	return nil
}

// areaOf reads a range such as B3:D9, or one cell.
func areaOf(ref []byte) (Area, bool) {
	from, to, isRange := bytes.Cut(ref, []byte{':'})
	if !isRange {
		to = from
	}
	left, top, ok := parseRef(from)
	right, bottom, ok2 := parseRef(to)
	return Area{top, bottom, left - 1, right - 1, string(ref), 0}, ok && ok2 && left <= right && top <= bottom
}

// verdict refuses the sheet for hidden rows, once all of it was read.
func (o *overlay) verdict() error {
	if how := o.options.Hidden; (how == "" || how == HiddenError) && o.hiddenN > 0 {
		rows := o.hiddenWords()
		return defect(CodeHiddenRows, o.hidden[0].first, "%s data: %s", ledger.Counted(o.hiddenN, "hidden row holds", "hidden rows hold"), rows).value(rows)
	}
	return nil
}

func (o *overlay) hiddenWords() string {
	words := make([]string, 0, len(o.hidden)+1)
	named := 0
	for _, h := range o.hidden {
		named += h.last - h.first + 1
		if h.first == h.last {
			words = append(words, fmt.Sprint(h.first))
			continue
		}
		words = append(words, fmt.Sprintf("%d to %d", h.first, h.last))
	}
	if rest := o.hiddenN - named; rest > 0 {
		words = append(words, fmt.Sprintf("and %d more", rest))
	}
	return strings.Join(words, ", ")
}
