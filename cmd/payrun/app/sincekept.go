package app

import (
	"crypto/sha256"
	"fmt"
	"sync"

	"payrun/ledger"
)

// sinceLasts are what was found of the sheets that were looked at last: who looks at a
// page looks again and again.
type sinceLasts struct {
	mu    sync.Mutex
	found map[string]sinceFound // by sheet
}

// sinceFound is what was found of one, and how what was compared stood then.
type sinceFound struct {
	since    []SinceLast
	standing standing
}

// standing is what a comparison depends on: the sheets and how their batches stand.
type standing [sha256.Size]byte

// sinceKept is of how many sheets it is kept.
const sinceKept = 8

// standingOf is of these sheets and their batches.
func standingOf(sheets []ledger.Sheet, batches []ledger.Batch) standing {
	sum := sha256.New()
	for _, s := range sheets {
		fmt.Fprintf(sum, "%q %q\n", s.ID, s.Name)
	}
	for _, b := range batches {
		fmt.Fprintf(sum, "%q %q %s %d\n", b.SheetID, b.ID, b.State, b.UpdatedAt.UnixMicro())
	}
	return standing(sum.Sum(nil))
}

func (s *sinceLasts) of(id string, as standing) ([]SinceLast, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.found[id]
	return found.since, ok && found.standing == as
}

func (s *sinceLasts) keep(id string, as standing, since []SinceLast) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.found[id]; s.found == nil || !known && len(s.found) >= sinceKept {
		s.found = map[string]sinceFound{}
	}
	s.found[id] = sinceFound{since, as}
}
