package validate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"payrun/ingest"
	"payrun/ingest/visible"
	"payrun/ledger"
)

// The last two columns of a sheet that payrun returns: where each row came from.
const (
	OriginSheetColumn = "payrun_sheet"
	OriginRowColumn   = "payrun_row"
)

// OriginError says that the rows came from another sheet, and must be read as that sheet was.
type OriginError struct{ SheetID string }

func (e *OriginError) Error() string {
	return "its rows came from the sheet " + strconv.Quote(e.SheetID)
}

// placeOrigin records one of the two columns. ok is false for any other header.
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

// askOrigin ends the reading if the caller has not named the sheet that the rows came from. The error has the
// sheet that the first row names.
func (c *check) askOrigin(src *ingest.Sheet, l *layout) error {
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
		_, err = strconv.Atoi(row.Text(l.origin[1]))
		if id := row.Text(l.origin[0]); id != "" && err == nil { // a row with shifted cells shows nothing
			return &OriginError{id}
		}
	}
}

// ofUnknownSheet refuses rows of a sheet that the ledger does not have: nothing tells how they are read, and what
// became of them.
func (c *check) ofUnknownSheet() bool {
	from, l := c.o.Origin, &c.layout
	if from == nil || from.ID == "" || from.Rows > 0 || !l.hasOrigin() {
		return false
	}
	p := l.problem(OriginSheetColumn, codeOriginUnknown, l.origin[0], fmt.Sprintf("its rows came from the sheet %q, which is not in this ledger", visible.Shorten(from.ID)))
	p.Value = from.ID
	c.report(p)
	return true
}

// origin returns the number of the row that this row came from, or 0.
func (r *rowReader) origin() (row int) {
	if r.o.Origin == nil || !r.layout.hasOrigin() {
		return 0
	}
	sheet, number := r.row.Text(r.layout.origin[0]), r.row.Text(r.layout.origin[1])
	if sheet == "" && number == "" {
		return 0
	}
	row, err := strconv.Atoi(number)
	from := r.o.Origin
	switch last := from.Header + from.Rows + from.Blank + 1; { // 1 for the total row
	case from.ID != "" && sheet != "" && sheet != from.ID:
		r.findAt(r.layout.origin[0], OriginSheetColumn, codeOriginOther, sheet, fmt.Sprintf("the row came from another sheet than those above it, which came from %s", from.ID))
	case sheet == "" || err != nil || row <= from.Header || row > last:
		r.findAt(r.layout.origin[1], OriginRowColumn, codeOriginMalformed, number, OriginSheetColumn+" and "+OriginRowColumn+" do not tell a sheet and a row of it")
	}
	return row
}

// sameOrigin refuses rows that came from the same row: each debt is paid once.
func (c *check) sameOrigin(from int, entry refEntry) {
	if from == 0 {
		return
	}
	is := late{ledger.Finding{Row: c.reader.number, Ref: strings.Clone(c.reader.payout.Ref), Code: codeOriginRepeated, Value: strconv.Itoa(from)}, entry}
	first, again := c.origins[from]
	if !again {
		c.origins[from] = is
		return
	}
	first.Message = fmt.Sprintf("row %d came from the same row %d", is.Row, from)
	is.Message = fmt.Sprintf("row %d came from the same row %d", first.Row, from)
	c.reportLate(first)
	c.reportLate(is)
}

// askOrigins compares the rows of a chunk with the rows that they came from. A row that was loaded there is
// that payout; a row that was left out becomes a payout once.
func (c *check) askOrigins(ctx context.Context, rows []candidate) error {
	if c.past == nil {
		return nil
	}
	var asked []int
	for i := range rows {
		if rows[i].cameFrom > 0 {
			asked = append(asked, rows[i].cameFrom)
		}
	}
	if len(asked) == 0 {
		return nil
	}
	used, err := c.past.RowsUsed(ctx, c.o.Origin.ID, asked)
	if err != nil {
		return fmt.Errorf("asking where rows went: %w", err)
	}
	for i := range rows {
		r := &rows[i]
		use, ok := used[r.cameFrom]
		switch {
		case r.cameFrom == 0:
		case !ok:
			r.leftOut = true
			r.From = &ledger.RowOrigin{SheetID: c.o.Origin.ID, Row: r.cameFrom}
		case !use.Own:
			c.refuseReference(r, codeOriginLoaded, fmt.Sprintf("row %d of %s was loaded before: %s", r.cameFrom, c.o.Origin.ID, c.payoutWords(use.ReferenceUse)), "")
		case RefKey(use.Ref) != r.Key:
			c.refuseReference(r, codeCorrectOther, fmt.Sprintf("the row came from row %d of %s, whose payout is %s", r.cameFrom, c.o.Origin.ID, visible.Shorten(use.Ref)), "")
		default:
			r.own = true
		}
	}
	return nil
}

// ColumnsAt returns the positions of the columns of a header, from 0, by their canonical names.
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
