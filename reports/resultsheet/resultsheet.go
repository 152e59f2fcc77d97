// Package resultsheet returns people's own sheets to them. NAME.result.xlsx says what happened to each row
// (result.go), NAME.rejected.xlsx has the rows that were left out, to be corrected (rejected.go), and a
// template is an empty sheet to begin with (template.go). The returned sheets have the person's own columns and
// order, and full account numbers.
//
// A cell is returned exactly as it was: read again, it is the same (cell.go; csv.go for what a CSV cannot
// hold). Our columns come after the person's (layout.go).
package resultsheet

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/folder"
)

// Rows gives the rows of the person's sheet as the program reads it, including titles, header, blank rows and
// total row. *ingest.Sheet implements it.
type Rows interface {
	// Next returns the next row, io.EOF after the last.
	Next() (ingest.Row, error)
	// NumberFormat returns how a style of a row's cells shows numbers.
	NumberFormat(style int) ingest.NumberFormat
	// ColumnWidth returns the width of a column, counted from 0, in characters; 0 if the sheet does not give
	// it. It is known once Next has returned a row.
	ColumnWidth(column int) float64
	// SHA256 returns the hash of the bytes that were read, once Next has returned io.EOF.
	SHA256() string
	io.Closer
}

var _ Rows = (*ingest.Sheet)(nil)

// notCalculated replaces a formula without a saved value. Its value is unknown, and an empty cell would mean
// that it has none.
const notCalculated = "#N/A"

// cell is a cell of the person's that is returned.
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

// output is a sheet that is returned to a person.
type output struct {
	sheet   ledger.Sheet // the sheet of the rows
	columns []column     // ours
	again   bool         // it will be read again: a broken row stays broken, and a CSV keeps each cell, or ErrNotPlain
	title   string
	stamp   time.Time // of the workbook
}

// addRow adds row number n of an output. Rows come in ascending order.
type addRow = func(n int, line []placed) error

// write writes a sheet as a draft of dir, in the format of the name's extension. fill reads the rows to their end.
// write fails unless their bytes are those that were loaded or refused.
func (o output) write(dir *folder.Folder, name string, open func() (Rows, error), fill func(Rows, *layout, addRow) error) (err error) {
	rows, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	l := &layout{output: o, asXLSX: filepath.Ext(name) != extCSV}
	var add addRow
	var finish func() error
	if l.asXLSX {
		b, err := newBook(dir, l, rows)
		if err != nil {
			return err
		}
		defer func() { _ = b.Close() }()
		add, finish = b.write, func() error { return b.finish(dir, name) }
	} else {
		w, err := reports.NewCSV(dir)
		if err != nil {
			return err
		}
		s := &csvSheet{CSV: w, exact: o.again}
		add, finish = s.write, func() error { return w.Finish(name) }
	}
	if err := fill(rows, l, add); err != nil {
		return err
	}
	if rows.SHA256() != o.sheet.SHA256 {
		return fmt.Errorf("%s is no longer the sheet that was read", reports.Clean(o.sheet.Name))
	}
	return finish()
}
