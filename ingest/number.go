package ingest

import (
	"bytes"
	"math"
	"strconv"
	"time"
)

// ExactDigits is how many significant digits a double always keeps and a spreadsheet program shows.
const ExactDigits = 15

// appendNumber appends the number of a cell as people write it: the shortest decimal of its double, so that
// 1.1000000000000001 is 1.1. If even that has more than 15 significant digits, the raw digits stay. It reports
// false if raw is not a number.
func appendNumber(out, raw []byte) ([]byte, bool) {
	n, ok := scanNumber(raw)
	if !ok {
		return out, false
	}
	if n.plain && n.significant <= ExactDigits {
		return append(out, raw...), true
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || math.IsInf(f, 0) {
		return out, false
	}
	if f == 0 {
		return append(out, '0'), true
	}
	start := len(out)
	out = strconv.AppendFloat(out, f, 'f', -1, 64)
	if short, _ := scanNumber(out[start:]); !n.exponent && short.significant > ExactDigits && n.significant > ExactDigits {
		return append(out[:start], raw...), true
	}
	return out, true
}

// Exact reports whether the number of a cell, as Row.Cells has it, is what the person typed. With more than 15
// significant digits the person may have typed something else.
func Exact(cell string) bool {
	n, ok := scanNumber([]byte(cell))
	return ok && n.significant <= ExactDigits
}

// number is the shape of a number's text.
type number struct {
	significant int  // digits, without leading and trailing zeros
	exponent    bool // 1E5
	plain       bool // it is already the shortest decimal: no exponent, no zeros to drop
}

// scanNumber reads -1, 1.5, .5, 5. and 1.5E+10: XML Schema's double without INF and NaN.
func scanNumber(b []byte) (number, bool) {
	i, negative := 0, false
	if i < len(b) && (b[i] == '-' || b[i] == '+') {
		negative, i = b[i] == '-', 1
	}
	mantissa := b[i:]
	if e := bytes.IndexAny(mantissa, "eE"); e >= 0 {
		if !isExponent(mantissa[e+1:]) {
			return number{}, false
		}
		mantissa = mantissa[:e]
	}
	whole, fraction, point := bytes.Cut(mantissa, []byte{'.'})
	if !isDigits(whole) || !isDigits(fraction) || len(whole)+len(fraction) == 0 {
		return number{}, false
	}
	n := number{exponent: i+len(mantissa) < len(b), significant: significant(whole, fraction)}
	zero := n.significant == 0
	n.plain = !n.exponent && len(whole) > 0 && (whole[0] != '0' || len(whole) == 1) && b[0] != '+' && !(zero && negative) &&
		(!point || len(fraction) > 0 && fraction[len(fraction)-1] != '0')
	return n, true
}

func isExponent(b []byte) bool {
	if len(b) > 0 && (b[0] == '+' || b[0] == '-') {
		b = b[1:]
	}
	return len(b) > 0 && len(b) < 5 && isDigits(b)
}

func isDigits(b []byte) bool {
	for _, c := range b {
		if c < '0' || c > '9' {
			return false
		}
	}
	return true
}

// significant counts the digits from the first to the last nonzero one.
func significant(whole, fraction []byte) int {
	digits := append(append(make([]byte, 0, 32), whole...), fraction...)
	return len(bytes.Trim(digits, "0"))
}

// lastSerial is 31 December 9999, Excel's last day.
const lastSerial = 2958465

// appendDate appends the day of a serial number, and its time to the second if it has one. Workbooks begun on
// an old Mac count from 1904. It reports false outside Excel's range of days. Day 60 is 29 February 1900, which
// never existed; Excel and appendDate still show it.
func appendDate(out []byte, serial float64, from1904 bool) ([]byte, bool) {
	if !(serial >= 0 && serial < lastSerial+1) {
		return out, false
	}
	day, part := math.Modf(serial)
	seconds := int(math.Round(part * 86400))
	if seconds == 86400 {
		day, seconds = day+1, 0
	}
	start := time.Date(1899, time.December, 30, 0, 0, 0, 0, time.UTC)
	switch {
	case from1904:
		start = time.Date(1904, time.January, 1, 0, 0, 0, 0, time.UTC)
	case day < 60:
		start = start.AddDate(0, 0, 1)
	}
	if !from1904 && day == 60 {
		out = append(out, "1900-02-29"...)
	} else {
		out = start.AddDate(0, 0, int(day)).AppendFormat(out, time.DateOnly)
	}
	if seconds > 0 {
		clock := time.Unix(int64(seconds), 0).UTC()
		out = clock.AppendFormat(out, " "+time.TimeOnly)
	}
	return out, true
}
