package resultsheet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/reports"
	"payrun/reports/folder"
	"payrun/reports/xlsx"
)

// Rejected lists the rows of a sheet to return, and why.
type Rejected struct {
	Sheet    ledger.Sheet     // ID, Name, SHA256, Format, Tab and Header
	Rows     []int            // their numbers, ascending
	Findings []ledger.Finding // by row; those of other rows are ignored
	Dirs     []string         // where the sheet may go: the first one that is writable is used
	At       time.Time
	// Now has the new text of cells that are replaced, by row and column, counted from 0; nil for none.
	Now map[int]map[int]string

	payouts bool // the rows are payouts to correct, not rows that were left out
}

// rejectedColumns are the columns that say what to do, which the reader ignores, and the two that say where the row
// came from, which it knows. So the sheet can be loaded as it is, once its rows are corrected.
var rejectedColumns = []column{{"payrun_reason", 48}, {"payrun_fix", 60}, {"payrun_sheet", 15}, {"payrun_row", 11}}

// RejectedSheet is a sheet of rejected rows that is complete and durable, but has no name yet.
type RejectedSheet struct {
	dir  *folder.Folder
	file string // its name among the drafts
}

// WriteRejected writes the rejected rows in the person's own columns, order and formats, with the titles and
// the header: as CSV if the sheet is a CSV that can hold all cells safely, else as XLSX. Keep gives it its
// name, NAME.rejected.xlsx or .csv. The rows are opened more than once.
func WriteRejected(ctx context.Context, r Rejected, open func() (Rows, error)) (*RejectedSheet, error) {
	s := &RejectedSheet{}
	err := s.findPlace(r.Dirs)
	if err == nil {
		err = s.write(ctx, r, open)
	}
	if err != nil {
		s.Discard()
		return nil, fmt.Errorf("the sheet of rejected rows: %w", err)
	}
	return s, nil
}

// findPlace takes the first folder in which a new file can be created.
func (s *RejectedSheet) findPlace(dirs []string) error {
	var errs []error
	for _, dir := range dirs {
		s.dir = folder.At(dir)
		_, err := s.dir.Unnamed()
		if err == nil {
			return nil
		}
		s.dir.Discard()
		errs = append(errs, fmt.Errorf("%s cannot be written to: %w", dir, err))
	}
	return errors.Join(errs...)
}

func (s *RejectedSheet) write(ctx context.Context, r Rejected, open func() (Rows, error)) error {
	s.file = RejectedName(r.Sheet)
	err := r.writeAs(ctx, s.dir, s.file, open)
	if errors.Is(err, ErrNotPlain) {
		s.file = strings.TrimSuffix(s.file, extCSV) + extXLSX
		err = r.writeAs(ctx, s.dir, s.file, open)
	}
	if err != nil {
		return err
	}
	return s.dir.Settle(s.file)
}

// writeAs writes the rows in the format of the name's extension.
func (r Rejected) writeAs(ctx context.Context, d *folder.Folder, name string, open func() (Rows, error)) error {
	o := output{sheet: r.Sheet, columns: rejectedColumns, again: true, title: "Rows left out of " + reports.Clean(r.Sheet.Name), stamp: r.At}
	return o.write(d, name, open, func(rows Rows, l *layout, add addRow) error { return r.pick(ctx, l, rows, add) })
}

// pick writes the titles, the header and the rejected rows, without gaps.
func (r Rejected) pick(ctx context.Context, l *layout, rows Rows, add addRow) error {
	left, next := r.Rows, r.Sheet.Header
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		row, err := rows.Next()
		switch {
		case errors.Is(err, io.EOF) && len(left) == 0:
			return nil
		case errors.Is(err, io.EOF):
			return fmt.Errorf("row %d is no longer there", left[0])
		case err != nil:
			return err
		}
		switch {
		case row.Number < r.Sheet.Header && row.Filled() > 0:
			err = add(row.Number, l.alone(row))
		case row.Number == r.Sheet.Header:
			err = add(row.Number, l.head(row))
		case len(left) > 0 && row.Number == left[0]:
			left, next = left[1:], next+1
			line := r.line(l, row)
			markWrong(line, ledger.FindingsAbout(row.Number, r.Findings))
			err = add(next, line)
		case len(left) > 0 && row.Number > left[0]:
			err = fmt.Errorf("row %d is no longer there", left[0])
		}
		if err != nil {
			return err
		}
	}
}

// moveCells keeps a row with too few cells refused in a workbook, where it would look like a row whose last
// cells are empty.
const moveCells = "This row had %d cells under %d headers. Move each cell under its own header, then clear this one."

func (r Rejected) line(l *layout, row ingest.Row) []placed {
	reason, fix := r.words(row.Number)
	sheet, number := r.from(l, row)
	line := l.row(r.now(row), []xlsx.Cell{xlsx.Wrapped(reason), xlsx.Wrapped(fix), xlsx.Text(sheet), xlsx.Text(number)})
	if l.asXLSX && l.isShort(row) {
		line = append(line, placed{isOurs: true, ours: xlsx.Wrapped(fmt.Sprintf(moveCells, len(row.Cells), l.width))})
	}
	return line
}

// from returns the sheet and row that a row came from: as the row itself says, if it was left out before, else
// this sheet. A row that is a payout of this sheet always came from here.
func (r Rejected) from(l *layout, row ingest.Row) (sheet, number string) {
	sheetAt, rowAt := l.at[2], l.at[3] // of rejectedColumns
	if !r.payouts && sheetAt < l.width && rowAt < l.width && max(sheetAt, rowAt) < len(row.Cells) && row.Text(sheetAt) != "" {
		return row.Cells[sheetAt], row.Cells[rowAt]
	}
	return r.Sheet.ID, strconv.Itoa(row.Number)
}

// now returns the row with its replaced cells.
func (r Rejected) now(row ingest.Row) ingest.Row {
	cells := r.Now[row.Number]
	if len(cells) == 0 {
		return row
	}
	row.Cells, row.Kinds = slices.Clone(row.Cells), slices.Clone(row.Kinds)
	for at, text := range cells {
		for row.Kinds == nil && len(row.Cells) <= at {
			row.Cells = append(row.Cells, "")
		}
		if at < len(row.Cells) {
			row.Cells[at] = text
		}
		if at < len(row.Kinds) {
			row.Kinds[at] = ingest.Text
		}
	}
	return row
}

// words say why the row was rejected and what to do. Neither is ever empty, so that a row with too many cells
// keeps its length.
func (r Rejected) words(row int) (reason, fix string) {
	var reasons, fixes []string
	for _, f := range ledger.FindingsAbout(row, r.Findings) {
		if f.Severity != ledger.SeverityError {
			continue
		}
		why := f.Message
		if f.Column != "" {
			why = f.Column + ": " + why
		}
		reasons = append(reasons, reports.Clean(why))
		if fix := reports.Clean(f.Fix); !slices.Contains(fixes, fix) {
			fixes = append(fixes, fix)
		}
	}
	if len(reasons) == 0 { // the list of findings reached its limit
		return fmt.Sprintf("row %d of %s has errors", row, reports.Clean(r.Sheet.Name)), "Run payrun check on this sheet: it lists them."
	}
	return fmt.Sprintf("row %d of %s: %s", row, reports.Clean(r.Sheet.Name), strings.Join(reasons, "; ")), strings.Join(fixes, " ")
}

// Keep gives the sheet its name and returns its path. It never replaces a sheet, because a person may be
// correcting it; the new one is then NAME.rejected-2. If no name can be given, the path is the temporary one.
func (s *RejectedSheet) Keep() (string, error) {
	ext := filepath.Ext(s.file)
	for n := 1; ; n++ {
		name := strings.TrimSuffix(s.file, ext)
		if n > 1 {
			name += "-" + strconv.Itoa(n)
		}
		path, err := s.dir.Keep(s.file, name+ext)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			path = s.dir.Forget(s.file)
		}
		s.dir.Discard()
		return path, err
	}
}

// Discard removes the sheet, unless it was kept. It accepts nil.
func (s *RejectedSheet) Discard() {
	if s != nil {
		s.dir.Discard()
	}
}

// WriteToCorrect writes rows of a sheet to path, a new .csv or .xlsx (else fs.ErrExist), in the person's own
// columns, order and formats, as WriteRejected does. It returns ErrNotPlain if a CSV cannot hold them.
func WriteToCorrect(ctx context.Context, r Rejected, path string, open func() (Rows, error)) error {
	r.payouts = true
	err := folder.New(path, func(d *folder.Folder, name string) error { return r.writeAs(ctx, d, name, open) })
	if err != nil {
		return fmt.Errorf("the sheet to correct: %w", err)
	}
	return nil
}
