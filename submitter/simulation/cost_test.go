package simulation

import (
	"fmt"
	"maps"
	"testing"
	"time"

	"payrun/ledger"
)

// lookKind is a kind of status check: by which verb, and about what.
type lookKind struct{ verb, about string }

// noteLook counts the checks of the verb's own batch, of earlier batches of its payouts, of what a copy
// would have sent, and of the bank's not-found reply.
func (h *history) noteLook(id string) {
	about := "copy"
	if id == ledger.ProbeID(h.running.store.LedgerID()) {
		about = "word"
	}
	newest := int64(0)
	for _, b := range h.eye.now.batches {
		newest = max(newest, b.no)
	}
	for _, b := range h.eye.now.batches {
		if b.id == id {
			about = "earlier"
			if b.no == newest {
				about = "own"
			}
		}
	}
	h.looks[lookKind{h.verb, about}]++
}

// TestWhatLooksCost: at most three more reads for a batch, one for each earlier batch of its payouts, and
// the ids of a copy if it was held for longer than otp.window. Each operation also reads the bank's "not
// found" once, and the newest submitted batch, which here is the earlier one.
func TestWhatLooksCost(t *testing.T) {
	type counts = map[lookKind]int
	plain := counts{{"initiate", "word"}: 1, {"initiate", "own"}: 2, {"submit", "word"}: 1, {"submit", "own"}: 1}
	with := func(more counts) counts {
		c := maps.Clone(plain)
		maps.Copy(c, more)
		return c
	}
	held := func(h *history, wait time.Duration) {
		h.looks = counts{}
		h.initiate(&process{})
		h.check()
		h.later(wait)
		h.submit(&process{})
		h.check()
	}
	for name, c := range map[string]struct {
		story func(*history)
		want  counts
	}{
		"straight": {func(h *history) { held(h, time.Minute) }, plain},
		"held for long": {func(h *history) { held(h, time.Hour) },
			with(counts{{"submit", "copy"}: 5})}, // the next two attempts, under two references and under three
		"a second attempt": {func(h *history) {
			h.bank.nature.always = fails
			held(h, time.Minute)
			for range 4 {
				h.later(time.Hour)
				h.poll(&process{})
				h.check()
			}
			h.retry(&process{})
			h.check()
			held(h, time.Minute)
		}, with(counts{{"initiate", "earlier"}: 1, {"submit", "earlier"}: 2})},
	} {
		for _, hides := range []bool{false, true} {
			h := play(t, newHome(t), 1, func(h *history) {
				h.bank.honest, h.bank.nature.listsUnsubmitted = true, !hides
				h.load(&process{}, h.write(of(0, 100_00, 200_00)...))
				h.check()
				c.story(h)
			}, keepLog)
			if got := fmt.Sprint(h.looks); got != fmt.Sprint(c.want) || h.broken() {
				t.Errorf("%s, held batches hidden %t: %s, want %v; found %q\n%s", name, hides, got, c.want, h.violations, h.story())
			}
		}
	}
}
