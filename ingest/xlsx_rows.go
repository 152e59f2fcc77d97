package ingest

import (
	"errors"
	"io"
	"strconv"
)

// Excel's own limits.
const (
	excelRows    = 1_048_576
	excelColumns = 16_384
)

// xlsxReader reads the rows of one tab from its XML, in one pass. It refuses every structure in which two
// programs could see different rows.
type xlsxReader struct {
	x       *xmlReader
	book    *workbook
	limits  Limits
	inRows  bool // inside sheetData
	ended   bool
	number  int // of the last row
	column  int // of the last cell in it
	cells   []string
	kinds   []Kind
	styles  []int
	style   int // of the current cell
	owned   []owned
	text    []byte   // of the cells with their own text
	value   []byte   // of the current cell
	rich    richText // of the current cell
	marks   []Mark   // up to the last cell with a mark
	arrays  []Area   // ranges of the formulas that fill several cells, down to the current row at least
	overlay overlay

	columns []columnRange
}

// columnRange is what the tab says about the columns first to last, counted from 1.
type columnRange struct {
	first, last int
	hidden      bool
	width       float64 // in characters; 0 if not given
}

func (r columnRange) has(column int) bool { return r.first <= column && column <= r.last }

// owned is a cell whose text is in xlsxReader.text until the row is complete.
type owned struct{ cell, start, end int }

// openTab starts reading a tab.
func (w *workbook) openTab(t tab) (*xlsxReader, error) {
	x, err := w.zip.openXML(t.part)
	if err == nil {
		err = x.root(spaceMain, "worksheet")
	}
	return &xlsxReader{x: x, book: w, limits: w.options.Limits, overlay: overlay{options: &w.options}}, err
}

func (r *xlsxReader) next() (Row, error) {
	for {
		row, err := r.row()
		if err != nil {
			return Row{}, r.placed(err)
		}
		if row.Hidden && r.overlay.options.Hidden == HiddenSkip {
			continue
		}
		r.overlay.saw(row)
		return row, nil
	}
}

// placed adds the row to a Defect that has none because the XML reader does not know it.
func (r *xlsxReader) placed(err error) error {
	if d, ok := errors.AsType[*Defect](err); ok && d.Row == 0 && r.inRows && d.Code == CodeXMLMalformed {
		d.Row = r.number
		d.Message += ", in or after this row"
	}
	return err
}

// row reads the next row element, or what follows the last one.
func (r *xlsxReader) row() (Row, error) {
	if err := r.enter(); err != nil {
		return Row{}, err
	}
	for !r.ended {
		tok, err := r.x.next()
		if err != nil {
			return Row{}, err
		}
		switch {
		case tok == tokEnd:
			r.inRows = false
			if err := r.tail(); err != nil {
				return Row{}, err
			}
			r.ended = true
		case tok == tokText && isXMLSpace(r.x.text):
		case tok == tokStart && r.x.is(spaceMain, "row"):
			return r.rowElement()
		default:
			return Row{}, r.x.malformed("has something between its rows that is not a row")
		}
	}
	return Row{}, io.EOF
}

// enter reads up to the first row.
func (r *xlsxReader) enter() error {
	for !r.inRows && !r.ended {
		tok, err := r.x.next()
		switch {
		case err != nil:
			return err
		case tok == tokEnd: // a tab without rows
			r.ended = true
			return r.x.finish()
		case tok == tokStart && r.x.is(spaceMain, "sheetData"):
			r.inRows = true
		case tok == tokStart && r.x.is(spaceMain, "cols"):
			if err := r.x.children(r.columnsOf); err != nil {
				return err
			}
		case tok == tokStart:
			if err := r.x.skipAside(); err != nil {
				return err
			}
		case !isXMLSpace(r.x.text):
			return r.x.malformed("has text before its rows")
		}
	}
	return nil
}

// columnsOf reads the visibility and width of some columns.
func (r *xlsxReader) columnsOf() error {
	x := r.x
	if !x.is(spaceMain, "col") {
		return x.skipAside()
	}
	first, err := strconv.Atoi(string(x.attr("min")))
	last, err2 := strconv.Atoi(string(x.attr("max")))
	width, err3 := strconv.ParseFloat(string(x.attr("width")), 64)
	if err == nil && err2 == nil {
		r.columns = append(r.columns, columnRange{first, last, isTrue(x.attr("hidden")) || err3 == nil && width < leastColumn, width})
	}
	if len(r.columns) > excelColumns {
		return tooMuch("lists more than %d columns", excelColumns)
	}
	return x.skipAside()
}

// tail reads what follows the rows.
func (r *xlsxReader) tail() error {
	x := r.x
	err := x.children(func() error {
		switch {
		case x.is(spaceMain, "sheetData"):
			return x.malformed("has its rows in two places")
		case x.is(spaceMain, "mergeCells"):
			return x.children(func() error { return r.overlay.keep(x.attr("ref"), 0) })
		case x.is(spaceMain, "conditionalFormatting"):
			return r.conditional(spaceMain)
		case x.is(spaceMain, "extLst"):
			return r.extensions()
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := x.finish(); err != nil {
		return err
	}
	return r.overlay.verdict()
}

// rowElement reads the row that just started.
func (r *xlsxReader) rowElement() (Row, error) {
	row, err := r.rowStart()
	if err != nil {
		return Row{}, err
	}
	x := r.x
	r.column = 0
	r.cells, r.kinds, r.styles, r.owned, r.text = r.cells[:0], r.kinds[:0], r.styles[:0], r.owned[:0], r.text[:0]
	r.marks = r.marks[:0]
	err = x.children(func() error {
		switch {
		case x.is(spaceMain, "c"):
			return r.cell()
		case x.is(spaceMain, "extLst"):
			return x.skipAside()
		}
		return x.malformed("has something between its cells that is not a cell")
	})
	if err != nil {
		return Row{}, err
	}
	text := string(r.text) // one string for the cells with their own text
	for _, o := range r.owned {
		r.cells[o.cell] = text[o.start:o.end]
	}
	row.Cells, row.Kinds, row.Styles = r.cells, r.kinds, r.styles
	if len(r.marks) > 0 {
		row.Marks = append(r.marks, make([]Mark, len(r.cells)-len(r.marks))...)
	}
	return row, nil
}

// rowStart reads the attributes of a row: its number, and whether it is visible.
func (r *xlsxReader) rowStart() (Row, error) {
	row := Row{Number: r.number + 1}
	x := r.x
	if number := x.attr("r"); number != nil {
		n, ok := parseRow(number)
		if !ok {
			return row, x.malformed("has the row number %q", clip(number))
		}
		row.Number = n
	}
	row.Hidden = isTrue(x.attr("hidden"))
	if isTrue(x.attr("customHeight")) {
		height, err := strconv.ParseFloat(string(x.attr("ht")), 64)
		row.Hidden = row.Hidden || err == nil && height < leastRow
	}
	switch {
	case row.Number <= r.number:
		return row, defect(CodeRowOrder, row.Number, "the row comes after row %d", r.number)
	case row.Number > excelRows:
		return row, defect(CodeTooManyRows, row.Number, "no spreadsheet program has a row of this number")
	}
	r.number = row.Number
	return row, nil
}

// parseRow reads a row number without sign, space or leading zero.
func parseRow(b []byte) (int, bool) {
	n, err := strconv.ParseUint(string(b), 10, 31)
	return int(n), err == nil && b[0] != '0'
}

// parseRef splits a reference such as BC23 into column 55 and row 23.
func parseRef(b []byte) (column, row int, ok bool) {
	i := 0
	for i < len(b) && b[i] >= 'A' && b[i] <= 'Z' && i < 4 {
		column = column*26 + int(b[i]-'A') + 1
		i++
	}
	row, ok = parseRow(b[i:])
	return column, row, ok && column >= 1 && column <= excelColumns && row <= excelRows
}

// ColumnName returns the letters of a column, counted from 1.
func ColumnName(n int) string {
	var b []byte
	for ; n > 0; n = (n - 1) / 26 {
		b = append([]byte{byte('A' + (n-1)%26)}, b...)
	}
	return string(b)
}
