package app

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports/resultsheet"
	"payrun/validate"
)

// readingOf is what the ledger must remember to read the same bytes again: also
// what the configuration said of the columns, which may say something else by then.
func readingOf(o validate.Options, r validate.Result) ledger.ReadOptions {
	return ledger.ReadOptions{Encoding: o.Encoding, HiddenRows: string(o.Hidden), Columns: r.Columns}
}

// rejectedSheet writes the rows that a load leaves out, before the load is
// committed: when they cannot be given back, nothing is loaded. Nil where
// every row is loaded, and without dirs. They go into the first of dirs that can be
// written.
func (o *operation) rejectedSheet(ctx context.Context, s Sheet, options validate.Options, dirs []string) (*resultsheet.RejectedSheet, error) {
	if len(s.RejectedRows) == 0 || len(dirs) == 0 {
		return nil, nil
	}
	defer o.call.progress().Begin("writing the rows left out", "").End()
	r := resultsheet.Rejected{
		Sheet: s.Sheet, Rows: s.RejectedRows, Findings: s.Findings,
		Dirs: dirs, At: o.env.Now(),
	}
	options.Copy = nil
	return resultsheet.WriteRejected(ctx, r, func() (resultsheet.Rows, error) { return validate.Open(s.Path, options) })
}

// keepRejected gives that sheet its name, once the load is committed.
func (o *operation) keepRejected(s Sheet, left *resultsheet.RejectedSheet, dirs []string) (string, error) {
	if left == nil {
		return "", nil
	}
	path, err := left.Keep()
	if err != nil {
		return path, fmt.Errorf("%s is loaded; the rows left out are in %s, which could not be renamed: %w", s.Path, path, err)
	}
	if want := dirs[0]; filepath.Dir(path) != filepath.Clean(want) {
		o.warn("%s cannot be written to, so the rows left out are in %s", ledger.Plain(want), ledger.Plain(path))
	}
	return path, nil
}

// ownFile writes the bytes of a sheet from the ledger to a file of its own, which the
// caller removes, and tells how they are read.
func (o *operation) ownFile(ctx context.Context, sheet ledger.Sheet) (path string, options validate.Options, err error) {
	f, err := os.CreateTemp(o.folder, "payrun-sheet-*") // 0600
	if err != nil {
		return "", options, err
	}
	reading, err := o.store.SheetContents(ctx, sheet.ID, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", options, errors.Join(err, os.Remove(f.Name()))
	}
	options = o.asLoaded(sheet, reading)
	options.Limits.Rows, options.Limits.Columns, options.Limits.Bytes = math.MaxInt, math.MaxInt, math.MaxInt64 // it was within them when it was loaded
	options.PayoutMost = 0
	return f.Name(), options, nil
}

// ownSheet opens a sheet as it was loaded, from the bytes in the ledger.
func (o *operation) ownSheet(ctx context.Context, sheet ledger.Sheet) (resultsheet.Rows, error) {
	path, options, err := o.ownFile(ctx, sheet)
	if err != nil {
		return nil, err
	}
	kept := keptSheet{remove: func() { _ = os.Remove(path) }}
	if kept.Sheet, err = validate.Open(path, options); err != nil {
		kept.remove()
		return nil, err
	}
	kept.remove() // where a file that is open may be removed, nothing stays behind after a crash
	return kept, nil
}

// asLoaded are the options that read a sheet as it was read when it was loaded.
func (o *operation) asLoaded(sheet ledger.Sheet, reading ledger.ReadOptions) validate.Options {
	options := o.options(SheetOptions{})
	options.Tab, options.Encoding, options.Hidden, options.Map = sheet.Tab, reading.Encoding, ingest.HiddenRows(reading.HiddenRows), reading.Columns
	options.Columns, options.Profiles = nil, nil // reading.Columns says what they were
	return options
}

// keptSheet is a sheet in a file of its own, which goes when it is closed.
type keptSheet struct {
	*ingest.Sheet
	remove func()
}

func (s keptSheet) Close() error {
	defer s.remove()
	return s.Sheet.Close()
}

// warnOfResults warns of result sheets that are not what people expect.
func (o *operation) warnOfResults(paths []string) {
	for _, p := range paths {
		if strings.HasSuffix(p, ".result.csv") {
			o.warn("%s is a CSV because no workbook has room for so many rows", ledger.Plain(p))
		}
	}
}
