package cli

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
	"payrun/reports/sheetback"
	"payrun/validate"
)

// readingOf is what the ledger must remember to read the same bytes again.
func readingOf(o validate.Options) ledger.ReadOptions {
	return ledger.ReadOptions{Encoding: o.Encoding, HiddenRows: string(o.Hidden), Columns: o.Map}
}

// rejectedSheet writes the rows that a load leaves out, before the load is
// committed: when they cannot be given back, nothing is loaded. Nil where
// every row is loaded.
func (d *desk) rejectedSheet(ctx context.Context, in intake, o validate.Options) (*sheetback.RejectedSheet, error) {
	if len(in.RejectedRows) == 0 {
		return nil, nil
	}
	done := d.term.Progress("writing the rows left out")
	defer done()
	r := sheetback.Rejected{
		Sheet: in.Sheet, Rows: in.RejectedRows, Findings: in.Findings,
		Dirs: []string{filepath.Dir(in.path), "."}, At: d.world.Now(),
	}
	o.Copy = nil
	return sheetback.WriteRejected(ctx, r, func() (sheetback.Rows, error) { return validate.Open(in.path, o) })
}

// keepRejected gives that sheet its name, once the load is committed.
func (d *desk) keepRejected(in intake, left *sheetback.RejectedSheet) (string, error) {
	if left == nil {
		return "", nil
	}
	path, err := left.Keep()
	if err != nil {
		return path, fmt.Errorf("%s is loaded; the rows left out are in %s, which could not be renamed: %w", in.path, path, err)
	}
	if want := filepath.Dir(in.path); filepath.Dir(path) != want {
		d.term.Warn("%s cannot be written to, so the rows left out are in %s", ledger.Plain(want), ledger.Plain(path))
	}
	return path, nil
}

// ownSheet opens a sheet as it was loaded, from the bytes in the ledger.
func (d *desk) ownSheet(ctx context.Context, sheet ledger.Sheet) (_ sheetback.Rows, err error) {
	f, err := os.CreateTemp("", "payrun-sheet-*") // 0600
	if err != nil {
		return nil, err
	}
	kept := keptSheet{remove: func() { _ = os.Remove(f.Name()) }}
	defer func() {
		if err != nil {
			kept.remove()
		}
	}()
	reading, err := d.store.SheetContents(ctx, sheet.ID, f)
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	o := d.plainOptions()
	o.Tab, o.Encoding, o.Hidden, o.Map = sheet.Tab, reading.Encoding, ingest.HiddenRows(reading.HiddenRows), reading.Columns
	o.Limits.Rows, o.Limits.Columns, o.Limits.Bytes = math.MaxInt, math.MaxInt, math.MaxInt64 // it was within them when it was loaded
	if kept.Sheet, err = validate.Open(f.Name(), o); err != nil {
		return nil, err
	}
	kept.remove() // where a file that is open may be removed, nothing stays behind after a crash
	return kept, nil
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

// tellResults warns of result sheets that are not what people expect.
func (d *desk) tellResults(ctx context.Context, sheetID string, paths []string) error {
	sheets, err := d.store.Sheets(ctx)
	if err != nil {
		return err
	}
	asked, results := 0, 0
	for _, s := range sheets {
		if sheetID == "" || s.ID == sheetID {
			asked++
		}
	}
	for _, p := range paths {
		switch {
		case strings.HasSuffix(p, ".result.xlsx"):
			results++
		case strings.HasSuffix(p, ".result.csv"):
			results++
			d.term.Warn("%s is a CSV because no workbook has room for so many rows", ledger.Plain(p))
		}
	}
	if missing := asked - results; missing > 0 {
		d.term.Warn("%s no result sheet: loaded by a version of payrun that did not keep the sheet itself", ledger.Counted(missing, "sheet has", "sheets have"))
	}
	return nil
}
