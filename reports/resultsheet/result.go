package resultsheet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// resultColumns are the columns that a result sheet adds to each row.
var resultColumns = []column{
	{"payrun_status", 17}, {"payrun_utr", 22}, {"payrun_batch", 33}, {"payrun_attempt", 15}, {"payrun_reason", 42}, {"payrun_fix", 56},
}

// The text of a result sheet for a row that was not loaded.
const (
	leftOutStatus = "not loaded"
	leftOutReason = "the row had errors when the sheet was loaded and was left out"
	leftOutFix    = "Correct the row and load it in a sheet of its own."
)

// Results returns the function for reports.Options.Results. It writes NAME.result.xlsx for every sheet and
// returns the names. open opens a sheet as it was loaded.
func Results(open func(ctx context.Context, sheet ledger.Sheet) (Rows, error)) func(context.Context, *reports.Snapshot, *folder.Folder) ([]string, error) {
	return func(ctx context.Context, at *reports.Snapshot, dir *folder.Folder) ([]string, error) {
		var written []string
		names := resultNames(at.Loaded())
		for _, sheet := range at.Loaded() {
			if !at.Has(sheet) {
				continue
			}
			name := names[sheet.ID]
			o := output{sheet: sheet, columns: resultColumns, title: "Result of " + reports.Clean(sheet.Name), stamp: at.At()}
			write := func(ext string, payouts iter.Seq2[reports.Result, error]) error {
				return o.write(dir, name+ext, func() (Rows, error) { return open(ctx, sheet) }, func(rows Rows, l *layout, add addRow) error {
					return join(ctx, at, sheet, payouts, rows, l, add)
				})
			}
			ext := extXLSX
			err := write(ext, at.Results(sheet))
			if errors.Is(err, errTooLarge) { // too large for a workbook
				ext = extCSV
				err = write(ext, at.ResultsAgain(ctx, sheet))
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			written = append(written, name+ext)
		}
		return written, nil
	}
}

// join reads the sheet and its payouts in step, both in row order, and holds neither in memory.
func join(ctx context.Context, at *reports.Snapshot, sheet ledger.Sheet, payouts iter.Seq2[reports.Result, error], rows Rows, l *layout, add addRow) error {
	// Payouts of other sheets: those that the rows correct, and those that left-out rows became in a later
	// sheet.
	elsewhere := map[int]reports.Result{}
	err := at.EachElsewhere(ctx, sheet, func(row int, p reports.Result) error {
		elsewhere[row] = p
		return nil
	})
	if err != nil {
		return err
	}
	next, stop := iter.Pull2(payouts)
	defer stop()
	p, err, left := next()
	var ours []xlsx.Cell // of the current row
	var held *ingest.Row // a row without payout: the total row if nothing follows
	release := func() error {
		if held == nil {
			return nil
		}
		row := *held
		held = nil
		return add(row.Number, l.row(row, notLoaded(row.Number, elsewhere)))
	}
	for err == nil {
		row, ended := rows.Next()
		switch {
		case ended != nil && !errors.Is(ended, io.EOF):
			return ended
		case left && (ended != nil || row.Number > p.Row):
			return fmt.Errorf("%w: the sheet as it was loaded has no row %d", ledger.ErrLedgerDamaged, p.Row)
		case ended != nil && held != nil && sheet.HasTotal:
			return add(held.Number, l.alone(*held))
		case ended != nil:
			return release()
		case left && row.Number == p.Row:
			ours = appendCells(ours[:0], p)
			if err = errors.Join(release(), add(row.Number, l.row(row, ours))); err == nil {
				p, err, left = next()
			}
		case row.Filled() == 0: // the missing row number is the gap
		case row.Number < sheet.Header:
			err = add(row.Number, l.alone(row))
		case row.Number == sheet.Header:
			err = add(row.Number, l.head(row))
		default:
			err = release()
			row.Cells, row.Kinds, row.Styles = slices.Clone(row.Cells), slices.Clone(row.Kinds), slices.Clone(row.Styles)
			held = &row
		}
	}
	return err
}

// notLoaded returns the cells for a row without a payout in its sheet: it is a payout of another sheet, or was
// left out.
func notLoaded(row int, elsewhere map[int]reports.Result) []xlsx.Cell {
	if p, ok := elsewhere[row]; ok {
		p.Reason = elsewhereWords(p)
		return appendCells(nil, p)
	}
	return []xlsx.Cell{
		xlsx.Text(leftOutStatus).In(xlsx.StyleNotPaid), xlsx.Blank(), xlsx.Blank(), xlsx.Blank(), xlsx.Wrapped(leftOutReason), xlsx.Wrapped(leftOutFix),
	}
}

// elsewhereWords name the payout of the row, and the reason for its state.
func elsewhereWords(p reports.Result) string {
	words := fmt.Sprintf("payout %s of %s, row %d", p.Ref, p.SheetID, p.Row)
	if p.Reason != "" {
		words += ": " + p.Reason
	}
	return words
}

// appendCells appends the cells for a payout, in the order of resultColumns.
func appendCells(to []xlsx.Cell, p reports.Result) []xlsx.Cell {
	reason := p.Reason
	if p.Sends != "" {
		reason = strings.TrimPrefix(reason+"; "+p.Sends, "; ")
	}
	return append(to,
		xlsx.Text(string(p.State)).In(p.Style), xlsx.Text(p.BankTxnRefID), xlsx.Text(p.BatchID), xlsx.Count(p.Number),
		xlsx.Wrapped(reason), xlsx.Wrapped(p.Fix))
}
