package validate

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/validate/visible"
)

// The two columns that payrun puts last into a sheet that it gives back: where each
// row came from.
const (
	OriginSheetColumn = "payrun_sheet"
	OriginRowColumn   = "payrun_row"
)

// Origin is the sheet that the rows of another one came from, which are read as that
// one was. SheetID "" is none: the columns are there and hold nothing.
type Origin struct{ SheetID string }

// OriginError: the rows came from another sheet, and are to be read as that one was.
type OriginError struct{ SheetID string }

func (e *OriginError) Error() string {
	return "its rows came from the sheet " + strconv.Quote(e.SheetID)
}

// placeOrigin finds the two columns. ok is false for any other header.
func (l *layout) placeOrigin(i int, key string) (ok bool) {
	for at, name := range [...]string{OriginSheetColumn, OriginRowColumn} {
		if key == visible.FoldHeader(name) && l.origin[at] < 0 {
			l.origin[at] = i
			return true
		}
	}
	return false
}

func (l *layout) hasOrigin() bool { return l.origin[0] >= 0 && l.origin[1] >= 0 }

// askOrigin ends the reading where nobody has said yet which sheet the rows came
// from: with the one that the first row names.
func (c *check) askOrigin(src source, l *layout) error {
	if c.o.Origin != nil {
		return nil
	}
	for {
		row, err := src.Next()
		if errors.Is(err, io.EOF) {
			return &OriginError{}
		}
		if err != nil {
			return err
		}
		if id := cellAt(row, l.origin[0]); id != "" {
			return &OriginError{id}
		}
	}
}

func cellAt(row ingest.Row, at int) string {
	if at < 0 || at >= len(row.Cells) {
		return ""
	}
	return visible.Trim(row.Cells[at])
}

// origin reads where the row came from: its row there, or 0.
func (r *rowReader) origin() (row int) {
	if r.o.Origin == nil || !r.layout.hasOrigin() {
		return 0
	}
	sheet, number := cellAt(r.row, r.layout.origin[0]), cellAt(r.row, r.layout.origin[1])
	if sheet == "" && number == "" {
		return 0
	}
	row, err := strconv.Atoi(number)
	switch {
	case sheet == "" || err != nil || row < 1:
		r.findAt(r.layout.origin[1], columnCount, codeOriginMalformed, number, OriginSheetColumn+" and "+OriginRowColumn+" do not tell a sheet and a row of it")
	case sheet != r.o.Origin.SheetID:
		r.findAt(r.layout.origin[0], columnCount, codeOriginOther, sheet, fmt.Sprintf("the row came from another sheet than those above it, which came from %s", r.o.Origin.SheetID))
	}
	return row
}

// sameOrigin refuses rows that came from one row: each debt is there once.
func (c *check) sameOrigin(from int, entry *refEntry) {
	if from == 0 {
		return
	}
	first, again := c.origins[from]
	if !again {
		c.origins[from] = origin{c.reader.number, strings.Clone(c.reader.payout.Ref), entry}
		return
	}
	c.refuseOrigin(first, from, c.reader.number)
	c.refuseOrigin(origin{c.reader.number, strings.Clone(c.reader.payout.Ref), entry}, from, first.row)
}

// origin is a row that came from one of another sheet.
type origin struct {
	row   int
	ref   string
	entry *refEntry // nil where it has no reference
}

func (c *check) refuseOrigin(o origin, from, other int) {
	c.found.add(ledger.Finding{Row: o.row, Ref: o.ref, Code: codeOriginRepeated, Value: strconv.Itoa(from),
		Message: fmt.Sprintf("row %d came from the same row %d", other, from)})
	c.rejected = append(c.rejected, o.row)
	delete(c.left, o.row)
	if o.entry != nil && o.entry.group == noGroup {
		o.entry.group = refused
		c.withdraw(o.entry)
	}
}

// ColumnsAt tells where the columns of a header stand, counted from 0, by their
// canonical names.
func ColumnsAt(o Options, header []string) (map[string]int, error) {
	words, err := newVocabulary(o)
	if err != nil {
		return nil, err
	}
	at := map[string]int{}
	l := words.read(1, slices.Clone(header))
	for c, i := range l.at {
		if i >= 0 {
			at[columnNames[c]] = i
		}
	}
	return at, nil
}
