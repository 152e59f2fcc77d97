package simulation

import (
	"context"
	"os"

	"payrun/ledger/sqlite"
	"payrun/submitter"
)

// swap is another ledger in the place of the real one.
type swap int

const (
	noSwap   swap = iota
	restored      // an older copy is put back
	lost          // a new one takes the place of a lost one
)

// copyLedger takes a copy for swapLedger to put back, and tells how many
// events it has. Nobody has the ledger open meanwhile.
func (h *history) copyLedger(s swap) (older []byte, events int64) {
	if s != restored {
		return nil, 0
	}
	h.withoutLedger(func() (err error) {
		older, err = os.ReadFile(h.path)
		return err
	})
	return older, h.eventsNow()
}

// swapLedger does it. From now on nothing may be sent: only a person may
// accept a ledger that has forgotten something.
func (h *history) swapLedger(s swap, older []byte, events int64) {
	if s == noSwap || (s == restored && events == h.eventsNow()) {
		return
	}
	h.stats.swaps++
	h.withoutLedger(func() error {
		if s == restored {
			return os.WriteFile(h.path, older, 0o600)
		}
		if err := os.Remove(h.path); err != nil {
			return err
		}
		store, err := sqlite.Create(context.Background(), h.path, "asha", h.clock)
		if err != nil {
			return err
		}
		return store.Close()
	})
	h.swapped = true
	if h.ignoresMark {
		if err := os.Remove(h.path + ".head"); err != nil {
			h.found("removing the mark: %v", err)
		}
	}
	for _, sheet := range h.sheets {
		sheet.loaded = h.recorded(sheet)
	}
	h.logf("the ledger is not what it was")
}

func (h *history) eventsNow() (n int64) {
	if err := h.eye.one(`SELECT count(*) FROM events`, nil, &n); err != nil {
		h.found("looking at the ledger: %v", err)
	}
	return n
}

// withoutLedger closes every connection, runs fn, and looks again.
func (h *history) withoutLedger(fn func() error) {
	h.eye.close()
	_ = h.run(&process{}, "fold the log in", func(*process, *submitter.Engine) error { return nil })
	h.close() // the last to go leaves one file
	if err := fn(); err != nil {
		h.found("replacing the ledger: %v", err)
	}
	var err error
	if h.eye, err = openEye(h.path); err != nil {
		h.found("opening the ledger: %v", err)
	}
}
