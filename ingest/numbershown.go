package ingest

import (
	"math/big"
	"strconv"
	"strings"
)

// Shows gives what the person sees in a cell of this style that holds the
// number: with the text, the grouping and the decimals of its format. It
// reports false where the format has what is not understood here, and where
// the number is not above zero.
func (s *Sheet) Shows(style int, number string) (string, bool) {
	if s.book == nil {
		return "", false
	}
	return s.book.shapeOf(style).show(number)
}

// generalChars is how long a number may be that the general format shows whole.
const generalChars = 11

// show gives a number above zero as the format shows it.
func (s *numberShape) show(value string) (string, bool) {
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
	if n, _ := scanNumber([]byte(value)); n.significant > exactDigits {
		f, _ := strconv.ParseFloat(value, 64)
		value = strconv.FormatFloat(f, 'e', exactDigits-1, 64) // no spreadsheet program shows more
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
	shown := p.before + p.separate(whole)
	if p.point {
		shown += "." + fraction
	}
	return shown + p.after, true
}

// separate puts the separators between the digits.
func (p *section) separate(digits string) string {
	if p.grouped {
		return separateEvery(digits, "###,###,###,###,###,###,###")
	}
	return separateEvery(digits, p.whole)
}

// separateEvery lays digits over a pattern from the right; what is longer than
// the pattern stands in front.
func separateEvery(digits, pattern string) string {
	var out []byte
	for i := len(pattern) - 1; i >= 0 && digits != ""; i-- {
		if c := pattern[i]; c == ',' || c == ' ' {
			out = append(out, c)
			continue
		}
		out, digits = append(out, digits[len(digits)-1]), digits[:len(digits)-1]
	}
	for i, j := 0, len(out)-1; i < j; i, j = i+1, j-1 {
		out[i], out[j] = out[j], out[i]
	}
	return digits + string(out)
}
