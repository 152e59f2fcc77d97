package xlsx

const (
	// LinePoints is the height of a line of the workbook's font.
	LinePoints = 14
	// MaxLines bounds a row: a bank's long words are cut in sight, not in the cell.
	MaxLines = 12
)

// Lines is how many lines a text takes in a column so many characters wide.
func Lines(s string, columnWidth float64) int {
	width := int(columnWidth) * 11 / 10 // words are narrower than the digits that widths count
	return (Length(s) + width - 1) / width
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
