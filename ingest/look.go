package ingest

import "strconv"

// What a person sees of letters: their size, their colour on what is behind them, and how
// much room they have.

// leastLetters is how many points letters have at least where a person sees them.
const leastLetters = 4

// leastRow is how many points a row has at least where a person sees it: what the smallest
// letters that are seen need. Of letters of 11 points a lower row shows a quarter.
const leastRow = 5

// leastColumn is how many characters a column is wide at least where a person sees it.
const leastColumn = 1

// fontOf reads the font, of a style or of a run of text, that just started: its marks,
// and its colour, where it has one.
func (x *xmlReader) fontOf() (marks Mark, ink colour, err error) {
	err = x.children(func() error {
		switch {
		case x.is(spaceMain, "color"):
			ink = x.colour()
		case x.is(spaceMain, "sz"):
			if points, err := strconv.ParseFloat(string(x.attr("val")), 64); err == nil && points < leastLetters {
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
		return nil
	})
	return marks, ink, err
}

// fill is what is behind letters.
type fill struct {
	pattern     string // "" where none is named
	front, back colour
}

// fillOf reads the fill that just started.
func (x *xmlReader) fillOf() (f fill, err error) {
	err = x.children(func() error {
		if !x.is(spaceMain, "patternFill") {
			f.pattern = "gradient"
			return nil
		}
		f.pattern = string(x.attr("patternType"))
		return x.children(func() error {
			switch {
			case x.is(spaceMain, "fgColor"):
				f.front = x.colour()
			case x.is(spaceMain, "bgColor"):
				f.back = x.colour()
			}
			return nil
		})
	})
	return f, err
}

// paper gives the colour that the fill of a cell style puts behind letters.
func (f fill) paper() colour {
	switch f.pattern {
	case "", "none":
		return colour{}
	case "solid":
		return f.front.or(colour{from: fromOther})
	}
	return colour{from: fromOther}
}

// paperOfRule gives the same for the format of a rule, which has the colour of a solid
// fill in back, and names no pattern for it.
func (f fill) paperOfRule() colour {
	switch f.pattern {
	case "none":
		return colour{}
	case "", "solid":
		return f.back
	}
	return colour{from: fromOther}
}
