package resultsheet

import (
	"errors"
	"fmt"
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
