package app

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strings"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/validate"
)

// Part selects rows of a sheet in addition to its first ones: those after row After that have a finding
// of one kind, or any finding if Kind is "".
type Part struct {
	Kind  string
	After int
}

// Limits of one view, even for a large sheet.
const (
	firstRows   = 50  // below the header
	wrongRows   = 100 // with findings
	gridColumns = 24
	gridChars   = 80 // of a cell
	firstValues = 3  // of a column
)

// Grid is a part of a sheet, as people see it.
type Grid struct {
	Columns []GridColumn
	Hidden  int              // columns that are not read and do not fit
	First   []GridRow        // the first rows below the header
	Wrong   []GridRow        // rows with findings, as Part selects them
	About   []ledger.Finding // findings of Part's kind about the whole sheet, or about rows that cannot be shown
	Next    int              // Part.After for the next rows; 0 if there are none
	More    int              // more rows with findings
}

// GridColumn is a column of a sheet: its header, and what it is read as.
type GridColumn struct {
	At     string // its letters; "" for an element
	Header string
	Field  string   // "" if it is not read
	Values []string // its first values
	place  int      // as in validate.ReadColumn
}

// GridRow is a row of a sheet.
type GridRow struct {
	Number   int
	Cells    []GridCell // under Grid.Columns
	Findings []ledger.Finding
}

// GridCell is a cell. Account numbers are masked.
type GridCell struct {
	Text     string
	Severity ledger.Severity // of its worst finding; "" for none
}

// grid reads the part of a sheet that one view shows. What cannot be read is in the findings already.
func grid(path string, s *Sheet, part Part) (g Grid, err error) {
	g.Columns, g.Hidden = gridColumnsOf(s)
	wanted := g.choose(s, part)
	sheet, err := validate.Open(path, s.options)
	if err == nil {
		wanted, err = g.read(sheet, s, wanted)
		err = errors.Join(err, sheet.Close())
	}
	for _, row := range wanted { // the reader never reached these
		g.about(s, row)
	}
	if _, ok := errors.AsType[*ingest.Defect](err); ok {
		return g, nil
	}
	return g, err
}

// read reads the rows to be shown, and returns those that it did not reach.
func (g *Grid) read(sheet *ingest.Sheet, s *Sheet, wanted []int) ([]int, error) {
	for len(wanted) > 0 || len(g.First) < firstRows {
		row, err := sheet.Next()
		if errors.Is(err, io.EOF) {
			return wanted, nil
		}
		if err != nil {
			return wanted, err
		}
		if row.Number <= s.Sheet.Header || s.Sheet.Header == 0 || blank(row) {
			continue
		}
		for len(wanted) > 0 && wanted[0] < row.Number { // the reader skips some rows, such as hidden ones
			g.about(s, wanted[0])
			wanted = wanted[1:]
		}
		first, wrong := len(g.First) < firstRows, len(wanted) > 0 && wanted[0] == row.Number
		if !first && !wrong {
			continue
		}
		line := g.row(row, s)
		if first {
			g.First = append(g.First, line)
			g.value(line)
		}
		if wrong {
			g.Wrong, wanted = append(g.Wrong, line), wanted[1:]
		}
	}
	return wanted, nil
}

// about adds the findings about a row that is not shown to those about the whole sheet.
func (g *Grid) about(s *Sheet, row int) {
	g.About = append(g.About, ledger.FindingsAbout(row, s.Findings)...)
}

func blank(row ingest.Row) bool {
	return !slices.ContainsFunc(row.Cells, func(cell string) bool { return strings.TrimSpace(cell) != "" })
}

// gridColumnsOf returns the columns to show, in the order of the sheet: all that are
// read, and as many others as fit.
func gridColumnsOf(s *Sheet) (all []GridColumn, hidden int) {
	for _, c := range slices.Concat(s.Read, s.Unread) {
		if c.Column == "" && len(all) >= gridColumns {
			hidden++
			continue
		}
		all = append(all, GridColumn{At: c.At, Header: cut(c.Header), Field: c.Column, place: c.Place})
	}
	slices.SortStableFunc(all, func(a, b GridColumn) int { return cmp.Compare(uint(a.place), uint(b.place)) })
	return all, hidden
}

// choose keeps the findings about the whole sheet, and returns the numbers of the rows to
// show, in ascending order.
func (g *Grid) choose(s *Sheet, part Part) (rows []int) {
	last := 0
	for _, f := range s.Findings { // by row
		switch {
		case part.Kind != "" && f.Code != part.Kind, part.Kind == "" && f.Severity == ledger.SeverityInfo && f.Row > 0:
		case f.Row <= s.Sheet.Header: // or 0
			if part.After == 0 {
				g.About = append(g.About, f)
			}
		case f.Row <= part.After || f.Row == last:
		default:
			if last = f.Row; len(rows) < wrongRows {
				rows = append(rows, f.Row)
			} else {
				g.Next, g.More = rows[wrongRows-1], g.More+1
			}
		}
	}
	return rows
}

// row returns a row as it is shown, with its findings.
func (g *Grid) row(row ingest.Row, s *Sheet) GridRow {
	line := GridRow{Number: row.Number, Cells: make([]GridCell, len(g.Columns)), Findings: ledger.FindingsAbout(row.Number, s.Findings)}
	for i, c := range g.Columns {
		if c.place >= 0 && c.place < len(row.Cells) {
			line.Cells[i].Text = shownCell(c.Field, row.Cells[c.place])
		}
		for _, f := range line.Findings {
			if c.has(f) && (line.Cells[i].Severity == "" || f.Severity.Order() < line.Cells[i].Severity.Order()) {
				line.Cells[i].Severity = f.Severity
			}
		}
	}
	return line
}

// has reports whether a finding is about a cell of the column.
func (c GridColumn) has(f ledger.Finding) bool {
	if at := strings.TrimRight(f.Cell, "0123456789"); c.At != "" && at != "" {
		return at == c.At
	}
	return c.Field != "" && c.Field == f.Column
}

// value adds the cells of a row to the first values of their columns.
func (g *Grid) value(line GridRow) {
	for i := range g.Columns {
		if c := &g.Columns[i]; len(c.Values) < firstValues && line.Cells[i].Text != "" {
			c.Values = append(c.Values, line.Cells[i].Text)
		}
	}
}

// shownCell formats a cell for a page. It masks all but the last digits of an account number,
// and of what may be one.
func shownCell(field, cell string) string {
	const leastDigits = 9 // of an account number
	cell = cut(strings.TrimSpace(cell))
	switch field {
	case "bank_account_number":
		return ledger.Mask(cell)
	case "", "bank_account_id":
		if digits := strings.NewReplacer(" ", "", "-", "").Replace(cell); len(digits) >= leastDigits && strings.Trim(digits, "0123456789") == "" {
			return ledger.Mask(cell)
		}
	}
	return cell
}

// cut shortens a long text.
func cut(s string) string {
	if r := []rune(s); len(r) > gridChars {
		return string(r[:gridChars-1]) + "…"
	}
	return s
}
