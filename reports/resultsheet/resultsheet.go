// Package resultsheet gives people their own sheets back: NAME.result.xlsx says
// of each row what became of it (result.go), NAME.rejected.xlsx is the rows that
// were left out, to be corrected (rejected.go), and a template is a sheet to
// begin with (template.go). They have the person's own columns and order, and
// accounts in full.
//
// A cell goes back exactly as it is: read again, it is the same (cell.go, and
// what a CSV cannot hold, csv.go). Our columns stand behind the person's
// (layout.go).
package resultsheet

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports"
)

// Rows gives the rows of the sheet that the person made, as the program reads
// it: titles, header, blank rows and total row included. *ingest.Sheet does.
type Rows interface {
	// Next gives the next row, io.EOF after the last.
	Next() (ingest.Row, error)
	// NumberFormat returns how a style of a row's cells shows numbers.
	NumberFormat(style int) ingest.NumberFormat
	// ColumnWidth is how wide a column is, in characters, counted from 0; 0 where
	// the sheet does not say. It is known once Next has given a row.
	ColumnWidth(column int) float64
	// SHA256 of the bytes that were read, once Next has returned io.EOF.
	SHA256() string
	io.Closer
}

var _ Rows = (*ingest.Sheet)(nil)

// own is the rows of the very bytes that were loaded, or refused.
type own struct {
	Rows
	sheet ledger.Sheet
}

func (o own) Next() (ingest.Row, error) {
	row, err := o.Rows.Next()
	if errors.Is(err, io.EOF) && o.SHA256() != o.sheet.SHA256 {
		return ingest.Row{}, fmt.Errorf("%s is no longer the sheet that was read", reports.Clean(o.sheet.Name))
	}
	return row, err
}

// notCalculated replaces a formula without a saved value: its value is unknown, and an empty cell
// would mean that there is none.
const notCalculated = "#N/A"

// cell is one of the person's, on its way back.
type cell struct {
	text  string // a number as its digits, a date as 2006-01-02 or 2006-01-02 15:04:05
	kind  ingest.Kind
	style int // for Rows.NumberFormat
}

func cellOf(row ingest.Row, i int) cell {
	if row.Kinds == nil { // a CSV
		return cell{text: row.Cells[i]}
	}
	if row.Kinds[i] == ingest.FormulaEmpty {
		return cell{text: notCalculated, kind: ingest.Error}
	}
	return cell{row.Cells[i], row.Kinds[i], row.Styles[i]}
}

// isBlank knows the spaces that the reader drops, so that a cell of spaces is
// as empty here as it is there.
func (c cell) isBlank() bool { return strings.TrimSpace(c.text) == "" }

// lastFilled is how many cells there are up to the last that holds something.
func lastFilled(row ingest.Row) int {
	for i := len(row.Cells) - 1; i >= 0; i-- {
		if !cellOf(row, i).isBlank() {
			return i + 1
		}
	}
	return 0
}
