package resultsheet

import (
	"errors"
	"path/filepath"
	"time"

	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/folder"
)

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

// write writes a sheet as a draft of dir, in the format of the name's extension. fill gets the rows of exactly
// the bytes that were loaded or refused.
func (o output) write(dir *folder.Folder, name string, open func() (Rows, error), fill func(Rows, *layout, addRow) error) (err error) {
	rows, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	rows = own{rows, o.sheet}
	l := &layout{output: o, asXLSX: filepath.Ext(name) != extCSV}
	if !l.asXLSX {
		w, err := reports.NewCSV(dir)
		if err == nil {
			s := &csvSheet{CSV: w, exact: o.again}
			err = fill(rows, l, s.write)
		}
		if err != nil {
			return err
		}
		return w.Finish(name)
	}
	b, err := newBook(dir, l, rows)
	if err != nil {
		return err
	}
	defer func() { _ = b.Close() }()
	if err := fill(rows, l, b.write); err != nil {
		return err
	}
	out, err := dir.Create(name)
	if err != nil {
		return err
	}
	return b.finish(out)
}
