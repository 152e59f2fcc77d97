package visible

import "strings"

// WellGrouped reports whether the commas of a whole number are where Indian
// or Western grouping puts them. A number without commas is well grouped.
func WellGrouped(s string) bool {
	first := strings.IndexByte(s, ',')
	if first < 0 {
		return s != ""
	}
	indian, western := first == 1 || first == 2, first >= 1 && first <= 3
	for rest := s[first+1:]; ; {
		next := strings.IndexByte(rest, ',')
		if next < 0 {
			return len(rest) == 3 && (indian || western) && s[0] != '0'
		}
		indian, western = indian && next == 2, western && next == 3
		rest = rest[next+1:]
	}
}

// RupeeMarks in the order they are tried: the longer of two that begin alike first.
var RupeeMarks = [...]string{"₹", "Rs.", "Rs", "INR"}

// CutRupee takes one name of the rupee off the front, and the space behind it.
func CutRupee(s string) (rest string, found bool) {
	for _, mark := range RupeeMarks {
		if len(s) >= len(mark) && strings.EqualFold(s[:len(mark)], mark) {
			return Trim(s[len(mark):]), true
		}
	}
	return s, false
}
