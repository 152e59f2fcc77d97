package simulation

import (
	"maps"

	"payrun/ledger"
)

// second is another ledger of the same enterprise, next to the first.
type second string

const (
	noSecond    second = ""
	copiedLive  second = "copied"      // a copy of the file and its mark; both ledgers go on
	independent second = "independent" // made independently, for the same sheet

	acceptedOlder second = "restored" // an accepted older ledger, next to its lost self
)

// desk is one ledger and everything that belongs to it.
type desk struct {
	by         string // whose ledger; "" for the first
	home       home
	store      store
	eye        *eye
	sheets     []*sheet
	lastSubmit map[string]int
}

// openSecond makes the second ledger.
func (h *history) openSecond(what second) {
	other := desk{by: string(what), home: h.home.second(), lastSubmit: map[string]int{}}
	var copied any
	held := maps.Clone(h.eye.held)
	if what == copiedLive {
		seen := h.eye
		h.withoutLedger(func() (err error) {
			copied, err = h.home.copied()
			return err
		})
		h.eye.chain, h.eye.closed, h.eye.checked, h.eye.held, h.eye.words, h.eye.released = seen.chain, seen.closed, seen.checked, seen.held, seen.words, seen.released // it is the same ledger
	}
	for _, s := range h.sheets {
		c := *s
		c.loaded = c.loaded && what == copiedLive
		other.sheets = append(other.sheets, &c)
	}
	if err := other.home.place(copied); err != nil {
		h.found("making a second ledger: %v", err)
		return
	}
	h.second, h.other = what, other
	h.stats["second_ledgers"]++
	h.logf("a second ledger, %s", what)
	h.atOther(func() {
		if err := h.openEye(); err != nil {
			h.found("looking at the second ledger: %v", err)
			return
		}
		if h.eye.replays = true; what == copiedLive {
			h.eye.held = held
		}
	})
}

// atOther runs fn at the other ledger.
func (h *history) atOther(fn func()) {
	h.swapDesks()
	defer h.swapDesks()
	fn()
}

func (h *history) swapDesks() {
	here := desk{h.bank.by, h.home, h.store, h.eye, h.sheets, h.lastSubmit}
	o := h.other
	h.bank.by, h.home, h.store, h.eye, h.sheets, h.lastSubmit = o.by, o.home, o.store, o.eye, o.sheets, o.lastSubmit
	h.other = here
}

// closeSecond closes the second ledger.
func (h *history) closeSecond() {
	if h.second == noSecond {
		return
	}
	h.atOther(func() {
		h.close()
		h.closeEye()
	})
}

// stepAtSecond is a step of the person at the second ledger.
func (h *history) stepAtSecond() {
	h.atOther(func() {
		for _, s := range h.sheets {
			if !s.loaded && h.rng.IntN(2) == 0 {
				h.load(&process{}, s)
			}
		}
		h.step()
		h.check()
	})
}

// ofTwoLedgers names how two ledgers paid one payout where no status check of the later one could have
// prevented it; "" if one could have.
func (h *history) ofTwoLedgers(earlier, later execution, look asked) string {
	unenforced := h.bank.nature.repeatedInitiate != refuses
	switch {
	case earlier.of.batch == later.of.batch && earlier.takenAt() > look.seq:
		return "copies_at_once"
	case earlier.of.batch == later.of.batch:
		return ""
	case h.second == independent && unenforced:
		return "independent_ledger"
	case h.second == independent:
		return ""
	case unenforced:
		return "copies_unenforced_references"
	case later.post.heldFor <= h.set.OTPWindow:
		return "copies_within_otp_window"
	case !samePayouts(earlier.of.batch, later.of.batch):
		return "copies_grouped_otherwise" // under an id that cannot be derived from the batch
	}
	return ""
}

func samePayouts(a, b *heldBatch) bool {
	own := map[string]bool{}
	for _, p := range a.payouts {
		own[ownRef(p.ref)] = true
	}
	for _, p := range b.payouts {
		if !own[ownRef(p.ref)] {
			return false
		}
	}
	return len(a.payouts) == len(b.payouts)
}

// checkWatched is rule W, once faults have stopped: money that another hand moved is known here as soon as
// payrun has looked it up, and payrun looks it up while the batch is watched. If the money came back, two
// people may have released the payout since.
func (h *history) checkWatched(b seenBatch, a seenAttempt, p *heldPayout) {
	cameBack := a.state == ledger.PayoutCancelled && p.code == ledger.CodeReturned
	if !h.bank.honest || accountedFor(a.state) || a.state == ledger.PayoutFailed || cameBack {
		return
	}
	for _, ask := range h.bank.asks[b.id] {
		if ask.honest && ask.by == h.bank.by && ask.seq > p.paidSeq {
			h.found("rule W: %s was executed by another hand, the bank was asked about %s since, and it is %s here", a.ref, b.id, a.state)
			return
		}
	}
}
