package xlsx

import "strings"

// LinePoints is the height of a line of the workbook's font.
const LinePoints = 14

// Height returns the height of a row of that many lines, in points; 0, the usual height, for one. Not all
// spreadsheet programs compute it when they open a file. It is limited: a bank's long words are cut on screen, not
// in the cell.
func Height(lines int) int {
	const most = 12
	if lines <= 1 {
		return 0
	}
	return min(lines, most) * LinePoints
}

// Lines returns how many lines a text takes in a column of that width, in characters, if words are kept whole
// where possible.
func Lines(s string, columnWidth float64) int {
	width := int(columnWidth) * 11 / 10 // words are narrower than the digits that define the width
	lines, used := 1, 0
	for word := range strings.FieldsSeq(s) {
		n := Length(word)
		if used > 0 && used+1+n > width {
			lines, used = lines+1, 0
		}
		if used > 0 {
			used++
		}
		used += n
		lines, used = lines+(used-1)/width, (used-1)%width+1
	}
	return lines
}

// Length is a text's length in UTF-16 units, as spreadsheet programs count.
func Length(s string) int {
	n := 0
	for _, r := range s {
		n++
		if r > 0xffff {
			n++
		}
	}
	return n
}
