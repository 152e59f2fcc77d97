package ingest

import (
	"bytes"
	"slices"
	"strconv"
	"unicode/utf8"
)

// cellShape is what the attributes and children of a cell say about it.
type cellShape struct {
	kind     string // its t attribute
	style    int
	formula  bool
	hasValue bool // there is a v or an is element
	inline   bool // the value came from an is element
}

// cell reads the cell that just started.
func (r *xlsxReader) cell() error {
	shape, err := r.cellStart()
	if err != nil {
		return err
	}
	if err := r.cellContent(&shape); err != nil {
		return err
	}
	shape.formula = shape.formula || shape.hasValue && slices.ContainsFunc(r.arrays, func(a Area) bool { return a.has(r.number, r.column-1) })
	switch {
	case !shape.hasValue && shape.formula, shape.formula && len(r.value) == 0 && shape.kind != "str":
		return r.set(FormulaEmpty, "")
	case !shape.hasValue:
		return nil
	case shape.inline != (shape.kind == "inlineStr"):
		return r.malformed("its text is not where its type says")
	}
	return r.give(shape)
}

// cellStart reads the attributes, and refuses a cell in the wrong place.
func (r *xlsxReader) cellStart() (cellShape, error) {
	shape := cellShape{kind: "n"}
	column := r.column + 1
	if ref := r.x.attr("r"); ref != nil {
		c, row, ok := parseRef(ref)
		switch {
		case !ok:
			return shape, defect(CodeCellMalformed, r.number, "a cell has the position %q", clip(ref))
		case row != r.number:
			return shape, defect(CodeCellOrder, r.number, "it contains a cell of another row, %s", ref)
		case c < column:
			return shape, defect(CodeCellOrder, r.number, "the cell comes twice, or after one to its right").at(ColumnName(c))
		}
		column = c
	}
	if kind := r.x.attr("t"); kind != nil {
		shape.kind = cellType(kind)
	}
	if raw := r.x.attr("s"); len(raw) > 0 { // else the first style
		style, err := strconv.Atoi(string(raw))
		if err != nil || style < 0 {
			return shape, defect(CodeCellMalformed, r.number, "the cell has the style %q", clip(raw)).at(ColumnName(column))
		}
		shape.style = style
	}
	r.column, r.style = column, shape.style
	if shape.kind == "" || column > excelColumns || (shape.style > 0 && r.book.styles != nil && shape.style >= len(r.book.styles)) {
		return shape, r.malformed("it has a type or a style that does not exist")
	}
	return shape, nil
}

// cellType returns a known cell type as a constant, or "".
func cellType(raw []byte) string {
	for _, t := range [...]string{"s", "n", "str", "inlineStr", "b", "e", "d"} {
		if string(raw) == t {
			return t
		}
	}
	return ""
}

// cellContent reads what is in the cell into r.value.
func (r *xlsxReader) cellContent(shape *cellShape) error {
	x := r.x
	r.value, r.rich = r.value[:0], richText{}
	return x.children(func() (err error) {
		isValue, inline := x.is(spaceMain, "v"), x.is(spaceMain, "is")
		switch {
		case (isValue || inline) && shape.hasValue:
			return r.malformed("it has two values")
		case isValue:
			shape.hasValue = true
			return r.readValue(shape.kind == "str")
		case inline:
			shape.hasValue, shape.inline = true, true
			r.value, r.rich, err = x.appendRich(r.value)
			return err
		case x.is(spaceMain, "f"):
			shape.formula = true
			return r.fills()
		case x.is(spaceMain, "extLst"):
			return x.skipAside()
		}
		return r.malformed("it holds something that is not a value")
	})
}

// mostArrays is the limit of formulas that fill several cells of the same rows.
const mostArrays = 1_000

// fills keeps the range of a formula that fills several cells: an array formula, which may spill, or a data table.
// The other cells have only their saved values.
func (r *xlsxReader) fills() error {
	if kind := string(r.x.attr("t")); kind != "array" && kind != "dataTable" {
		return nil
	}
	area, ok := areaOf(r.x.attr("ref"))
	if !ok {
		return r.malformed("it has a formula for several cells, and does not say for which")
	}
	if area.Top == area.Bottom && area.Left == area.Right {
		return nil
	}
	r.arrays = append(slices.DeleteFunc(r.arrays, func(a Area) bool { return a.Bottom < r.number }), area)
	if len(r.arrays) > mostArrays {
		return tooMuch("has more than %d formulas that fill several cells", mostArrays)
	}
	return nil
}

// readValue reads a v element. Only a text may have spaces and escapes.
func (r *xlsxReader) readValue(isText bool) (err error) {
	if isText {
		r.value, err = r.x.appendElement(r.value)
		return err
	}
	r.value, err = r.x.appendRaw(r.value)
	r.value = append(r.value[:0], bytes.Trim(r.value, xmlSpaces)...)
	return err
}

// give adds a cell to the row, from r.value and the cell's type.
func (r *xlsxReader) give(shape cellShape) error {
	switch shape.kind {
	case "s":
		return r.giveShared(shape)
	case "n":
		return r.giveNumber(shape)
	case "b":
		return r.giveBool(shape)
	case "e":
		return r.set(Error, "")
	case "d":
		return r.set(shape.kindOf(Date), "")
	}
	if tooManyChars(r.value, r.limits.CellChars) {
		return defect(CodeCellTooLong, r.number, "the cell has more than %d characters", r.limits.CellChars).at(ColumnName(r.column))
	}
	return r.setText(shape, "")
}

// savedKinds are the kinds of the saved values of formulas.
var savedKinds = [...]Kind{Text: Formula, Number: FormulaNumber, Formatted: FormulaFormatted, Date: FormulaDate}

// kindOf returns the kind of a value, which for a formula is the kind of its saved value.
func (s cellShape) kindOf(k Kind) Kind {
	if s.formula {
		return savedKinds[k]
	}
	return k
}

func (r *xlsxReader) giveShared(shape cellShape) error {
	if len(r.value) == 0 {
		return nil // every spreadsheet program shows a blank
	}
	n, err := strconv.ParseUint(string(r.value), 10, 31)
	text, found := r.book.strings.get(int(n))
	if err != nil || !found {
		return defect(CodeSharedString, r.number, "the cell refers to text %q of %d", clip(r.value), r.book.strings.count).at(ColumnName(r.column))
	}
	r.value, r.rich = r.value[:0], r.book.strings.rich[int(n)]
	return r.setText(shape, text)
}

func (r *xlsxReader) giveNumber(shape cellShape) error {
	if len(r.value) == 0 {
		return nil
	}
	raw := len(r.value)
	value, ok := appendNumber(r.value, r.value)
	if !ok {
		return r.malformed("it is not a number")
	}
	r.value = value[:copy(value, value[raw:])]
	shows := r.book.styleOf(shape.style).shape
	kind := Formatted
	switch {
	case shows.date:
		kind = Date
		if serial, err := strconv.ParseFloat(string(r.value), 64); err == nil {
			if date, ok := appendDate(nil, serial, r.book.mac); ok {
				r.value = append(r.value[:0], date...)
			}
		}
	case shows.exact(r.value):
		kind = Number
	}
	return r.set(shape.kindOf(kind), "")
}

func (r *xlsxReader) giveBool(shape cellShape) error {
	switch string(r.value) {
	case "1", "true":
		r.value = append(r.value[:0], "TRUE"...)
	case "0", "false":
		r.value = append(r.value[:0], "FALSE"...)
	default:
		return r.malformed("it is neither true nor false")
	}
	return r.set(Bool, "")
}

// setText puts a text at the current column, either shared or from r.value, as the number format of its cell
// shows it. An empty text is a blank, unless it is of a formula.
func (r *xlsxReader) setText(shape cellShape, shared string) error {
	if len(r.value) == 0 && shared == "" && !shape.formula {
		return nil
	}
	if p := r.book.styleOf(r.style).shape.text; p != nil && shared+string(r.value) != "" {
		r.value, shared = p.appendText(nil, shared+string(r.value)), ""
	}
	return r.set(shape.kindOf(Text), shared)
}

// set puts a cell at the current column, with a shared text or the text in r.value.
func (r *xlsxReader) set(kind Kind, shared string) error {
	if r.column > r.limits.Columns {
		return defect(CodeTooManyColumns, r.number, "the cell is beyond column %s, the limit", ColumnName(r.limits.Columns)).at(ColumnName(r.column))
	}
	for len(r.cells) < r.column-1 {
		r.cells, r.kinds, r.styles = append(r.cells, ""), append(r.kinds, Blank), append(r.styles, 0)
	}
	r.cells, r.kinds, r.styles = append(r.cells, shared), append(r.kinds, kind), append(r.styles, r.style)
	r.mark(kind)
	if shared == "" && len(r.value) > 0 {
		start := len(r.text)
		if start+len(r.value) > r.limits.RowBytes {
			return defect(CodeRowTooLong, r.number, "the row has more than %d bytes", r.limits.RowBytes)
		}
		r.text = append(r.text, r.value...)
		r.owned = append(r.owned, owned{len(r.cells) - 1, start, len(r.text)})
	}
	return nil
}

// mark sets the marks of the cell just set. Few rows have marks, and the others cost nothing.
func (r *xlsxReader) mark(kind Kind) {
	style, marks := r.book.styleOf(r.style), r.rich.marks
	isText := kind == Text || kind == Formula
	switch {
	case r.rich.ownFonts:
	case isText:
		marks |= style.text
	default:
		marks |= style.number
	}
	for _, ink := range r.rich.inks {
		if r.book.palette.unseen(ink, style.paper) {
			marks |= MarkUnseen
		}
	}
	if isText {
		marks |= style.shape.textMark
	}
	if marks == 0 {
		return
	}
	for len(r.marks) < len(r.cells) {
		r.marks = append(r.marks, 0)
	}
	r.marks[len(r.cells)-1] = marks
}

func (r *xlsxReader) malformed(why string) error {
	return defect(CodeCellMalformed, r.number, "the cell cannot be read: %s", why).at(ColumnName(r.column))
}

// tooManyChars counts characters only if there are enough bytes.
func tooManyChars(text []byte, most int) bool {
	return len(text) > most && utf8.RuneCount(text) > most
}
