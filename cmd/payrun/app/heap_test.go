package app

import (
	"runtime/debug"
	"testing"
)

// Two sheets read at the same time leave the process as it was, in whichever
// order they end.
func TestReadingSheetsLeavesTheProcessAsItWas(t *testing.T) {
	const usual = 77
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	var h heap
	first, second := h.keepSmall(), h.keepSmall()
	first()
	if got := debug.SetGCPercent(gcPercent); got != gcPercent {
		t.Errorf("while one is still read: %d, want %d", got, gcPercent)
	}
	second()
	if got := debug.SetGCPercent(usual); got != usual {
		t.Errorf("after both: %d, want %d", got, usual)
	}
}
