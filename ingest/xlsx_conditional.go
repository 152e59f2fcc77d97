package ingest

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
)

// Effect is what a conditional format makes a person see of a cell that is read as
// any other. Colours, borders, bars and icons beside a value are none.
type Effect uint8

const (
	EffectStruck   Effect = 1 << iota // a line through it
	EffectRaised                      // above or below the line
	EffectHidden                      // nothing: it has the colour of what is behind it, or an icon in its place
	EffectReshaped                    // a number format that may show something else, or nothing
)

// Conditional is a range of cells, counted as those of Merge, under a conditional format
// with an effect. For which of them its rule holds is not known here: only a spreadsheet
// program carries rules out.
type Conditional struct {
	Merge
	Effect Effect
}

// mostConditionals is how many ranges of conditional formats with an effect are kept.
const mostConditionals = 100_000

// dxf reads what the format of a rule that just started does to a cell.
func (x *xmlReader) dxf() (does Effect, err error) {
	var font, behind colour
	err = x.children(func() (err error) {
		switch {
		case x.is(spaceMain, "font"):
			var marks Mark
			marks, font, err = x.fontOf()
			if marks&MarkStruck != 0 {
				does |= EffectStruck
			}
			if marks&MarkRaised != 0 {
				does |= EffectRaised
			}
			return err
		case x.is(spaceMain, "numFmt"):
			code, err := x.attrText(spaceNone, "formatCode")
			if err != nil {
				return err
			}
			if !harmless(code) {
				does |= EffectReshaped
			}
		case x.is(spaceMain, "fill"):
			behind, err = x.fillOf()
			return err
		}
		return x.skip()
	})
	switch { // letters of no colour of their own are black, on white
	case font.known() && (font == behind || font.white() && (!behind.known() || behind.white())),
		behind.black() && (!font.known() || font.black()):
		does |= EffectHidden
	}
	return does, err
}

// fillOf reads the fill that just started, of the format of a rule: its colour is what is
// behind the text.
func (x *xmlReader) fillOf() (behind colour, err error) {
	err = x.children(func() error {
		if !x.is(spaceMain, "patternFill") || string(x.attr("patternType")) == "none" {
			return x.skip()
		}
		return x.children(func() error {
			if x.is(spaceMain, "bgColor") {
				behind = x.colour()
			}
			return x.skip()
		})
	})
	return behind, err
}

// pads are what a section of a number format has besides: the width of a sign, a sign
// that fills the cell, a colour.
var pads = regexp.MustCompile(`[_*].|\[[A-Za-z0-9 ]+\]`)

// harmless reports whether a number format shows every amount and every text as it is.
func harmless(code string) bool {
	parts := splitSections(code)
	if len(parts) == 4 {
		if text := strings.TrimSpace(pads.ReplaceAllString(parts[3], "")); text != "@" && !strings.EqualFold(text, "general") {
			return false
		}
	}
	s := shapeOf(code)
	return s.plain && s.zeros <= 1 && (s.decimals < 0 || s.decimals >= 2)
}

// colour is one as a format names it: by red, green and blue, or by a place in the
// theme, with more or less light.
type colour struct {
	rgb   string // six digits, upper case
	index string // place in the palette, where its colour is not known here
	theme int    // place + 1
	tint  float64
}

func (c colour) known() bool { return c != colour{} }

// nearWhite is from where on a person sees nothing of a colour on paper.
const nearWhite = 0xF0

func (c colour) white() bool {
	if c.theme == 1 {
		return c.tint > -0.1 // the background of nearly every theme
	}
	for i := 0; i < len(c.rgb); i += 2 {
		if n, err := strconv.ParseUint(c.rgb[i:i+2], 16, 8); err != nil || n < nearWhite {
			return false
		}
	}
	return c.rgb != ""
}

// nearBlack is up to where a colour is as black letters are.
const nearBlack = 0x0F

func (c colour) black() bool {
	if c.theme == 2 {
		return c.tint < 0.1 // the text of nearly every theme
	}
	for i := 0; i < len(c.rgb); i += 2 {
		if n, err := strconv.ParseUint(c.rgb[i:i+2], 16, 8); err != nil || n > nearBlack {
			return false
		}
	}
	return c.rgb != ""
}

// colour reads the element that just started.
func (x *xmlReader) colour() colour {
	if rgb := bytes.ToUpper(x.attr("rgb")); len(rgb) >= 6 {
		return colour{rgb: string(rgb[len(rgb)-6:])}
	}
	if theme, err := strconv.Atoi(string(x.attr("theme"))); err == nil {
		tint, _ := strconv.ParseFloat(string(x.attr("tint")), 64) // absent: as the theme has it
		return colour{theme: theme + 1, tint: tint}
	}
	switch place := string(x.attr("indexed")); place {
	case "0", "8":
		return colour{rgb: "000000"}
	case "1", "9":
		return colour{rgb: "FFFFFF"}
	case "64", "65": // the system's own
		return colour{}
	default:
		return colour{index: place}
	}
}

// conditional reads the conditional format that just started, of the format itself or of
// its extension of 2009, which has the range behind its rules.
func (r *xlsxReader) conditional(s space) error {
	x, does := r.x, Effect(0)
	where := bytes.Clone(x.attr("sqref"))
	err := x.children(func() (err error) {
		switch {
		case x.is(s, "cfRule"):
			var one Effect
			one, err = r.rule(s)
			does |= one
			return err
		case x.is(spaceRanges, "sqref"):
			where, err = x.appendElement(nil)
			return err
		}
		return x.skip()
	})
	if err != nil || does == 0 {
		return err
	}
	return r.overlay.conditional(where, does)
}

// rule reads what one rule does where it holds.
func (r *xlsxReader) rule(s space) (does Effect, err error) {
	x := r.x
	if id, err := strconv.Atoi(string(x.attr("dxfId"))); err == nil && id >= 0 && id < len(r.book.dxfs) {
		does = r.book.dxfs[id]
	}
	err = x.children(func() error {
		switch {
		case x.is(s, "iconSet"), x.is(s, "dataBar"):
			if v := x.attr("showValue"); v != nil && !isTrue(v) {
				does |= EffectHidden
			}
		case x.is(s, "dxf"):
			own, err := x.dxf()
			does |= own
			return err
		}
		return x.skip()
	})
	return does, err
}

// extensions reads the conditional formats among what later versions of Excel added.
func (r *xlsxReader) extensions() error {
	x := r.x
	return x.children(func() error { // each ext
		return x.children(func() error {
			if !x.is(spaceExcel2009, "conditionalFormattings") {
				return x.skip()
			}
			return x.children(func() error {
				if !x.is(spaceExcel2009, "conditionalFormatting") {
					return x.skip()
				}
				return r.conditional(spaceExcel2009)
			})
		})
	})
}

// conditional keeps the ranges that lie below the header and not below the last row.
func (o *overlay) conditional(where []byte, does Effect) error {
	for _, ref := range bytes.Fields(where) {
		m, ok := areaOf(ref)
		if !ok {
			return defect(CodeXMLMalformed, 0, "the workbook has a conditional format for the cells %q", clip(ref))
		}
		if o.header == 0 || m.Bottom <= o.header || m.Top > o.last {
			continue
		}
		if len(o.conditionals) == mostConditionals {
			return tooMuch("has conditional formats in more than %d places", mostConditionals)
		}
		o.conditionals = append(o.conditionals, Conditional{m, does})
	}
	return nil
}
