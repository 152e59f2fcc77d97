package app

import (
	"runtime/debug"
	"sync"
)

// garbage is one setting of the process, however many Apps there are in it.
var garbage heap

// heap is how much garbage the process lets lie.
type heap struct {
	mu     sync.Mutex
	using  int // those who want it small
	before int // the percentage they found
}

// gcPercent keeps the heap near what is in use while a sheet streams through:
// a million rows leave much garbage behind and keep little.
const gcPercent = 40

// keepSmall holds until the returned function is called, and until all others
// that want it have called theirs.
func (h *heap) keepSmall() (done func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.using++; h.using == 1 {
		h.before = debug.SetGCPercent(gcPercent)
	}
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.using--; h.using == 0 {
			debug.SetGCPercent(h.before)
		}
	}
}
