package simulation

import (
	"context"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// livenessRuns is the number of runs without faults within which every payout must be final or named as
// needing a person (safety.md, invariant 20).
const livenessRuns = 60

// anything is the general story of a seed: a bank of some nature and a person who does various things while
// faults happen, and then the faults stop.
func anything(h *history) {
	h.bank.nature = anyNature(h.rng)
	h.bank.nature.anyBooks(h.people)
	h.corrects = true
	h.set.HeldAtOnce = []int{1, 1, 2, 0}[h.rng.IntN(4)]
	h.hasPortal = h.rng.IntN(5) == 0
	h.clockSteps = h.rng.IntN(4) == 0
	h.twoPeople = h.rng.IntN(4) == 0
	h.set.ConfirmAbove = []ledger.Paise{0, 0, 0, 1, 40_000_00}[h.rng.IntN(5)]
	h.safety()
	if h.swapped && !h.broken() {
		h.accept()
	}
	if h.tampered && !h.broken() {
		h.checkTampered()
		return
	}
	if !h.broken() && !h.swapped {
		h.liveness()
	}
}

// setClock sets payrun's clock wrong or right.
func (h *history) setClock() {
	by := []time.Duration{0, -72 * time.Hour, -26 * time.Hour, -time.Hour, -9 * time.Minute, 9 * time.Minute, time.Hour, 26 * time.Hour, 72 * time.Hour}
	h.skew = by[h.rng.IntN(len(by))]
	h.stats["clock_steps"]++
	h.logf("the clock is set %s off", h.skew)
}

func (h *history) safety() {
	h.load(h.process(), h.anySheet())
	h.check()
	what := noSwap
	switch n := h.rng.IntN(100); {
	case n < 4:
		what = restored
	case n < 7:
		what = lost
	case n < 10:
		what = tampered
	}
	with := noSecond
	if n := h.rng.IntN(100); what == noSwap && n < 16 {
		with = []second{copiedLive, copiedLive, copiedLive, independent}[n%4]
	}
	older, events := h.copyLedger(what)
	steps := 3 + h.rng.IntN(6)
	for n := range steps {
		if h.broken() {
			return
		}
		if n == steps-2 {
			h.swapLedger(what, older, events)
		}
		h.step()
		h.check()
		if with != noSecond && h.second == noSecond && h.rng.IntN(2) == 0 {
			h.openSecond(with)
		}
		if h.second != noSecond && !h.broken() && h.rng.IntN(3) > 0 {
			h.stepAtSecond()
		}
	}
}

// process returns a run to which something may happen.
func (h *history) process() *process {
	p := &process{}
	switch n := h.rng.IntN(100); {
	case n < 25:
		p.crashAt, p.crashAfter = 1+h.rng.IntN(12), h.rng.IntN(2) == 0
	case n < 37:
		p.failAt, p.failAfter = 1+h.rng.IntN(10), h.rng.IntN(2) == 0
	case n < 43:
		p.rivalAt = 1 + h.rng.IntN(10)
	}
	h.share(p)
	return p
}

// step is one thing that the person does, some time after the last one.
func (h *history) step() {
	wait := []time.Duration{time.Minute, time.Minute, 3 * time.Minute, 12 * time.Minute, time.Hour, 26 * time.Hour}
	h.later(wait[h.rng.IntN(len(wait))])
	if h.clockSteps && h.rng.IntN(4) == 0 {
		h.setClock()
	}
	if h.rng.IntN(3) > 0 {
		h.approve(h.process())
		h.check()
	}
	if h.severalMachines() && (!h.swapped || !h.putBack) && h.rng.IntN(3) == 0 {
		h.together()
		return
	}
	p := h.process()
	switch n := h.rng.IntN(100); {
	case n < 28:
		h.initiate(p)
	case n < 58:
		h.submit(p)
	case n < 78:
		h.poll(p)
	case n < 79:
		h.imports(p, accounts[h.people.IntN(len(accounts))].id, papers(h.people.IntN(int(kindsOfPapers))))
	case n < 82:
		if list := h.toRelease(); len(list) > 0 {
			p.actor = []string{"asha", approver}[h.people.IntN(2)]
			h.resolve(p, list[h.people.IntN(len(list))])
		}
	case n < 84:
		if list := h.batches(); len(list) > 0 {
			b := list[h.rng.IntN(len(list))]
			h.abandon(p, b.id)
		}
	case n < 88:
		h.again(p)
	case n < 90:
		h.retryWrongly(p)
	case n < 94:
		h.load(p, h.anySheet())
	case n < 97:
		h.load(p, h.sheets[h.rng.IntN(len(h.sheets))])
	default:
		h.submitClosed(p)
	}
	if h.hasPortal && h.rng.IntN(4) == 0 {
		h.portal()
	}
}

// portal is a person who submits at the bank a batch that is not submitted yet, even one that was abandoned here.
func (h *history) portal() {
	var open []*heldBatch
	for _, t := range h.bank.order {
		if len(t.takenBy) == 0 {
			open = append(open, t)
		}
	}
	if len(open) > 0 {
		h.bank.portal(open[h.rng.IntN(len(open))])
	}
}

// liveness: faults have stopped, the bank is plain, and the person does what is needed.
func (h *history) liveness() {
	h.logf("no more faults")
	h.bank.honest, h.skew = true, 0
	h.atEach(func() {
		h.close()
		h.endLeases()
		for _, s := range h.sheets {
			if !s.loaded {
				h.load(&process{}, s)
			}
		}
	})
	h.work()
	if last, some := h.bank.lastToLand(); some && !h.broken() {
		h.clock = last
		h.logf("what was on its way for days has arrived")
		h.work()
	}
	if h.seed%4 == 0 && !h.broken() { // slow, and the checks of each step find the same
		h.atEach(h.verify)
	}
}

// work goes on day by day, at both ledgers if there are two, until nothing is left to do.
func (h *history) work() {
	for n := range livenessRuns {
		h.later(2 * time.Hour)
		left := 0
		h.atEach(func() {
			h.tend(n)
			h.check()
			left += len(h.unfinished())
		})
		if h.broken() || (n >= 1 && left == 0) {
			return
		}
	}
	h.atEach(func() {
		for _, what := range h.unfinished() {
			h.found("invariant 20: after %d runs without faults %s", livenessRuns, what)
		}
	})
}

// atEach runs fn at the ledger, and at the second one if there is one.
func (h *history) atEach(fn func()) {
	fn()
	if h.second != noSecond && !h.broken() {
		h.atOther(fn)
	}
}

// verify does what `payrun ledger verify` does.
func (h *history) verify() {
	_ = h.run(&process{}, "ledger verify", func(p *process, _ *submitter.Engine) error {
		problems, err := p.store.Verify(context.Background())
		if err != nil {
			h.found("verifying the ledger: %v", err)
		}
		for _, problem := range problems {
			h.found("invariant %d, by the ledger itself: %s: %s", problem.Invariant, problem.What, problem.Detail)
		}
		return nil
	})
}

// tend is one day's work: initiate, submit, poll, and abandon what can only be abandoned.
func (h *history) tend(n int) {
	h.approve(&process{})
	h.day(&process{})
	if err := h.eye.look(); err != nil {
		h.found("looking at the ledger: %v", err)
	}
	for _, b := range h.batches() {
		if b.state == ledger.BatchQuarantined || (b.state == ledger.BatchHeld && b.person) {
			h.abandon(&process{}, b.id)
		}
	}
	h.releases(n)
	switch {
	case n == 0:
		h.again(&process{})
	case len(h.eye.released) > 0 && n%8 == 0:
		h.retry(&process{})
	}
}

// unfinished says what is neither final nor named as needing a person.
func (h *history) unfinished() []string {
	var list []string
	blocked := map[string]bool{} // debit accounts whose held batch waits for a person
	for _, b := range h.batches() {
		if b.state == ledger.BatchHeld && b.person {
			blocked[b.accountID] = true
		}
	}
	for _, a := range h.eye.now.attempts {
		b := h.eye.now.batches[a.batchNo]
		named := b.person || b.state == ledger.BatchQuarantined || a.state == ledger.PayoutDisputed || (b.state == ledger.BatchPlanned && blocked[b.accountID])
		if !a.state.Final() && !named {
			list = append(list, a.ref+" is "+string(a.state)+" in "+b.id+", which is "+string(b.state))
			continue
		}
		if p := h.bank.payout(b.id, a.ref); p != nil && lostSight(b, a, p) {
			list = append(list, a.ref+" is "+string(a.state)+" here and "+p.status+" there")
		}
	}
	return list
}

// lostSight reports whether the bank is done with a payout and shows it, but the ledger does not know.
func lostSight(b seenBatch, a seenAttempt, p *heldPayout) bool {
	if b.state != ledger.BatchSubmitted && b.state != ledger.BatchSubmitUnknown {
		return false
	}
	over := p.status == ledger.StatusSuccess || p.status == ledger.StatusFailed
	return over && !a.state.Final() && a.state != ledger.PayoutDisputed
}
