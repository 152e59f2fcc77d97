package ingest

import (
	"bytes"
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"payrun/ingest/visible"
)

// numberShape is what a number format shows for a number above zero. It is computed once for each format of a
// workbook, never for each cell.
//
// It is an allowlist: a section shows the number itself if it has only digits, their grouping, a point, the
// rupee and its /-, colours, conditions and gaps. Anything else in a format shows something else.
type numberShape struct {
	sections []section // those that may show a number above zero; never empty
	date     bool      // the first of them shows a date or a time
	plain    bool      // each of them shows the number itself, apart from the digits below
	zeros    int       // digits before the point that are always shown, the most of any section
	decimals int       // digits after the point that can be shown, the fewest of any section; -1 for all

	text     *section // adds something to a text; nil where the text shows as it is or textMark says otherwise
	textMark Mark     // of a text
	textInk  colour
}

// section is one of the up to four parts of a format's code.
type section struct {
	condition     condition
	before, after string // the literal text around the digits
	whole         string // the digits before the point with the separators written between them: ##,##,##0
	zeros         int    // in whole
	grouped       bool   // the program adds its own thousands separator
	point         bool
	decimals      int  // digits after the point
	fixed         int  // how many of them are always shown
	general       bool // the number or the text as it is
	at            bool // the text is shown by an @
	scale         int  // how many thousands the number is divided by
	percent       int  // how often the number is multiplied by a hundred
	date          bool // a date or a time
	odd           bool // has something that payrun does not understand
	ink           colour
	code          string
}

// condition is the condition of a section: [>=100000].
type condition struct {
	op    string // "" where there is none
	bound float64
}

// general is the format of a cell without one.
var general = &numberShape{sections: []section{{general: true}}, plain: true, decimals: -1}

// builtinCodes are the formats with a number and no code (ECMA-376, numFmt) that show a number and nothing
// else. Formats 5 to 8 and 41 to 44 also show the currency of the user's computer, which is left out here.
var builtinCodes = map[int]string{
	0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "#,##0", 6: "#,##0", 7: "#,##0.00", 8: "#,##0.00",
	9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy",
	37: "#,##0", 38: "#,##0", 39: "#,##0.00", 40: "#,##0.00", 41: "#,##0", 42: "#,##0", 43: "#,##0.00", 44: "#,##0.00",
	48: "##0.0E+0", 49: "@",
}

// builtinShape returns the shape of a format without a code, including those of East Asian and Thai workbooks.
// An unknown format gets an odd section.
func builtinShape(id int) *numberShape {
	code, ok := builtinCodes[id]
	switch {
	case ok:
		return shapeOf(code)
	case id >= 14 && id <= 22, id >= 27 && id <= 36, id >= 45 && id <= 47, id >= 50 && id <= 58, id >= 71 && id <= 81:
		return &numberShape{sections: []section{{date: true}}, date: true}
	}
	return &numberShape{sections: []section{{odd: true}}}
}

// shapeOf reads the code of a number format.
func shapeOf(code string) *numberShape {
	if code == "" {
		return general
	}
	all := sectionsOf(code)
	s := &numberShape{plain: true, decimals: -1}
	s.forText(all)
	if len(all) == 4 {
		all = all[:3] // the fourth is for texts
	}
	if slices.ContainsFunc(all, func(p section) bool { return p.condition.op != "" }) {
		all = slices.DeleteFunc(all, func(p section) bool { return !p.condition.mayHold() })
	} else {
		all = all[:1] // the others are for negative numbers and zero
	}
	if len(all) == 0 {
		all = []section{{odd: true}}
	}
	s.sections, s.date = all, all[0].date
	for _, p := range all {
		s.plain = s.plain && p.plain()
		s.zeros = max(s.zeros, p.zeros)
		if !p.general && (s.decimals < 0 || p.decimals < s.decimals) {
			s.decimals = p.decimals
		}
	}
	return s
}

// forText sets what the format does to a text: by its fourth section, else by the last one if that has an @.
// Without either it shows the text as it is.
func (s *numberShape) forText(all []section) {
	p := all[len(all)-1]
	if len(all) < 4 && !p.at {
		return
	}
	literal := strings.TrimSpace(p.before + p.after)
	switch s.textInk = p.ink; {
	case p.odd, p.date, p.whole != "", p.point, len(all) > 4:
		s.textMark = MarkUnclear
	case !p.general && literal == "":
		s.textMark = MarkUnseen
	case literal != "":
		s.textMark, s.text = MarkReshaped, &p
	}
}

// exact reports whether the cell shows exactly this number: no digit less, no zero in front.
func (s *numberShape) exact(value []byte) bool {
	if !s.plain {
		return false
	}
	if s.decimals < 0 && s.zeros <= 1 {
		return true
	}
	whole, fraction, _ := bytes.Cut(value, []byte{'.'})
	return (s.zeros <= 1 || len(bytes.TrimPrefix(whole, []byte{'-'})) >= s.zeros) && (s.decimals < 0 || len(fraction) <= s.decimals)
}

// plain reports whether the section shows the number and at most the rupee with it.
func (p *section) plain() bool {
	if p.date || p.odd || p.scale > 0 || p.percent > 0 || !rupee(p.before) || !rupee(strings.TrimSuffix(strings.TrimSpace(p.after), "/-")) {
		return false
	}
	return p.general || (p.whole+p.before+p.after != "" || p.decimals > 0) && p.hasDigits() && wellSeparated(p.whole)
}

func (p *section) hasDigits() bool {
	return p.general || strings.Trim(p.whole, ", ") != "" || p.decimals > 0
}

// rupee reports whether a literal names the rupee or is empty. A point alone would be read as that of the amount.
func rupee(literal string) bool {
	literal = strings.TrimSpace(literal)
	switch strings.ToLower(strings.TrimSuffix(literal, ".")) {
	case "":
		return literal == ""
	case "₹", "rs", "inr", "rupees", "re":
		return true
	}
	return false
}

// wellSeparated reports whether separators written into the digits by hand follow Indian or Western grouping.
// 0\,00 would show 1250 as 12,50.
func wellSeparated(whole string) bool {
	return whole == "" || visible.WellGrouped(strings.NewReplacer(" ", ",", "0", "#", "?", "#").Replace(whole))
}

// sectionReader reads one section from left to right.
type sectionReader struct {
	section
	stage   stage
	commas  int    // of a separator or of a scale, not yet known which
	literal string // after digits: between them, or after the last
}

type stage uint8

const (
	beforeDigits stage = iota
	inWhole
	inDecimals
)

// sectionsOf reads the sections of a code, which are separated by semicolons.
func sectionsOf(code string) (all []section) {
	for more := true; more; {
		r, end := sectionReader{}, 0
		for end < len(code) && code[end] != ';' {
			end += r.take(code[end:])
		}
		r.code = code[:end]
		r.scale += r.commas
		r.after += r.literal
		all = append(all, r.section)
		if more = end < len(code); more {
			code = code[end+1:]
		}
	}
	return all
}

// take reads the first token of code and returns its length.
func (r *sectionReader) take(code string) int {
	switch c := code[0]; c {
	case '"':
		text, _, _ := strings.Cut(code[1:], `"`)
		r.text(text)
		return min(len(text)+2, len(code))
	case '\\':
		_, n := utf8.DecodeRuneInString(code[1:])
		r.text(code[1 : 1+n])
		return 1 + n
	case '_', '*': // a gap as wide as a character, or a character that fills the cell
		_, n := utf8.DecodeRuneInString(code[1:])
		r.odd = r.odd || c == '*' && code[1:1+n] != " "
		return 1 + n
	case '[':
		in, _, closed := strings.Cut(code[1:], "]")
		r.bracket(in)
		r.odd = r.odd || !closed
		return min(len(in)+2, len(code))
	case '0', '#', '?':
		r.digit(c)
	case ',':
		r.commas++
	case '.':
		r.odd = r.odd || r.point || r.literal != ""
		r.scale, r.commas = r.scale+r.commas, 0
		r.point, r.stage = true, inDecimals
	case '%':
		r.percent++
		r.text("%")
	case '@':
		r.odd = r.odd || r.general || r.stage != beforeDigits
		r.general, r.at = true, true
	default:
		return r.letter(code)
	}
	return 1
}

// letter reads a character that is neither a digit nor quoted.
func (r *sectionReader) letter(code string) int {
	switch c := code[0] | 0x20; {
	case len(code) >= 7 && strings.EqualFold(code[:7], "general"):
		r.odd = r.odd || r.general || r.stage != beforeDigits
		r.general = true
		return 7
	case strings.IndexByte("dmyhsgb", c) >= 0:
		r.date = true
	case c == 'e':
		r.date = r.date || r.stage == beforeDigits // the year of an era
		r.odd = true
	case code[0] == '/':
		r.odd = true
	default:
		_, n := utf8.DecodeRuneInString(code)
		r.text(code[:n])
		return n
	}
	return 1
}

func (r *sectionReader) digit(c byte) {
	switch {
	case r.general, r.stage == inDecimals && (r.literal != "" || r.commas > 0):
		r.odd = true
	case r.stage == inDecimals:
		r.decimals++
		if c == '0' {
			r.fixed = r.decimals
		}
		return
	case r.stage == inWhole && r.literal != "":
		separator := strings.ReplaceAll(r.literal, "\u00a0", " ")
		r.odd = r.odd || separator != "," && separator != " " || r.commas > 0
		r.whole, r.literal = r.whole+separator, ""
	case r.commas > 0:
		r.odd = r.odd || r.stage == beforeDigits
		r.grouped, r.commas = true, 0
	}
	r.stage = inWhole
	r.whole += string(c)
	if c == '0' {
		r.zeros++
	}
}

// text takes literal text.
func (r *sectionReader) text(s string) {
	if r.stage == beforeDigits && !r.general {
		r.before += s
		return
	}
	r.literal += s
}

// bracket reads the text in square brackets: a currency with its locale, a condition, a colour, or hours beyond
// a day.
func (r *sectionReader) bracket(in string) {
	ink, isColour := colourNamed(in)
	switch {
	case strings.HasPrefix(in, "$"):
		symbol, place, _ := strings.Cut(in[1:], "-")
		r.text(symbol)
		// A locale beyond 20 bits names a calendar or the digits of a script.
		r.odd = r.odd || len(place) > 5 && strings.Trim(place, "0123456789abcdefABCDEF") == "" || strings.Contains(place, ",")
	case isElapsed(in):
		r.date = true
	case isColour:
		r.ink = ink
	default:
		at := len(in) - len(strings.TrimLeft(in, "<>="))
		bound, err := strconv.ParseFloat(in[at:], 64)
		r.condition = condition{in[:at], bound}
		r.odd = r.odd || err != nil || at == 0
	}
}

// isElapsed reports whether in is that of [h], [mm] or [ss].
func isElapsed(in string) bool {
	return in != "" && (strings.Trim(in, "hH") == "" || strings.Trim(in, "mM") == "" || strings.Trim(in, "sS") == "")
}

// mayHold reports whether a number above zero can meet the condition.
func (c condition) mayHold() bool {
	return c.bound > 0 || c.op != "<" && c.op != "<=" && c.op != "="
}

// holds reports whether the number meets the condition. An operator consists of the signs that meet it: <= is < or =.
func (c condition) holds(f float64) bool {
	sign := "<=>"[cmp.Compare(f, c.bound)+1]
	return c.op == "" || strings.IndexByte(c.op, sign) >= 0
}
