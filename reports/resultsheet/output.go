package resultsheet

import (
	"errors"
	"path/filepath"
	"time"

	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/folder"
)

// output is a sheet that goes back to a person.
type output struct {
	sheet   ledger.Sheet // that the rows are of
	columns []column     // of ours
	again   bool         // it is to be read again: a broken row stays one, and a CSV has each cell as it is, or ErrNotPlain
	title   string
	at      time.Time
}

// sink takes the rows of an output, in ascending order.
type sink interface {
	// write adds row number n.
	write(n int, line []placed) error
	// markWrong marks what is to be corrected in the line that becomes row number row.
	markWrong(line []placed, found []ledger.Finding, row int)
}

// write writes a sheet among the drafts of dir, in the form of the name's extension. fill is
// given the rows of the very bytes that were loaded, or refused.
func (o output) write(dir *folder.Folder, name string, open func() (Rows, error), fill func(Rows, *layout, sink) error) (err error) {
	rows, err := open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	rows = own{rows, o.sheet}
	l := &layout{columns: o.columns, header: o.sheet.Header, text: o.sheet.Format == "csv", asXLSX: filepath.Ext(name) != extCSV, again: o.again}
	if !l.asXLSX {
		w, err := reports.NewCSV(dir)
		if err == nil {
			err = fill(rows, l, &csvSheet{CSV: w, exact: o.again})
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
	if err := fill(rows, l, b); err != nil {
		return err
	}
	out, err := dir.Create(name)
	if err != nil {
		return err
	}
	return b.finish(out, tabName(o.sheet), o.title, o.at)
}
