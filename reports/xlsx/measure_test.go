package xlsx_test

import (
	"strings"
	"testing"

	"payrun/reports/xlsx"
)

func TestLines(t *testing.T) {
	hash := strings.Repeat("0f", 32)
	for _, c := range []struct {
		text  string
		width float64
		want  int
	}{
		{"", 10, 1},
		{"settled", 10, 1},
		{"eleven char", 10, 1},
		{"twelve chars", 10, 2},
		{"one two three four five", 10, 3}, // a word that does not fit goes to the next line
		{strings.Repeat("x", 22), 10, 2},
		{strings.Repeat("x", 23), 10, 3}, // nor is there room for it whole
		{"a " + strings.Repeat("x", 23), 10, 4},
		{"nov.csv; sha256 " + hash + "; rows " + hash + "; 180 payouts of 3034249318.06; 0 rejected of 0.00", 70, 4},
	} {
		if got := xlsx.Lines(c.text, c.width); got != c.want {
			t.Errorf("%q at %v: %d lines, want %d", c.text, c.width, got, c.want)
		}
	}
}

func TestARowOfOneLineHasTheUsualHeightAndNoneIsTallerThanTwelveLines(t *testing.T) {
	for lines, want := range map[int]int{0: 0, 1: 0, 2: 28, 12: 168, 13: 168} {
		if got := xlsx.Height(lines); got != want {
			t.Errorf("%d lines: %d points, want %d", lines, got, want)
		}
	}
}
