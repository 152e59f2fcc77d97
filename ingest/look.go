package ingest

import (
	"cmp"
	"strconv"
)

// This file decides what a person can see: the size of letters, their colour on the background, and the room
// that rows and columns leave them.

// leastLetters is the smallest visible font size, in points.
const leastLetters = 4

// leastRow is the smallest visible row height, in points: the smallest visible letters need it. A lower row
// shows a quarter of letters of 11 points.
const leastRow = 5

// leastColumn is the smallest visible column width, in characters.
const leastColumn = 1

// fontOf reads the font element that just started, of a style or of a run of text. Its ink is none if it has
// no colour.
func (x *xmlReader) fontOf() (font fontLook, err error) {
	err = x.children(func() error {
		switch {
		case x.is(spaceMain, "color"):
			font.ink = x.colour()
		case x.is(spaceMain, "sz"):
			if points, err := strconv.ParseFloat(string(x.attr("val")), 64); err == nil && points < leastLetters {
				font.marks |= MarkUnseen
			}
		case x.is(spaceMain, "strike"):
			if v := x.attr("val"); v == nil || isTrue(v) {
				font.marks |= MarkStruck
			}
		case x.is(spaceMain, "vertAlign"):
			if v := string(x.attr("val")); v == "superscript" || v == "subscript" {
				font.marks |= MarkRaised
			}
		}
		return nil
	})
	return font, err
}

// borderOf reads the border that just started. People cross cells out with a diagonal one.
func (x *xmlReader) borderOf() (mark Mark, err error) {
	crosses := isTrue(x.attr("diagonalUp")) || isTrue(x.attr("diagonalDown"))
	err = x.each(spaceMain, "diagonal", func() error {
		if style := string(x.attr("style")); crosses && style != "" && style != "none" {
			mark = MarkStruck
		}
		return nil
	})
	return mark, err
}

// fill is the background of letters.
type fill struct {
	pattern     string // "" if it names none
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

// paper returns the background colour that the fill of a cell style gives.
func (f fill) paper() colour {
	switch f.pattern {
	case "", "none":
		return colour{}
	case "solid":
		return cmp.Or(f.front, colour{from: fromOther})
	}
	return colour{from: fromOther}
}

// paperOfRule does the same for the format of a rule, which keeps the colour of a solid fill in back and names
// no pattern for it.
func (f fill) paperOfRule() colour {
	switch f.pattern {
	case "none":
		return colour{}
	case "", "solid":
		return f.back
	}
	return colour{from: fromOther}
}
