package ingest

import "strconv"

// NumberFormat is how a cell style shows a number: by its code, or where that
// is "" by the number of a format that every spreadsheet program has.
type NumberFormat struct {
	ID   int
	Code string
}

// cellStyle is what a cell style does to what stands in the cell. A cell refers
// to it by its number.
type cellStyle struct {
	shape *numberShape
	marks Mark
	shown NumberFormat // for whoever writes the cells again
}

// shapeOf gives the shape of a style; a workbook without styles has one.
func (w *workbook) shapeOf(style int) *numberShape {
	if style >= len(w.styles) {
		return general
	}
	return w.styles[style].shape
}

// marksOf gives the marks of a style's font.
func (w *workbook) marksOf(style int) Mark {
	if style >= len(w.styles) {
		return 0
	}
	return w.styles[style].marks
}

// styleReader collects what the part of the styles lists, in any order.
type styleReader struct {
	codes map[int]string
	bytes int    // of the codes
	fonts []Mark // by number
	xfs   []xf   // by number
	dxfs  []Effect
}

// xf is a cell style by the numbers of its number format and its font.
type xf struct{ format, font int }

// readStyles reads what each cell style does to a number and to a text.
func (w *workbook) readStyles(part string) error {
	x, err := w.zip.openXML(part)
	if err != nil {
		return err
	}
	if err := x.root(spaceMain, "styleSheet"); err != nil {
		return err
	}
	s := styleReader{codes: map[int]string{}}
	err = x.children(func() error {
		switch {
		case x.is(spaceMain, "numFmts"):
			return x.children(func() error { return s.numberFormat(x) })
		case x.is(spaceMain, "fonts"):
			return x.children(func() error { return s.font(x) })
		case x.is(spaceMain, "cellXfs"):
			return x.children(func() error { return s.xf(x) })
		case x.is(spaceMain, "dxfs"):
			return x.children(func() error { return s.dxf(x) })
		}
		return x.skip()
	})
	if err != nil {
		return err
	}
	w.styles, w.dxfs = s.styles(), s.dxfs
	return x.finish()
}

func (s *styleReader) numberFormat(x *xmlReader) error {
	code, err := x.attrText(spaceNone, "formatCode")
	if err != nil {
		return err
	}
	if id, err := strconv.Atoi(string(x.attr("numFmtId"))); err == nil {
		s.codes[id] = code
	}
	if s.bytes += len(code); len(s.codes) > mostFormats || s.bytes > mostCodeBytes {
		return tooMuch("has more number formats than any workbook")
	}
	return x.skip()
}

func (s *styleReader) font(x *xmlReader) error {
	if len(s.fonts) == mostFormats {
		return tooMuch("has more than %d fonts", mostFormats)
	}
	marks, err := x.fontMarks()
	s.fonts = append(s.fonts, marks)
	return err
}

func (s *styleReader) xf(x *xmlReader) error {
	format, _ := strconv.Atoi(string(x.attr("numFmtId"))) // absent: General
	font, _ := strconv.Atoi(string(x.attr("fontId")))     // absent: the first
	if s.xfs = append(s.xfs, xf{format, font}); len(s.xfs) > mostFormats {
		return tooMuch("has more than %d cell formats", mostFormats)
	}
	return x.skip()
}

func (s *styleReader) dxf(x *xmlReader) error {
	if len(s.dxfs) == mostFormats {
		return tooMuch("has more than %d formats of rules", mostFormats)
	}
	does, err := x.dxf()
	s.dxfs = append(s.dxfs, does)
	return err
}

// styles puts together what was collected. Each number format is read once,
// however many styles have it.
func (s *styleReader) styles() []cellStyle {
	shapes := map[int]*numberShape{}
	styles := make([]cellStyle, len(s.xfs))
	for i, xf := range s.xfs {
		code, own := s.codes[xf.format]
		if shapes[xf.format] == nil {
			if own {
				shapes[xf.format] = shapeOf(code)
			} else {
				shapes[xf.format] = builtinShape(xf.format)
			}
		}
		styles[i] = cellStyle{shape: shapes[xf.format], shown: NumberFormat{ID: xf.format, Code: code}}
		if xf.font >= 0 && xf.font < len(s.fonts) {
			styles[i].marks = s.fonts[xf.font]
		}
	}
	return styles
}

// fontMarks reads the font, of a style or of a run of text, that just started.
func (x *xmlReader) fontMarks() (marks Mark, err error) {
	marks, _, err = x.fontOf()
	return marks, err
}

// fontOf is fontMarks with the colour, where the font has one.
func (x *xmlReader) fontOf() (marks Mark, in colour, err error) {
	err = x.children(func() error {
		switch {
		case x.is(spaceMain, "color"):
			in = x.colour()
		case x.is(spaceMain, "strike"):
			if v := x.attr("val"); v == nil || isTrue(v) {
				marks |= MarkStruck
			}
		case x.is(spaceMain, "vertAlign"):
			if v := string(x.attr("val")); v == "superscript" || v == "subscript" {
				marks |= MarkRaised
			}
		}
		return x.skip()
	})
	return marks, in, err
}
