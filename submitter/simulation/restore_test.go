package simulation

import (
	"context"
	"os"

	"payrun/ledger/sqlite"
	"payrun/submitter"
)

// copyLedger takes a copy that putBack may put back later. Nobody has the
// ledger open meanwhile.
func (h *history) copyLedger() []byte {
	if !*restoredLedger {
		return nil
	}
	var older []byte
	h.withoutLedger(func() error {
		var err error
		older, err = os.ReadFile(h.path)
		return err
	})
	return older
}

// putBack puts an older copy, or a new ledger, in the place of this one, where
// the flags ask for it. The person loads again what the ledger does not have.
func (h *history) putBack(older []byte) {
	if !*restoredLedger && !*lostLedger {
		return
	}
	h.withoutLedger(func() error {
		if *restoredLedger {
			return os.WriteFile(h.path, older, 0o600)
		}
		if err := os.Remove(h.path); err != nil {
			return err
		}
		s, err := sqlite.Create(context.Background(), h.path, "asha", h.clock)
		if err != nil {
			return err
		}
		return s.Close()
	})
	for _, s := range h.sheets {
		s.loaded = h.recorded(s)
	}
	h.logf("the ledger is not what it was")
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
