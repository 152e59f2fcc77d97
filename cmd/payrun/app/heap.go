package app

import (
	"os"
	"runtime/debug"
	metric "runtime/metrics"
	"sync"
)

// garbage is one setting of the process, however many Apps there are in it.
var garbage heap

// heap is how much garbage the process lets lie.
type heap struct {
	mu      sync.Mutex
	using   int    // those who want it small
	before  int    // the percentage they found
	percent int    // what it is now
	least   uint64 // bytes from which on it is kept small; the most of those who want it
	leeway  []byte // see giveLeeway
}

const (
	// gcPercent keeps the heap near what is in use while a sheet streams through:
	// a million rows leave much garbage behind and keep little.
	gcPercent = 40
	// mostGarbage is how much may lie, in bytes, where more than mostLeast is in use: what a
	// sheet of millions of rows keeps has hardly a pointer in it, so that going through it
	// is cheap.
	mostGarbage = 12 << 20
	// mostLeast is the heap, in bytes, from which on it is kept small whatever the sheet.
	// Up to it, and to as much as the sheet itself has, garbage may lie: to collect it
	// again and again while little was in use took an eighth of a check's CPU.
	mostLeast = 64 << 20
	// smallestHeap is how much Go takes every heap to have at least: by a larger percentage
	// than one that brings this to the least, a small heap would grow beyond it.
	smallestHeap = 4 << 20
)

// keepSmall holds while these sheets are read, until the returned function is called,
// and until all others that want it have called theirs.
func (h *heap) keepSmall(paths ...string) (done func()) {
	least := min(bytesOf(paths), mostLeast)
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.using++; h.using == 1 {
		h.before, h.percent, h.least = debug.SetGCPercent(gcPercent), gcPercent, 0
	}
	h.least = max(h.least, least)
	return func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.using--; h.using == 0 {
			debug.SetGCPercent(h.before)
		}
	}
}

// bytesOf is how large the sheets are together; who reads them tells where one is missing.
func bytesOf(paths []string) (n uint64) {
	for _, path := range paths {
		if info, err := os.Stat(path); err == nil {
			n += uint64(info.Size())
		}
	}
	return n
}

// adjust sets the percentage for what is in use now. Who reads a sheet calls it as it
// goes, for what is in use grows with the rows.
func (h *heap) adjust() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if p := percentFor(inUse(), h.least); h.using > 0 && p != h.percent {
		debug.SetGCPercent(p)
		h.percent = p
	}
}

// giveBack returns to the machine what was needed until now, where that was much: what
// follows asks for large pieces, and would get them beside it.
func (h *heap) giveBack() {
	if inUse() > mostLeast {
		debug.FreeOSMemory()
	}
}

// inUse is how many bytes of the heap were, at the last collection.
func inUse() uint64 {
	live := []metric.Sample{{Name: "/gc/heap/live:bytes"}}
	metric.Read(live)
	return live[0].Value.Uint64()
}

// percentFor lets a heap of which so much is in use grow by gcPercent, or to the least;
// a large one by mostGarbage at most.
func percentFor(live, least uint64) int {
	live = max(live, 1<<20)
	percent := uint64(gcPercent)
	switch {
	case live < least:
		percent = max(percent, min((least-live)*100/live, least*100/smallestHeap))
	case live > mostLeast:
		percent = max(1, min(percent, mostGarbage*100/live))
	}
	return int(percent)
}

// leeway is room for garbage, in bytes: it counts as in use and, as nobody writes to it,
// is no memory. What an engine keeps is a few megabytes, and each step of a batch of 500
// leaves as many behind, so that garbage was collected four times a submit, for a sixth of
// its time. A large heap gets no larger by more than this, unlike by a percentage.
const leeway = 16 << 20

// giveLeeway has it from now on.
func (h *heap) giveLeeway() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.leeway == nil {
		h.leeway = make([]byte, leeway)
	}
}
