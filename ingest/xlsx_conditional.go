package ingest

import (
	"bytes"
	"strconv"
)

// dxf is the format of a rule.
type dxf struct {
	does       Mark
	ink, paper colour
}

// effect returns the marks that the format gives a cell.
func (d dxf) effect(p *palette) Mark {
	if p.unseen(d.ink, d.paper) {
		return d.does | MarkUnseen
	}
	return d.does
}

// dxf reads the format of a rule that just started.
func (x *xmlReader) dxf() (d dxf, err error) {
	err = x.children(func() error {
		switch {
		case x.is(spaceMain, "font"):
			font, err := x.fontOf()
			d.does, d.ink = d.does|font.marks, font.ink
			return err
		case x.is(spaceMain, "border"):
			mark, err := x.borderOf()
			d.does |= mark
			return err
		case x.is(spaceMain, "numFmt"):
			code, err := x.attrText(spaceNone, "formatCode")
			if err != nil {
				return err
			}
			if !harmless(code) {
				d.does |= MarkReshaped
			}
		case x.is(spaceMain, "fill"):
			f, err := x.fillOf()
			d.paper = f.paperOfRule()
			return err
		}
		return nil
	})
	return d, err
}

// harmless reports whether a number format shows every amount and every text as it is.
func harmless(code string) bool {
	s := shapeOf(code)
	return s.plain && s.textMark == 0 && s.zeros <= 1 && (s.decimals < 0 || s.decimals >= 2)
}

// conditional reads the conditional format that just started, either the original element or its 2009
// extension, which gives the range after its rules.
func (r *xlsxReader) conditional(s space) error {
	x, does := r.x, Mark(0)
	where := bytes.Clone(x.attr("sqref"))
	err := x.children(func() (err error) {
		switch {
		case x.is(s, "cfRule"):
			one, err := r.rule(s)
			does |= one
			return err
		case x.is(spaceRanges, "sqref"):
			where, err = x.appendElement(nil)
			return err
		}
		return nil
	})
	if err != nil || does == 0 {
		return err
	}
	for _, ref := range bytes.Fields(where) {
		if err := r.overlay.keep(ref, does); err != nil {
			return err
		}
	}
	return nil
}

// rule returns the marks of one rule where it holds.
func (r *xlsxReader) rule(s space) (does Mark, err error) {
	x := r.x
	if id, err := strconv.Atoi(string(x.attr("dxfId"))); err == nil && id >= 0 && id < len(r.book.dxfs) {
		does = r.book.dxfs[id].effect(&r.book.palette)
	}
	err = x.children(func() error {
		switch {
		case x.is(s, "iconSet"), x.is(s, "dataBar"):
			if v := x.attr("showValue"); v != nil && !isTrue(v) {
				does |= MarkUnseen
			}
		case x.is(s, "dxf"):
			own, err := x.dxf()
			does |= own.effect(&r.book.palette)
			return err
		}
		return nil
	})
	return does, err
}

// extensions reads the conditional formats among the additions of later Excel versions.
func (r *xlsxReader) extensions() error {
	x := r.x
	return x.children(func() error { // each ext
		return x.each(spaceExcel2009, "conditionalFormattings", func() error {
			return x.each(spaceExcel2009, "conditionalFormatting", func() error { return r.conditional(spaceExcel2009) })
		})
	})
}
