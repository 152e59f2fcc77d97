package app

import (
	"testing"
	"time"
)

// Every day that was asked for is in one window, none is in two, and none is
// longer than the interface takes, however it counts.
func TestDaysAreSplitIntoWindows(t *testing.T) {
	first := time.Date(2027, 12, 15, 0, 0, 0, 0, time.UTC)
	for days, want := range map[int]int{1: 1, 29: 1, 30: 1, 31: 2, 60: 2, 61: 3, 366: 13} {
		next, got := first, windowsOf(first, first.AddDate(0, 0, days-1))
		for _, w := range got {
			if !w.From.Equal(next) || w.To.Before(w.From) || w.To.Sub(w.From) > 29*24*time.Hour {
				t.Errorf("%d days: a window from %s to %s after %s", days, w.From, w.To, next)
			}
			next = w.To.AddDate(0, 0, 1)
		}
		if len(got) != want || !next.Equal(first.AddDate(0, 0, days)) {
			t.Errorf("%d days: %d windows until %s, want %d", days, len(got), next, want)
		}
	}
	if got := windowsOf(first, first.AddDate(0, 0, -1)); got != nil {
		t.Errorf("no days: %v", got)
	}
	if got := windowsOf(first, first.AddDate(1000, 0, 0)); len(got) != mostWindows+1 {
		t.Errorf("a thousand years: %d windows", len(got))
	}
}
