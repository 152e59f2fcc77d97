package reports

import (
	"io"
	"strings"
)

// OwnRows gives the rows of the sheet that the person made, as the program
// reads it: titles, header, blank rows and total row included.
type OwnRows interface {
	// Next gives the next row, io.EOF after the last. What it gave is valid
	// until the next call.
	Next() (OwnRow, error)
	io.Closer
}

// OwnRow is one of them, by its number in the spreadsheet program.
type OwnRow struct {
	Number int
	Cells  []OwnCell
}

// OwnCell is what a cell of the person's sheet holds. It goes back exactly as
// it is: read again, it is the same.
type OwnCell struct {
	Text   string // a number as its digits, a date as 2006-01-02 or 2006-01-02 15:04:05
	Kind   OwnKind
	Format OwnFormat // of a number or a date
}

// OwnKind says what Text stands for.
type OwnKind uint8

const (
	OwnText   OwnKind = iota // as typed; also what a formula gave as text
	OwnNumber                // digits
	OwnDate
	OwnBool  // TRUE or FALSE
	OwnError // #N/A, …: the cell has no value that can be read
)

// OwnFormat is how the cell shows its number: by a code, or where that is ""
// by the number of a format that every spreadsheet program has; 0 is General.
type OwnFormat struct {
	ID   int
	Code string
}

// lastFilled is how many cells there are up to the last that holds something.
func (r OwnRow) lastFilled() int {
	for i := len(r.Cells) - 1; i >= 0; i-- {
		if !r.Cells[i].isBlank() {
			return i + 1
		}
	}
	return 0
}

// isBlank knows the spaces that the reader drops, so that a cell of spaces is
// as empty here as it is there.
func (c OwnCell) isBlank() bool { return strings.TrimSpace(c.Text) == "" }
