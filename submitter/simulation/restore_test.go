package simulation

import (
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
func (h *history) copyLedger(s swap) (older any, events int64) {
	if s != restored {
		return nil, 0
	}
	h.withoutLedger(func() (err error) {
		older, err = h.home.copied()
		return err
	})
	return older, h.eventsNow()
}

// swapLedger does it. From now on nothing may be sent: only a person may
// accept a ledger that has forgotten something.
func (h *history) swapLedger(s swap, older any, events int64) {
	if s == noSwap || (s == restored && events == h.eventsNow()) {
		return
	}
	h.stats.swaps++
	h.withoutLedger(func() error {
		if s == restored {
			return h.home.restore(older)
		}
		return h.home.lose()
	})
	h.swapped = true
	if h.ignoresMark {
		if err := h.home.forget(); err != nil {
			h.found("removing the mark: %v", err)
		}
	}
	for _, sheet := range h.sheets {
		sheet.loaded = h.recorded(sheet)
	}
	h.logf("the ledger is not what it was")
}

func (h *history) eventsNow() (n int64) {
	err := h.eye.view.events(0, func(e event) error { n = e.seq; return nil })
	if err != nil {
		h.found("looking at the ledger: %v", err)
	}
	return n
}

// withoutLedger runs fn while nobody has the ledger open, and looks again.
func (h *history) withoutLedger(fn func() error) {
	h.closeEye()
	_ = h.run(&process{}, "open and close", func(*process, *submitter.Engine) error { return nil })
	h.close()
	if err := fn(); err != nil {
		h.found("replacing the ledger: %v", err)
	}
	if err := h.openEye(); err != nil {
		h.found("opening the ledger: %v", err)
	}
}
