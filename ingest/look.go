package ingest

import (
	"bytes"
	"strconv"
)

// What a person sees of letters: their size, and their colour on what is behind them.
// The colours of a theme are taken for those of nearly every theme, and fills of two
// colours for one in which any letter is seen.

// leastSeen is how many points letters, and rows, have at least where a person sees them.
const leastSeen = 4

// unseen reports letters that have the colour of what is behind them. Letters of no
// colour of their own are black, on white.
func unseen(ink, paper colour) bool {
	return ink.known() && (ink == paper || ink.white() && (!paper.known() || paper.white())) ||
		paper.black() && (!ink.known() || ink.black())
}

// fontOf reads the font, of a style or of a run of text, that just started: its marks,
// and its colour, where it has one.
func (x *xmlReader) fontOf() (marks Mark, ink colour, err error) {
	err = x.children(func() error {
		switch {
		case x.is(spaceMain, "color"):
			ink = x.colour()
		case x.is(spaceMain, "sz"):
			if points, err := strconv.ParseFloat(string(x.attr("val")), 64); err == nil && points < leastSeen {
				marks |= MarkUnseen
			}
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
	return marks, ink, err
}

// fill is what is behind letters. The format of a rule has its colour in back.
type fill struct {
	pattern     string // "" where there is none
	front, back colour
}

// fillOf reads the fill that just started.
func (x *xmlReader) fillOf() (f fill, err error) {
	err = x.children(func() error {
		if !x.is(spaceMain, "patternFill") {
			f.pattern = "gradient"
			return x.skip()
		}
		f.pattern = string(x.attr("patternType"))
		return x.children(func() error {
			switch {
			case x.is(spaceMain, "fgColor"):
				f.front = x.colour()
			case x.is(spaceMain, "bgColor"):
				f.back = x.colour()
			}
			return x.skip()
		})
	})
	return f, err
}

// paper gives the colour that the fill of a cell style puts behind letters.
func (f fill) paper() colour {
	switch {
	case f.pattern == "" || f.pattern == "none":
		return colour{}
	case f.pattern == "solid" && f.front.known():
		return f.front
	}
	return colour{index: "mixed"}
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

// or gives the other colour where this one is not known.
func (c colour) or(other colour) colour {
	if c.known() {
		return c
	}
	return other
}

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

// namedColours are those of a number format: [White]0.00. [Color1] to [Color8] are
// the first eight in this order.
var namedColours = [...]struct{ name, rgb string }{
	{"black", "000000"}, {"white", "FFFFFF"}, {"red", "FF0000"}, {"green", "00FF00"}, {"blue", "0000FF"}, {"yellow", "FFFF00"}, {"magenta", "FF00FF"}, {"cyan", "00FFFF"},
}

// colourNamed knows what a number format writes in brackets for a colour.
func colourNamed(in string) (colour, bool) {
	name := bytes.ToLower([]byte(in))
	word := string(bytes.TrimRight(name, "0123456789 "))
	place, _ := strconv.Atoi(string(bytes.TrimSpace(name[len(word):])))
	for i, c := range namedColours {
		if c.name == word || word == "color" && place == i+1 {
			return colour{rgb: c.rgb}, true
		}
	}
	return colour{index: string(name)}, word == "color" || word == "colour"
}
