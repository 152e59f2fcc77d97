package app

import (
	"errors"
	"os"
	"path/filepath"
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

// A heap that is smaller than a large sheet is left alone; one that has grown is kept
// small, and one that is large smaller still.
func TestGarbageIsLeftLyingWhileLittleIsInUse(t *testing.T) {
	const mb = 1 << 20
	for _, c := range []struct {
		live, least uint64
		want        int
	}{
		{0, 0, gcPercent},
		{3 * mb, 0, gcPercent},        // a small sheet
		{0, 64 * mb, 1600},            // before anything was collected: 4 MB and not one byte is what Go begins with
		{16 * mb, 64 * mb, 300},       // up to 64 MB
		{60 * mb, 64 * mb, gcPercent}, // beyond it by less than that
		{120 * mb, 64 * mb, 10},
	} {
		if got := percentFor(c.live, c.least); got != c.want {
			t.Errorf("percentFor(%d, %d) = %d, want %d", c.live, c.least, got, c.want)
		}
	}
}

// The percentage follows what is in use while a sheet is read, and no longer.
func TestThePercentageFollowsTheSheet(t *testing.T) {
	const usual = 77
	defer debug.SetGCPercent(debug.SetGCPercent(usual))
	sheet := filepath.Join(t.TempDir(), "sheet.csv")
	if err := errors.Join(os.WriteFile(sheet, nil, 0o600), os.Truncate(sheet, 2*mostLeast)); err != nil {
		t.Fatal(err)
	}
	var h heap
	done := h.keepSmall(sheet)
	h.least *= 16 // than which what the tests use is less, surely
	h.adjust()
	if h.percent <= gcPercent {
		t.Errorf("with little in use: %d, want more than %d", h.percent, gcPercent)
	}
	h.least = 0
	h.adjust()
	if h.percent > gcPercent {
		t.Errorf("with more in use: %d, want no more than %d", h.percent, gcPercent)
	}
	done()
	h.least = 16 * mostLeast
	h.adjust() // of who was reading still
	if got := debug.SetGCPercent(usual); got != usual {
		t.Errorf("afterwards: %d, want %d", got, usual)
	}
}

// However many operations there are one after the other, they have it once.
func TestLeewayIsGivenOnce(t *testing.T) {
	var h heap
	h.giveLeeway()
	first := &h.leeway[0]
	h.giveLeeway()
	if &h.leeway[0] != first || len(h.leeway) != leeway {
		t.Error("it is given anew")
	}
}
