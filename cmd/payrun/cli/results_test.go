package cli

import (
	"testing"

	"payrun/cmd/payrun/term"
)

// A line that says "1 more" takes the place of the row that it is about.
func TestALastRowIsShown(t *testing.T) {
	s := &session{program: &program{term: &term.Terminal{}}}
	for all, want := range map[int]int{0: 0, 19: 19, 20: 20, 21: 21, 22: 20, 500: 20} {
		if got := s.shownOf(all, shownBatches); got != want {
			t.Errorf("%d rows: %d shown, want %d", all, got, want)
		}
	}
	s.term.Verbose = true
	if got := s.shownOf(500, shownBatches); got != 500 {
		t.Errorf("with --verbose %d of 500 are shown", got)
	}
}
