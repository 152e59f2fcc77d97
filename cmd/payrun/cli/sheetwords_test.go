package cli

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

func TestRunsOfRows(t *testing.T) {
	for _, c := range []struct {
		rows []int
		most int
		want string
	}{
		{[]int{17}, 8, "17"},
		{[]int{17, 22, 23, 24, 31}, 8, "17, 22-24, 31"},
		{[]int{2, 3}, 8, "2-3"},
		{[]int{1, 3, 5}, 3, "1, 3, 5"},
		{[]int{1, 3, 5, 7, 9}, 3, "1, 3, 5, … (--verbose shows all)"},
	} {
		if got := runs(c.rows, c.most); got != c.want {
			t.Errorf("%v at most %d: %s, want %s", c.rows, c.most, got, c.want)
		}
	}
}

func TestProblemsAreTheSameButForRowAndValue(t *testing.T) {
	ifsc := func(row int, value string) ledger.Finding {
		return ledger.Finding{Row: row, Column: "ifsc", Value: value, Message: "no IFSC", Fix: "Correct it."}
	}
	other := ifsc(4, "x")
	other.Message = "no IFSC either"
	file := ledger.Finding{Column: "ifsc", Message: "no IFSC", Fix: "Correct it."} // of no row: each is apart
	all := sameProblems([]ledger.Finding{file, ifsc(2, "a"), ifsc(3, "b"), other, file, ifsc(9, "a")})
	var rows [][]int
	for _, same := range all {
		var of []int
		for _, f := range same {
			of = append(of, f.Row)
		}
		rows = append(rows, of)
	}
	if d := cmp.Diff([][]int{{0}, {2, 3, 9}, {4}, {0}}, rows); d != "" {
		t.Error(d)
	}
}
