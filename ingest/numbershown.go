package ingest

import (
	"math/big"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Shows returns what the person sees in a cell of this style that holds the number, or the day as Date has it:
// with the text, grouping and decimals of its format. It reports false if the number is not above zero, if
// payrun does not understand the format, or if the computer's settings decide it.
func (s *Sheet) Shows(style int, number string) (string, bool) {
	return s.book.styleOf(style).shape.show(number)
}

// generalChars is the longest number that the general format shows in full.
const generalChars = 11

// show returns a number above zero as the format shows it.
func (s *numberShape) show(value string) (string, bool) {
	if s.date {
		return s.sections[0].showDay(value)
	}
	f, err := strconv.ParseFloat(value, 64)
	if err != nil || f <= 0 {
		return "", false
	}
	for i := range s.sections {
		if p := &s.sections[i]; p.condition.holds(f) {
			return p.show(value)
		}
	}
	return "", false
}

func (p *section) show(value string) (string, bool) {
	switch {
	case p.odd, p.date, p.general && len(value) > generalChars:
		return "", false
	case p.general:
		return p.before + value + p.after, true
	case !p.hasDigits():
		return p.before + p.after, true
	}
	if n, _ := scanNumber([]byte(value)); n.significant > ExactDigits {
		f, _ := strconv.ParseFloat(value, 64)
		value = strconv.FormatFloat(f, 'e', ExactDigits-1, 64) // spreadsheet programs show at most 15 digits
	}
	number, ok := new(big.Rat).SetString(value)
	if !ok {
		return "", false
	}
	for range p.percent {
		number.Mul(number, big.NewRat(100, 1))
	}
	for range p.scale {
		number.Mul(number, big.NewRat(1, 1000))
	}
	whole, fraction, _ := strings.Cut(number.FloatString(p.decimals), ".")
	for len(fraction) > p.fixed && fraction[len(fraction)-1] == '0' {
		fraction = fraction[:len(fraction)-1]
	}
	if whole == "0" {
		whole = ""
	}
	for len(whole) < p.zeros {
		whole = "0" + whole
	}
	shown := p.before + separated(whole, p.whole)
	if p.grouped {
		shown = p.before + separated(whole, "###,###,###,###,###,###,###")
	}
	if p.point {
		shown += "." + fraction
	}
	return shown + p.after, true
}

// separated lays digits over a pattern from the right. Digits beyond the pattern come first, without separators.
func separated(digits, pattern string) string {
	var out []byte
	for i := len(pattern) - 1; i >= 0 && digits != ""; i-- {
		if c := pattern[i]; c == ',' || c == ' ' {
			out = append(out, c)
			continue
		}
		out, digits = append(out, digits[len(digits)-1]), digits[:len(digits)-1]
	}
	slices.Reverse(out)
	return digits + string(out)
}

// appendText appends a text as the section shows it.
func (p *section) appendText(out []byte, text string) []byte {
	out = append(out, p.before...)
	if p.general {
		out = append(out, text...)
	}
	return append(out, p.after...)
}

// dayLayouts maps the parts of a day in a format to layouts of package time.
var dayLayouts = map[string]string{
	"d": "2", "dd": "02", "ddd": "Mon", "dddd": "Monday", "m": "1", "mm": "01", "mmm": "Jan", "mmmm": "January", "yy": "06", "yyyy": "2006",
}

// showDay returns a day as the section shows it, in English. It does not understand times of day.
func (p *section) showDay(value string) (string, bool) {
	day, err := time.Parse(time.DateOnly, value)
	if err != nil || p.condition.op != "" {
		return "", false
	}
	shown := ""
	for code := strings.ToLower(p.code); code != ""; {
		n := 1
		switch c := code[0]; {
		case c == 'd' || c == 'm' || c == 'y':
			n = len(code) - len(strings.TrimLeft(code, string(c)))
			layout, ok := dayLayouts[code[:n]]
			if !ok {
				return "", false
			}
			shown += day.Format(layout)
		case c == '\\' && len(code) > 1 && code[1] < utf8.RuneSelf:
			n = 2
			shown += code[1:2]
		case c == '[':
			in, _, _ := strings.Cut(code[1:], "]")
			if _, ok := colourNamed(in); !ok && !isEnglish(in) {
				return "", false
			}
			n = min(len(in)+2, len(code))
		case strings.IndexByte("-/., ", c) >= 0:
			shown += string(c)
		default:
			return "", false
		}
		code = code[n:]
	}
	return shown, shown != ""
}

// isEnglish reports whether a locale of a format has English month names.
func isEnglish(in string) bool {
	place, ok := strings.CutPrefix(in, "$-")
	return ok && (strings.HasSuffix(place, "09") && len(place) <= 4 || strings.HasPrefix(place, "en"))
}
