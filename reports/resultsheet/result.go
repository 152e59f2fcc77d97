package resultsheet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// resultColumns are what a result sheet says of each row.
var resultColumns = []column{
	{"payrun_status", 17}, {"payrun_utr", 22}, {"payrun_batch", 33}, {"payrun_attempt", 15}, {"payrun_reason", 42}, {"payrun_fix", 56},
}

// leftOut is what a result sheet says of a row that was not loaded.
const (
	leftOutStatus = "not loaded"
	leftOutReason = "the row had errors when the sheet was loaded and was left out"
	leftOutFix    = "Correct the row and load it in a sheet of its own."
)

// Results returns what reports.Options.Results asks for: it writes
// NAME.result.xlsx for every sheet, and returns the names. open opens a sheet as it
// was loaded.
func Results(open func(ctx context.Context, sheet ledger.Sheet) (Rows, error)) func(context.Context, *reports.Snapshot, *folder.Folder) ([]string, error) {
	return func(ctx context.Context, at *reports.Snapshot, dir *folder.Folder) ([]string, error) {
		var written []string
		names := resultNames(at.Loaded())
		for _, sheet := range at.Loaded() {
			if !at.Has(sheet) {
				continue
			}
			name := names[sheet.ID]
			o := output{sheet: sheet, columns: resultColumns, title: "Result of " + reports.Clean(sheet.Name), at: at.At()}
			write := func(ext string) error {
				return o.write(dir, name+ext, func() (Rows, error) { return open(ctx, sheet) }, func(rows Rows, l *layout, s sink) error {
					return join(ctx, at, sheet, rows, l, s.write)
				})
			}
			ext := extXLSX
			err := write(ext)
			if errors.Is(err, errTooLarge) { // no workbook has room for it
				ext = extCSV
				err = write(ext)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			written = append(written, name+ext)
		}
		return written, nil
	}
}

// join goes down the sheet and down its payouts, both in the order of the
// rows, and holds neither.
func join(ctx context.Context, at *reports.Snapshot, sheet ledger.Sheet, rows Rows, l *layout, write func(int, []placed) error) error {
	j := &resultJoin{rows: rows, sheet: sheet, layout: l, write: write, elsewhere: map[int]reports.Result{}}
	err := at.EachElsewhere(ctx, sheet, func(row int, p reports.Result) error {
		j.elsewhere[row] = p
		return nil
	})
	if err != nil {
		return err
	}
	if err := at.EachResult(ctx, sheet, j.payout); err != nil {
		return err
	}
	return j.rest()
}

type resultJoin struct {
	rows   Rows
	sheet  ledger.Sheet
	layout *layout
	write  func(int, []placed) error
	ours   []xlsx.Cell // room for what is said of a payout
	// elsewhere are the payouts of other sheets that rows stand for: those that the rows
	// correct, and what rows that were left out became.
	elsewhere map[int]reports.Result
	held      *ingest.Row // a row without payout that is the total row if nothing follows
}

// payout writes every row up to that of the payout.
func (j *resultJoin) payout(p reports.Result) error {
	for {
		row, err := j.rows.Next()
		switch {
		case err != nil && !errors.Is(err, io.EOF):
			return err
		case err != nil, row.Number > p.Row:
			return fmt.Errorf("%w: the sheet as it was loaded has no row %d", ledger.ErrLedgerDamaged, p.Row)
		case row.Number < p.Row:
			if err := j.other(row); err != nil {
				return err
			}
			continue
		}
		if err := j.release(); err != nil {
			return err
		}
		return j.write(row.Number, j.layout.row(row, j.cells(p)))
	}
}

// rest writes what follows the last payout.
func (j *resultJoin) rest() error {
	for {
		row, err := j.rows.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := j.other(row); err != nil {
			return err
		}
	}
	if j.held != nil && j.sheet.HasTotal {
		return j.write(j.held.Number, j.layout.alone(*j.held))
	}
	return j.release()
}

// other writes a row that has no payout. A blank row is the gap it leaves.
func (j *resultJoin) other(row ingest.Row) error {
	switch {
	case lastFilled(row) == 0:
		return nil
	case row.Number < j.sheet.Header:
		return j.write(row.Number, j.layout.alone(row))
	case row.Number == j.sheet.Header:
		return j.write(row.Number, j.layout.head(row))
	}
	if err := j.release(); err != nil {
		return err
	}
	row.Cells, row.Kinds, row.Styles = slices.Clone(row.Cells), slices.Clone(row.Kinds), slices.Clone(row.Styles)
	j.held = &row
	return nil
}

// release writes the row that was held back: it was left out of the load.
func (j *resultJoin) release() error {
	if j.held == nil {
		return nil
	}
	row := *j.held
	j.held = nil
	if p, ok := j.elsewhere[row.Number]; ok {
		p.Reason = elsewhereWords(p)
		return j.write(row.Number, j.layout.row(row, j.cells(p)))
	}
	return j.write(row.Number, j.layout.row(row, []xlsx.Cell{
		xlsx.Text(leftOutStatus).In(xlsx.StyleNotPaid), xlsx.Blank(), xlsx.Blank(), xlsx.Blank(), xlsx.Wrapped(leftOutReason), xlsx.Wrapped(leftOutFix),
	}))
}

// elsewhereWords name the payout of the row, and its result.
func elsewhereWords(p reports.Result) string {
	words := fmt.Sprintf("payout %s of %s, row %d", p.Ref, p.SheetID, p.Row)
	if p.Reason != "" {
		words += ": " + p.Reason
	}
	return words
}

// cells are what is said of a payout, in the order of resultColumns. They are the next
// payout's when it is asked for.
func (j *resultJoin) cells(p reports.Result) []xlsx.Cell {
	j.ours = append(j.ours[:0],
		xlsx.Text(string(p.State)).In(p.Style), xlsx.Text(p.BankTxnRefID), xlsx.Text(p.BatchID), xlsx.Count(p.Number),
		xlsx.Wrapped(p.Reason), xlsx.Wrapped(p.Fix),
	)
	return j.ours
}
