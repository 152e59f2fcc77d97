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
