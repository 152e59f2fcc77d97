package simulation

import (
	"testing"

	"payrun/ledger/sqlite/sqlitetest"
)

// failRow opens the writing connections again if their rows are not watched yet.
func (h *sqliteHome) failRow(at int) (err error) {
	if h.rows == nil {
		if at == 0 {
			return nil
		}
		h.rows = sqlitetest.WatchRows(h.path)
		err = h.slate.Close()
	}
	h.rows.FailAt(at)
	return err
}

func (h *sqliteHome) failedRow() bool {
	return h.rows != nil && h.rows.Failed()
}

// failRowWrite lets the at-th row write of the history fail.
func (h *history) failRowWrite(at int) {
	h.close()
	h.failsRows = true
	if err := h.home.failRow(at); err != nil {
		h.found("closing connections: %v", err)
	}
}

// tellRowWrite ends the process that met the failure, as if its ledger had failed. The failed call must
// have returned an error.
func (p *process) tellRowWrite(name string, err error) {
	if !p.h.failsRows || (err == nil && name == "add") || !p.h.home.failedRow() { // the rows of add are written later
		return
	}
	p.damaged = true
	p.h.stats["ledger_failures"]++
	p.h.logf("a row is not written at %s", name)
	if err == nil {
		p.h.found("a row was not written, and %s said nothing", name)
	}
}

// TestEveryRowWriteThatFails fails the first, the second, the third … row write to the ledger, until a
// history has no failure.
func TestEveryRowWriteThatFails(t *testing.T) {
	skipUnderRace(t)
	points := inEachScenario(t, []bool{false}, func(h *history, at int, _ bool) arming {
		h.failRowWrite(at)
		return func(*process, int, int) {}
	})
	t.Logf("figures: scenarios=%d row_write_failures=%d", tried(), points)
}
