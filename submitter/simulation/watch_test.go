package simulation

import (
	"slices"
	"time"

	"payrun/ledger"
)

// overStates are the states in which a batch needs nothing more.
var overStates = []ledger.BatchState{ledger.BatchSettled, ledger.BatchRefused, ledger.BatchAbandoned, ledger.BatchSetAside}

// watched returns the batches that a poll must ask about: all that left "planned", until poll.success_watch
// after their last change (rule W).
func (h *history) watched() []string {
	var ids []string
	for _, b := range h.batches() {
		watch := h.set.SuccessWatch
		if b.state == ledger.BatchSetAside {
			watch = 30 * 24 * time.Hour
		}
		over := slices.Contains(overStates, b.state) && h.now().Sub(time.UnixMicro(b.changed)) >= watch
		if b.state != ledger.BatchPlanned && !over {
			ids = append(ids, b.id)
		}
	}
	return ids
}

// checkPolled requires that a completed poll has asked the bank about all of them. With network faults,
// requests may not have reached the bank.
func (h *history) checkPolled(watched []string) {
	if !h.bank.honest {
		return
	}
	for _, id := range watched {
		asked := slices.ContainsFunc(h.bank.asks[id], func(a asked) bool { return a.run == h.bank.run })
		if !asked {
			h.found("rule W: a poll did not ask about %s", id)
		}
	}
}

// span is the time from the first to the last answer of a kind.
type span struct{ first, last time.Time }

// checkFailedTwice requires that the bank called a failed payout failed twice, poll.first apart. A read
// counts from its end, and its first page may have come some answers earlier, so a part of poll.first is
// enough here.
func (h *history) checkFailedTwice() {
	for _, a := range h.eye.now.attempts {
		said := h.bank.saidFailed[attemptName{h.eye.now.batches[a.batchNo].id, a.ref}]
		if a.state == ledger.PayoutFailed && said.last.Sub(said.first) < pollFirst/4 {
			h.found("rule W: %s is failed, and the bank said so for %s only", a.ref, said.last.Sub(said.first))
		}
	}
}
