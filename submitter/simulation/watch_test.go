package simulation

import (
	"slices"
	"time"

	"payrun/ledger"
)

// overStates are those in which nothing more is expected of a batch.
var overStates = []ledger.BatchState{ledger.BatchSettled, ledger.BatchRefused, ledger.BatchAbandoned, ledger.BatchSetAside}

// watched are the batches that a poll has to ask about: all that left "planned",
// until poll.success_watch after their last change (rule W).
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

// checkPolled: a poll that came to its end has looked up all of them. Where
// the line fails they may have been asked for and never heard of.
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

// span is from the first to the last time that something was said.
type span struct{ first, last time.Time }

// checkFailedTwice: what is failed for good was said to be so twice, poll.first
// apart. A read counts from its end, and its first page may have come some
// answers earlier: as much is let pass.
func (h *history) checkFailedTwice() {
	for _, a := range h.eye.now.attempts {
		said := h.bank.saidFailed[attemptName{h.eye.now.batches[a.batchNo].id, a.ref}]
		if a.state == ledger.PayoutFailed && said.last.Sub(said.first) < pollFirst/4 {
			h.found("rule W: %s is failed, and the bank said so for %s only", a.ref, said.last.Sub(said.first))
		}
	}
}
