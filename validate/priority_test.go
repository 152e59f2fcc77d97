package validate

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestAPriorityIsARankOrAWordAndNeverRefuses(t *testing.T) {
	tests := []struct {
		cells   string // of the column, one a row
		want    []int
		unclear []int // rows
	}{
		{"2|1||9999", []int{2, 1, 0, 9999}, nil},
		{"P1|p 2|p3", []int{1, 0, 3}, []int{3}},
		{"Urgent|HIGH|medium|Low", []int{1, 2, 3, 4}, nil},
		{"0|-1|10000|1.5|01", []int{0, 0, 0, 0, 1}, []int{2, 3, 4, 5}},
		{"ASAP|P|१|99999999999999999999", []int{0, 0, 0, 0}, []int{2, 3, 4, 5}},
		{"high|1|low", []int{2, 0, 4}, []int{3}},
		{"1|high|2", []int{1, 0, 2}, []int{3}},
		{"soon|high", []int{0, 2}, []int{2}},
	}
	for _, tt := range tests {
		sheet, plain := strings.TrimSpace(header)+",Payment Priority\n", header
		for i, cell := range strings.Split(tt.cells, "|") {
			row := good(fmt.Sprintf("A-%d", i), fmt.Sprintf("%d.00", i+1))
			sheet, plain = sheet+strings.TrimSpace(row)+","+cell+"\n", plain+row
		}
		o := checkText(t, testOptions(), nil, sheet)
		var got, unclear []int
		for _, p := range o.kept {
			got = append(got, p.Priority)
		}
		for _, f := range o.Findings {
			if f.Code != codePriorityUnclear || f.Column != "priority" {
				t.Errorf("%s: %+v", tt.cells, f)
			}
			unclear = append(unclear, f.Row)
		}
		if !slices.Equal(got, tt.want) || !slices.Equal(unclear, tt.unclear) {
			t.Errorf("%s: read as %v, unclear %v; want %v and %v", tt.cells, got, unclear, tt.want, tt.unclear)
		}
		if before := checkText(t, testOptions(), nil, plain); o.Sheet.RowsHash != before.Sheet.RowsHash {
			t.Errorf("%s: other content than without priorities", tt.cells)
		}
	}
}
