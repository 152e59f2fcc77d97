package ingest

import (
	"cmp"
	"strconv"
)

// NumberFormat is how a cell style shows a number: by its code, or if that is "", by the ID of a format that is
// built into every spreadsheet program.
type NumberFormat struct {
	ID   int
	Code string
}

// cellStyle is what a cell style does to the content of a cell. Cells refer to it by its number.
type cellStyle struct {
	shape        *numberShape
	paper        colour       // the background of the letters
	number, text Mark         // how a person sees a number in the cell, and a text
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

// styleReader collects the lists of the styles part, in any order.
type styleReader struct {
	codes   map[int]string
	bytes   int        // of the codes
	fonts   []fontLook // by number
	fills   []fill     // by number
	borders []Mark     // by number
	xfs     []xf       // by number
	dxfs    []dxf
}

// fontLook is what a font does to letters.
type fontLook struct {
	marks Mark
	ink   colour
}

// xf is a cell style: the numbers of its number format, font, fill and border.
type xf struct{ format, font, fill, border int }

// readStyles reads what each cell style does to a number and to a text.
func (w *workbook) readStyles(part string) error {
	s := styleReader{codes: map[int]string{}}
	err := w.zip.readPart(part, spaceMain, "styleSheet", func(x *xmlReader) error {
		switch {
		case x.is(spaceMain, "numFmts"):
			return x.children(func() error { return s.numberFormat(x) })
		case x.is(spaceMain, "fonts"):
			return listed(x, &s.fonts, "fonts", x.fontOf)
		case x.is(spaceMain, "fills"):
			return listed(x, &s.fills, "fills", x.fillOf)
		case x.is(spaceMain, "borders"):
			return listed(x, &s.borders, "borders", x.borderOf)
		case x.is(spaceMain, "cellXfs"):
			return listed(x, &s.xfs, "cell formats", x.xfOf)
		case x.is(spaceMain, "dxfs"):
			return listed(x, &s.dxfs, "formats of rules", x.dxf)
		case x.is(spaceMain, "colors"):
			return x.each(spaceMain, "indexedColors", func() error { return w.palette.indexedColours(x) })
		}
		return nil
	})
	w.styles, w.dxfs = s.styles(&w.palette), s.dxfs
	return err
}

// listed reads a list of the styles, and refuses one that is longer than any workbook's.
func listed[T any](x *xmlReader, list *[]T, what string, read func() (T, error)) error {
	return x.children(func() error {
		one, err := read()
		if *list = append(*list, one); err == nil && len(*list) > mostFormats {
			err = tooMuch("has more than %d %s", mostFormats, what)
		}
		return err
	})
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

// xfOf reads the cell style that just started. An absent number is 0: General, the first font, no fill, no border.
func (x *xmlReader) xfOf() (xf, error) {
	number := func(name string) int { n, _ := strconv.Atoi(string(x.attr(name))); return n }
	return xf{number("numFmtId"), number("fontId"), number("fillId"), number("borderId")}, nil
}

// styles builds the cell styles from the collected lists. It reads each number format once, however many styles
// use it.
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
		styles[i] = cellStyle{shape: shapes[xf.format], shown: NumberFormat{ID: xf.format, Code: code}, paper: nth(s.fills, xf.fill).paper()}
		font := nth(s.fonts, xf.font)
		font.marks |= nth(s.borders, xf.border)
		styles[i].see(font, p)
	}
	return styles
}

// see sets how a person sees a number and a text in this font. A colour of the number format takes precedence
// over that of the font.
func (c *cellStyle) see(font fontLook, p *palette) {
	c.number, c.text = font.marks, font.marks
	for _, section := range c.shape.sections {
		if p.unseen(cmp.Or(section.ink, font.ink), c.paper) {
			c.number |= MarkUnseen
		}
	}
	if p.unseen(cmp.Or(c.shape.textInk, font.ink), c.paper) {
		c.text |= MarkUnseen
	}
}
