package reports

import (
	"context"
	"errors"
	"fmt"
	"io"

	"payrun/ledger"
)

// resultColumns are what a result sheet says of each row.
func resultColumns() []ownColumn {
	return []ownColumn{
		{"payrun_status", 17}, {"payrun_utr", 22}, {"payrun_batch", 33}, {"payrun_attempt", 15}, {"payrun_reason", 42}, {"payrun_fix", 56},
	}
}

// leftOut is what a result sheet says of a row that was not loaded.
const (
	leftOutStatus = "not loaded"
	leftOutReason = "the row had errors when the sheet was loaded, and was left out"
	leftOutFix    = "Correct the row and load it as a sheet of its own."
)

// writeResults writes NAME.result.xlsx for every sheet whose own rows are
// there, and returns the names.
func writeResults(ctx context.Context, l Ledger, dir *folder, s *scope) ([]string, error) {
	if s.Own == nil {
		return nil, nil
	}
	var written []string
	for _, sheet := range s.sheets {
		name, err := writeResult(ctx, l, dir, s, sheet)
		if errors.Is(err, ledger.ErrNotFound) {
			continue // loaded by a program that did not keep the bytes
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.resultNames[sheet.ID], err)
		}
		written = append(written, name)
	}
	return written, nil
}

// writeResult writes one result sheet: a workbook, or a CSV where no workbook
// has room for it.
func writeResult(ctx context.Context, l Ledger, dir *folder, s *scope, sheet ledger.Sheet) (string, error) {
	name := s.resultNames[sheet.ID]
	err := resultBook(ctx, l, dir, s, sheet, name+extXLSX)
	if !errors.Is(err, errTooLarge) {
		return name + extXLSX, err
	}
	return name + extCSV, resultCSV(ctx, l, dir, s, sheet, name+extCSV)
}

func resultBook(ctx context.Context, l Ledger, dir *folder, s *scope, sheet ledger.Sheet, name string) error {
	layout := &ownLayout{columns: resultColumns(), header: sheet.Header, text: sheet.Format == "csv", asXLSX: true}
	b, err := newOwnBook(dir, layout)
	if err != nil {
		return err
	}
	defer b.close()
	if err := joinResult(ctx, l, s, sheet, layout, b.write); err != nil {
		return err
	}
	out, err := dir.create(name)
	if err != nil {
		return err
	}
	return b.finish(out, tabName(sheet), "Result of "+sheet.Name, s.head.At)
}

func resultCSV(ctx context.Context, l Ledger, dir *folder, s *scope, sheet ledger.Sheet, name string) error {
	layout := &ownLayout{columns: resultColumns(), header: sheet.Header, text: sheet.Format == "csv"}
	rows, err := dir.scratch()
	if err != nil {
		return err
	}
	w := newOwnCSV(rows.Writer, false)
	if err := joinResult(ctx, l, s, sheet, layout, w.write); err != nil {
		return err
	}
	if err := w.finish(); err != nil {
		return err
	}
	out, err := dir.create(name)
	if err != nil {
		return err
	}
	return w.copyWithMark(out, rows)
}

// joinResult goes down the sheet and down its payouts, both in the order of
// the rows, and holds neither.
func joinResult(ctx context.Context, l Ledger, s *scope, sheet ledger.Sheet, layout *ownLayout, write func(int, []ownCell) error) error {
	own, err := s.Own(ctx, sheet)
	if err != nil {
		return err
	}
	j := &resultJoin{own: own, sheet: sheet, layout: layout, write: write}
	err = l.EachPayout(ctx, ledger.Filter{SheetID: sheet.ID}, func(a ledger.Attempt) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		cleanAttempt(&a)
		return j.payout(a, s.batch(a.BatchID))
	})
	if err == nil {
		err = j.rest()
	}
	return errors.Join(err, own.Close())
}

type resultJoin struct {
	own    OwnRows
	sheet  ledger.Sheet
	layout *ownLayout
	write  func(int, []ownCell) error
	held   *OwnRow // a row without payout that is the total row if nothing follows
}

// payout writes every row up to that of the payout.
func (j *resultJoin) payout(a ledger.Attempt, b ledger.Batch) error {
	for {
		row, err := j.own.Next()
		switch {
		case errors.Is(err, io.EOF):
			return fmt.Errorf("%w: the sheet as it was loaded has no row %d", ledger.ErrLedgerDamaged, a.Row)
		case err != nil:
			return err
		case row.Number > a.Row:
			return fmt.Errorf("%w: the sheet as it was loaded has no row %d", ledger.ErrLedgerDamaged, a.Row)
		case row.Number < a.Row:
			if err := j.other(row); err != nil {
				return err
			}
			continue
		}
		if err := j.release(); err != nil {
			return err
		}
		return j.write(row.Number, j.layout.row(row, resultCells(a, b)))
	}
}

// rest writes what follows the last payout.
func (j *resultJoin) rest() error {
	for {
		row, err := j.own.Next()
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
func (j *resultJoin) other(row OwnRow) error {
	switch {
	case row.lastFilled() == 0:
		return nil
	case row.Number < j.sheet.Header:
		return j.write(row.Number, j.layout.alone(row))
	case row.Number == j.sheet.Header:
		return j.write(row.Number, j.layout.head(row))
	}
	if err := j.release(); err != nil {
		return err
	}
	j.held = &OwnRow{Number: row.Number, Cells: append([]OwnCell(nil), row.Cells...)}
	return nil
}

// release writes the row that was held back: it was left out of the load.
func (j *resultJoin) release() error {
	if j.held == nil {
		return nil
	}
	row := *j.held
	j.held = nil
	return j.write(row.Number, j.layout.row(row, []cell{
		text(leftOutStatus).in(styleNotPaid), blank(), blank(), blank(), wrapped(leftOutReason), wrapped(leftOutFix),
	}))
}

// resultCells are what is said of a payout, in the order of resultColumns.
func resultCells(a ledger.Attempt, b ledger.Batch) []cell {
	k := classify(a, b)
	reason, fix := "", ""
	if k != kindNone {
		reason, fix = k.reason(a, b), k.fix(a.BatchID)
	}
	return []cell{
		text(string(a.State)).in(k.where().style()), text(a.BankTxnRefID), text(a.BatchID), count(a.Number), wrapped(reason), wrapped(fix),
	}
}
