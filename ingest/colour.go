package ingest

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
)

// colour is a colour as a format names it. The zero value is no colour.
type colour struct {
	from  colourFrom
	value uint32  // red, green and blue, or an index into the palette
	tint  float64 // lighter, up to 1, or darker, down to -1
}

type colourFrom uint8

const (
	fromRGB     colourFrom = iota + 1
	fromTheme              // an index into palette.theme
	fromPalette            // an index into palette.indexed
	fromOther              // several colours, or an unknown one
)

// The system colours: letters and background without a colour of their own.
var systemText, systemBackground = colour{from: fromPalette, value: 64}, colour{from: fromPalette, value: 65}

// palette has the red, green and blue of the colours that a workbook names by index.
type palette struct {
	theme   [12]uint32 // in the order of themePlaces
	indexed [66]uint32
}

const unknownRGB uint32 = math.MaxUint32

var themePlaces = [...]string{"lt1", "dk1", "lt2", "dk2", "accent1", "accent2", "accent3", "accent4", "accent5", "accent6", "hlink", "folHlink"}

// officePalette has the theme of Office and the colours of ECMA-376, indexedColors.
var officePalette = palette{
	theme: [12]uint32{0xFFFFFF, 0x000000, 0xE7E6E6, 0x44546A, 0x4472C4, 0xED7D31, 0xA5A5A5, 0xFFC000, 0x5B9BD5, 0x70AD47, 0x0563C1, 0x954F72},
	indexed: [66]uint32{
		0x000000, 0xFFFFFF, 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00, 0xFF00FF, 0x00FFFF, // namedColours
		0x000000, 0xFFFFFF, 0xFF0000, 0x00FF00, 0x0000FF, 0xFFFF00, 0xFF00FF, 0x00FFFF,
		0x800000, 0x008000, 0x000080, 0x808000, 0x800080, 0x008080, 0xC0C0C0, 0x808080,
		0x9999FF, 0x993366, 0xFFFFCC, 0xCCFFFF, 0x660066, 0xFF8080, 0x0066CC, 0xCCCCFF,
		0x000080, 0xFF00FF, 0xFFFF00, 0x00FFFF, 0x800080, 0x800000, 0x008080, 0x0000FF,
		0x00CCFF, 0xCCFFFF, 0xCCFFCC, 0xFFFF99, 0x99CCFF, 0xFF99CC, 0xCC99FF, 0xFFCC99,
		0x3366FF, 0x33CCCC, 0x99CC00, 0xFFCC00, 0xFF9900, 0xFF6600, 0x666699, 0x969696,
		0x003366, 0x339966, 0x003300, 0x333300, 0x993300, 0x993366, 0x333399, 0x333333,
		0x000000, 0xFFFFFF, // systemText, systemBackground
	},
}

// toRGB returns the red, green and blue of a colour, each from 0 to 1.
func (p *palette) toRGB(c colour) (rgb [3]float64, ok bool) {
	value := unknownRGB
	switch {
	case c.from == fromRGB:
		value = c.value
	case c.from == fromTheme && int(c.value) < len(p.theme):
		value = p.theme[c.value]
	case c.from == fromPalette && int(c.value) < len(p.indexed):
		value = p.indexed[c.value]
	}
	if value == unknownRGB {
		return rgb, false
	}
	for i, shift := range [...]int{16, 8, 0} {
		rgb[i] = float64(value>>shift&0xFF) / 0xFF
	}
	return tinted(rgb, c.tint), true
}

// tinted changes the lightness of a colour, as in HSL, and keeps its hue and saturation (ECMA-376, tint).
func tinted(rgb [3]float64, tint float64) [3]float64 {
	was := (slices.Min(rgb[:]) + slices.Max(rgb[:])) / 2
	is := was * (1 + tint)
	if tint > 0 {
		is = was*(1-tint) + tint
	}
	room := func(lightness float64) float64 { return 1 - math.Abs(2*lightness-1) } // left for saturation
	for i, c := range rgb {
		rgb[i] = is
		if was > 0 && was < 1 {
			rgb[i] += (c - was) * room(is) / room(was)
		}
	}
	return rgb
}

// light returns the linear light of a red, green or blue value; both are from 0 to 1 (WCAG 2, relative
// luminance).
func light(c float64) float64 {
	if c <= 0.04045 {
		return c / 12.92
	}
	return math.Pow((c+0.055)/1.055, 2.4)
}

// contrast returns the contrast ratio of two luminances: 1 to 21 (WCAG 2).
func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// leastContrast is the least contrast of visible letters. The two lightest greys that people use to hide
// letters on white, EEEEEE and D9D9D9, have 1.16 and 1.41. The lightest that they use for letters to be read,
// BFBFBF, has 1.84.
const leastContrast = 1.45

// leastHue is the least contrast in red or green that separates letters from a background of the same
// brightness: red on grey, or green on white. Blue alone is not enough: yellow on white cannot be read.
const leastHue = 3

// unseen reports whether a person cannot tell letters from their background. By default letters are black and
// the background is white. An unknown colour counts as visible.
func (p *palette) unseen(ink, paper colour) bool {
	a, known := p.toRGB(cmp.Or(ink, systemText))
	b, known2 := p.toRGB(cmp.Or(paper, systemBackground))
	if !known || !known2 {
		return false
	}
	for i := range a {
		a[i], b[i] = light(a[i]), light(b[i])
	}
	luminance := func(c [3]float64) float64 { return 0.2126*c[0] + 0.7152*c[1] + 0.0722*c[2] }
	return contrast(luminance(a), luminance(b)) < leastContrast && contrast(a[0], b[0]) < leastHue && contrast(a[1], b[1]) < leastHue
}

// rgbOf reads hexadecimal red, green and blue, with or without alpha in front.
func rgbOf(raw []byte) uint32 {
	n, err := strconv.ParseUint(string(raw[max(0, len(raw)-6):]), 16, 32)
	if err != nil || len(raw) < 6 {
		return unknownRGB
	}
	return uint32(n)
}

// colour reads the colour element that just started.
func (x *xmlReader) colour() colour {
	tint, _ := strconv.ParseFloat(string(x.attr("tint")), 64) // absent: none
	if rgb := x.attr("rgb"); rgb != nil {
		return colour{fromRGB, rgbOf(rgb), tint}
	}
	if place, err := strconv.ParseUint(string(x.attr("theme")), 10, 31); err == nil {
		return colour{fromTheme, uint32(place), tint}
	}
	if place, err := strconv.ParseUint(string(x.attr("indexed")), 10, 31); err == nil {
		return colour{fromPalette, uint32(place), tint}
	}
	return colour{}
}

// readTheme reads the colours of the workbook's theme.
func (w *workbook) readTheme(part string) error {
	return w.zip.readPart(part, spaceDrawing, "theme", func(x *xmlReader) error {
		if !x.is(spaceDrawing, "themeElements") {
			return nil
		}
		return x.each(spaceDrawing, "clrScheme", func() error {
			return x.children(func() error { return w.palette.themeColour(x) })
		})
	})
}

// themeColour reads the colour of the theme that just started. A system colour without a stored value keeps
// that of Office.
func (p *palette) themeColour(x *xmlReader) error {
	place := slices.Index(themePlaces[:], string(x.local))
	return x.children(func() error {
		rgb := x.attr("val")
		if x.is(spaceDrawing, "sysClr") {
			rgb = x.attr("lastClr")
		}
		if place >= 0 && rgb != nil {
			p.theme[place] = rgbOf(rgb)
		}
		return nil
	})
}

// indexedColours reads the workbook's own palette.
func (p *palette) indexedColours(x *xmlReader) error {
	place := uint32(0)
	return x.children(func() error {
		if place < systemText.value {
			p.indexed[place] = rgbOf(x.attr("rgb"))
		}
		place++
		return nil
	})
}

// namedColours are the colours of number formats: [White]0.00. They are the first eight of the palette, and
// [Color1] to [Color56] are the next.
var namedColours = []string{"black", "white", "red", "green", "blue", "yellow", "magenta", "cyan"}

// colourNamed reads a colour in the brackets of a number format.
func colourNamed(in string) (colour, bool) {
	name := bytes.ToLower([]byte(in))
	word := string(bytes.TrimRight(name, "0123456789 "))
	if place := slices.Index(namedColours, word); place >= 0 {
		return colour{from: fromPalette, value: uint32(place)}, true
	}
	c := colour{from: fromOther}
	if place, err := strconv.ParseUint(string(bytes.TrimSpace(name[len(word):])), 10, 8); err == nil && place >= 1 && place <= 56 {
		c = colour{from: fromPalette, value: uint32(place) + 7}
	}
	return c, word == "color" || word == "colour"
}
