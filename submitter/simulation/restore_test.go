package simulation

import (
	"context"
	"strings"

	"payrun/submitter"
)

// swap is another ledger that takes the place of the real one.
type swap int

const (
	noSwap   swap = iota
	restored      // an older copy is put back, sometimes without its mark
	lost          // a new ledger takes the place of a lost one
	tampered      // the same ledger, with an account number changed in its file
)

// copyLedger makes a copy for swapLedger while no process has the ledger open. It returns the number of events.
func (h *history) copyLedger(s swap) (older any, events int64) {
	if s != restored {
		return nil, 0
	}
	h.withoutLedger(func() (err error) {
		older, err = h.home.copied()
		return err
	})
	h.postsAtCopy = len(h.bank.posts)
	return older, h.eventsNow()
}

// swapLedger puts another ledger in place. From then on nothing may be sent: only a person may accept a
// ledger that has forgotten something.
func (h *history) swapLedger(s swap, older any, events int64) {
	if s == tampered {
		h.tamper()
		return
	}
	if s == noSwap || (s == restored && events == h.eventsNow()) {
		return
	}
	noticed := true
	h.withoutLedger(func() (err error) {
		if s == restored {
			return h.restoreAs(older)
		}
		noticed, err = h.home.lose()
		return err
	})
	if !noticed {
		return
	}
	h.stats["swaps"]++
	h.swapped, h.swappedFor = true, s
	if h.ignoresMark || s == restored && !h.putBack && h.rng.IntN(2) == 0 && events > 1 { // a copy with its creation alone is like a new ledger
		if err := h.home.forget(); err != nil {
			h.found("removing the mark: %v", err)
		}
	}
	for _, sheet := range h.sheets {
		sheet.loaded = h.recorded(sheet)
	}
	h.logf("the ledger is not what it was")
	if h.putBack {
		for range machines { // on each machine in turn
			_ = h.run(&process{}, "open and close", func(*process, *submitter.Engine) error { return nil })
		}
	}
	if s == lost { // a new ledger has no sheets: the person who made it loads them again
		for _, sheet := range h.sheets {
			h.load(&process{}, sheet)
		}
	}
}

func (h *history) eventsNow() (n int64) {
	err := h.eye.view.events(0, func(e event) error { n = e.seq; return nil })
	if err != nil {
		h.found("looking at the ledger: %v", err)
	}
	return n
}

// accept is a person who accepts the older ledger. Faults have stopped, so that everything is looked up.
// What this ledger sends from now on counts as another ledger's, apart from what its lost self sent.
func (h *history) accept() {
	if h.swappedFor != restored || h.rng.IntN(4) == 0 {
		return
	}
	h.bank.honest, h.skew, h.bank.by = true, 0, string(acceptedOlder)
	accepted := false
	err := h.run(&process{}, "accept restored", func(p *process, e *submitter.Engine) error {
		if p.store.Restored() == nil {
			return nil // it was not used since the copy
		}
		list, err := e.LookAtAll(context.Background())
		h.results(list)
		if err != nil {
			return err
		}
		for _, r := range list {
			if r.Outcome == submitter.OutcomeNotLooked {
				return nil
			}
		}
		accepted = true
		return p.store.AcceptRestored(context.Background(), p.actor, "the machine was lost", h.now())
	})
	h.unexpected(&process{}, err)
	if !accepted || err != nil {
		return
	}
	h.stats["accepted"]++
	h.swapped = false
	for _, a := range h.eye.now.attempts {
		h.restored[ownRef(a.ref)] = true
	}
	h.check()
}

// tamper changes an account number in a valid ledger file. Nothing of that batch may be sent any more, and
// the ledger itself must find the change.
func (h *history) tamper() {
	var own []seenAttempt
	for _, a := range h.eye.now.attempts {
		if a.payee != "" {
			own = append(own, a)
		}
	}
	if len(own) == 0 {
		return
	}
	was := own[h.rng.IntN(len(own))].payee
	h.stats["tampered"]++
	h.withoutLedger(func() error { return h.home.change(was, strings.Replace(was, payeeNumber, strangerNumber, 1)) })
	h.tampered = true
	h.logf("a person changed an account number in the ledger's file")
}

// checkTampered requires that `ledger verify` reports the change.
func (h *history) checkTampered() {
	_ = h.run(&process{}, "ledger verify", func(p *process, _ *submitter.Engine) error {
		if problems, err := p.store.Verify(context.Background()); err == nil && len(problems) == 0 {
			h.found("invariant 23: an account number was changed in the ledger, and verify says that it is whole")
		}
		return nil
	})
}

// withoutLedger runs fn while no process has the ledger open, then opens the view again.
func (h *history) withoutLedger(fn func() error) {
	h.closeEye()
	h.lastSubmit = map[string]int{} // earlier events are read again
	_ = h.run(&process{}, "open and close", func(*process, *submitter.Engine) error { return nil })
	h.close()
	if err := fn(); err != nil {
		h.found("replacing the ledger: %v", err)
	}
	if err := h.openEye(); err != nil {
		h.found("opening the ledger: %v", err)
	}
	h.eye.replays = true
}
