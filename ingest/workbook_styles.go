package ingest

import (
	"cmp"
	"strconv"
)

// NumberFormat is how a cell style shows a number: by its code, or where that
// is "" by the number of a format that every spreadsheet program has.
type NumberFormat struct {
	ID   int
	Code string
}

// cellStyle is what a cell style does to the content of a cell. A cell refers to it by its number.
type cellStyle struct {
	shape        *numberShape
	paper        colour       // behind the letters
	number, text Mark         // what a person sees of a number in the cell, and of a text
	shown        NumberFormat // for code that writes the cells again
}

// plainStyle is the style of a workbook without styles.
var plainStyle = cellStyle{shape: general}

func (w *workbook) styleOf(style int) *cellStyle {
	if style >= len(w.styles) {
		return &plainStyle
	}
	return &w.styles[style]
}

// styleReader collects what the part of the styles lists, in any order.
type styleReader struct {
	codes map[int]string
	bytes int        // of the codes
	fonts []fontLook // by number
	fills []colour   // by number: what is behind the letters
	xfs   []xf       // by number
	dxfs  []dxf
}

// fontLook is what a font makes of letters.
type fontLook struct {
	marks Mark
	ink   colour
}

// xf is a cell style by the numbers of its number format, its font and its fill.
type xf struct{ format, font, fill int }

// readStyles reads what each cell style does to a number and to a text.
func (w *workbook) readStyles(part string) error {
	s := styleReader{codes: map[int]string{}}
	err := w.zip.readPart(part, spaceMain, "styleSheet", func(x *xmlReader) error {
		switch {
		case x.is(spaceMain, "numFmts"):
			return x.children(func() error { return s.numberFormat(x) })
		case x.is(spaceMain, "fonts"):
			return x.children(func() error { return s.font(x) })
		case x.is(spaceMain, "fills"):
			return x.children(func() error { return s.fill(x) })
		case x.is(spaceMain, "cellXfs"):
			return x.children(func() error { return s.xf(x) })
		case x.is(spaceMain, "dxfs"):
			return x.children(func() error { return s.dxf(x) })
		case x.is(spaceMain, "colors"):
			return x.children(func() error {
				if x.is(spaceMain, "indexedColors") {
					return w.palette.indexedColours(x)
				}
				return nil
			})
		}
		return nil
	})
	w.styles, w.dxfs = s.styles(&w.palette), s.dxfs
	return err
}

// listed adds one to a list of the styles, which is longer than no workbook's.
func listed[T any](list *[]T, one T, what string) error {
	if *list = append(*list, one); len(*list) > mostFormats {
		return tooMuch("has more than %d %s", mostFormats, what)
	}
	return nil
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
	return nil
}

func (s *styleReader) font(x *xmlReader) error {
	marks, ink, err := x.fontOf()
	return cmp.Or(err, listed(&s.fonts, fontLook{marks, ink}, "fonts"))
}

func (s *styleReader) fill(x *xmlReader) error {
	f, err := x.fillOf()
	return cmp.Or(err, listed(&s.fills, f.paper(), "fills"))
}

func (s *styleReader) xf(x *xmlReader) error {
	format, _ := strconv.Atoi(string(x.attr("numFmtId"))) // absent: General
	font, _ := strconv.Atoi(string(x.attr("fontId")))     // absent: the first
	fill, _ := strconv.Atoi(string(x.attr("fillId")))     // absent: none
	return listed(&s.xfs, xf{format, font, fill}, "cell formats")
}

func (s *styleReader) dxf(x *xmlReader) error {
	format, err := x.dxf()
	return cmp.Or(err, listed(&s.dxfs, format, "formats of rules"))
}

// styles puts together what was collected. Each number format is read once,
// however many styles have it.
func (s *styleReader) styles(p *palette) []cellStyle {
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
		style := cellStyle{shape: shapes[xf.format], shown: NumberFormat{ID: xf.format, Code: code}}
		var font fontLook
		if xf.font >= 0 && xf.font < len(s.fonts) {
			font = s.fonts[xf.font]
		}
		if xf.fill >= 0 && xf.fill < len(s.fills) {
			style.paper = s.fills[xf.fill]
		}
		style.see(font, p)
		styles[i] = style
	}
	return styles
}

// see notes what a person sees of a number and of a text that has this font. A colour
// of the number format goes before that of the font.
func (c *cellStyle) see(font fontLook, p *palette) {
	c.number, c.text = font.marks, font.marks
	for _, section := range c.shape.sections {
		if p.unseen(section.ink.or(font.ink), c.paper) {
			c.number |= MarkUnseen
		}
	}
	if p.unseen(c.shape.textInk.or(font.ink), c.paper) {
		c.text |= MarkUnseen
	}
}
