package simulation

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"payrun/ledger"
)

// scenario is a fixed story without chance. Every crash point and every failure of the ledger is tried in
// each.
type scenario struct {
	name   string
	groups []group
	set    func(*history)
	ends   ends // of the latest attempts, no matter what interferes
}

func of(at int, amounts ...ledger.Paise) []group {
	return []group{{account: accounts[at], amounts: amounts}}
}

var scenarios = []scenario{
	{name: "single", groups: of(1, 100_00), ends: ends{"success": 1}},
	{name: "bulk", groups: of(0, 100_00, 200_00, 300_01), ends: ends{"success": 3}},
	{name: "two batches of one account", groups: append(of(1, 100_00), of(1, 50_00)...), ends: ends{"success": 2}},
	{name: "lei", groups: []group{{account: accounts[2], amounts: []ledger.Paise{ledger.LEILine / 2, ledger.LEILine / 2}, lei: lei}}, ends: ends{"success": 2}},
	{name: "rib", groups: of(4, 100_00, 200_00), ends: ends{"success": 2}},
	{name: "refused", groups: of(0, 100_00, 200_00), set: func(h *history) { h.bank.initErr = 1 }, ends: ends{"success": 2}},
	{name: "wrong otp", groups: of(0, 100_00, 200_00), set: func(h *history) { h.wrongOTPs = 1 }, ends: ends{"success": 2}},
	{name: "wrong otp to the end", groups: of(0, 100_00), set: func(h *history) { h.wrongOTPs = 3 }, ends: ends{"success": 1}},
	{name: "lost initiate answer", groups: of(0, 100_00, 200_00), set: on("initiate 1", resetAfter), ends: ends{"success": 2}},
	{name: "lost initiate", groups: of(0, 100_00, 200_00), set: on("initiate 1", hangBefore), ends: ends{"success": 2}},
	{name: "lost submit answer", groups: of(0, 100_00, 200_00), set: on("submit 1", resetAfter), ends: ends{"success": 2}},
	{name: "lost submit", groups: of(0, 100_00), set: on("submit 1", hangBefore), ends: ends{"success": 1}},
	{name: "never sent", groups: of(0, 100_00), set: on("dial 2", refusedConn), ends: ends{"success": 1}},
	{name: "unauthorized", groups: of(0, 100_00), set: on("submit 1", unauthorized), ends: ends{"success": 1}},
	{name: "failed", groups: of(0, 100_00), set: fated(fails), ends: ends{"failed": 1}},
	{name: "returned", groups: of(0, 100_00), set: fated(returns), ends: ends{"returned": 1}},
	{name: "disputed", groups: of(0, 100_00), set: takenBack(paysThenFails), ends: ends{"disputed": 1}},
	{name: "failed, and paid after all", groups: of(0, 100_00), set: takenBack(failsThenPays), ends: ends{"disputed": 1}},
	{name: "two people and a typed total", groups: of(0, 100_00, 200_00), set: func(h *history) { h.twoPeople, h.set.ConfirmAbove = true, 1 }, ends: ends{"success": 2}},
	{name: "other amount held", groups: of(0, 100_00), set: func(h *history) { h.bank.nature.firstTwist = holdsOtherAmount }, ends: ends{"success": 1}},
}

type ends = map[ledger.PayoutState]int

func on(request string, t trouble) func(*history) {
	return func(h *history) { h.wire.script = map[string]trouble{request: t} }
}

// takenBack makes the bank change its mind as soon as the ledger has recorded the first state.
func takenBack(f fate) func(*history) {
	return func(h *history) {
		h.bank.nature.always = f
		h.bank.recorded = func(p *heldPayout) ledger.PayoutState {
			for _, a := range h.eye.now.attempts {
				if a.ref == p.ref && h.eye.now.batches[a.batchNo].id == p.batch.id {
					return a.state
				}
			}
			return ""
		}
	}
}

func fated(f fate) func(*history) { return func(h *history) { h.bank.nature.always = f } }

// runScenario plays a scenario. arm arms each process; it gets the numbers of the calls before it.
func (h *history) runScenario(s scenario, arm arming) {
	ops, storeOps := 0, 0
	do := func(verb func(*process)) {
		if h.broken() {
			return
		}
		p := &process{}
		arm(p, ops, storeOps)
		verb(p)
		ops, storeOps = ops+p.ops, storeOps+p.storeOps
		h.check()
	}
	h.bank.honest = true
	if s.set != nil {
		s.set(h)
	}
	sheet := h.write(s.groups...)
	for n := 0; n < livenessRuns && !h.broken(); n++ {
		before := h.stats["crashes"] + h.stats["ledger_failures"]
		h.later(2 * time.Hour)
		if n > 3 {
			h.clock = h.clock.Add(11 * time.Hour) // so that overdue batches soon count as overdue
		}
		if !sheet.loaded {
			do(func(p *process) { h.load(p, sheet) })
			continue
		}
		if h.twoPeople {
			do(h.approve)
		}
		do(func(p *process) { h.initiate(p) })
		do(h.submit)
		do(h.poll)
		h.decide(n, do)
		undisturbed := h.stats["crashes"]+h.stats["ledger_failures"] == before
		if undisturbed && len(h.unfinished()) == 0 && h.nothingToDecide() {
			break
		}
	}
	for _, what := range h.unfinished() {
		h.found("invariant 20: after %d runs %s", livenessRuns, what)
	}
	h.verify()
}

// decide does what only a person can do.
func (h *history) decide(n int, do func(func(*process))) {
	for _, b := range h.batches() {
		switch {
		case b.state == ledger.BatchQuarantined, b.state == ledger.BatchHeld && b.person && h.wrongOTPs == 0 && b.tries > 0:
			do(func(p *process) { h.abandon(p, b.id) })
		case b.state == ledger.BatchSubmitUnknown && b.person:
			do(func(p *process) { p.actor = []string{"asha", approver}[n%2]; h.resolve(p, target{batch: b.id}) })
		}
	}
	if h.latest()[ledger.PayoutCancelled] > 0 {
		do(h.retry)
	}
}

// nothingToDecide reports whether no batch waits for a person and no payout for a retry.
func (h *history) nothingToDecide() bool {
	for _, b := range h.batches() {
		if b.state == ledger.BatchQuarantined || b.state == ledger.BatchHeld || b.state == ledger.BatchSubmitUnknown {
			return false
		}
	}
	return h.latest()[ledger.PayoutCancelled] == 0 && h.bank.atRest()
}

// latest counts payouts by the state of their latest attempt.
func (h *history) latest() ends {
	last := map[int64]ledger.PayoutState{}
	for _, a := range h.eye.now.attempts {
		last[a.payoutID] = a.state // attempts are in order
	}
	count := ends{}
	for _, state := range last {
		count[state]++
	}
	return count
}

func TestScenariosEndAsTheyShouldWhenNothingInterferes(t *testing.T) {
	for _, s := range scenarios {
		t.Run(s.name, func(t *testing.T) {
			h := play(t, newHome(t), 1, func(h *history) { h.runScenario(s, func(*process, int, int) {}) }, keepLog)
			if got := fmt.Sprint(h.latest()); got != fmt.Sprint(s.ends) || h.broken() {
				t.Errorf("ended %v, want %v; found %q\n%s", got, s.ends, h.violations, h.story())
			}
		})
	}
}

// TestEveryCrashPoint kills the process before and after every call to the ledger and to the bank, at one
// point in each history, until all are tried.
func TestEveryCrashPoint(t *testing.T) {
	skipUnderRace(t)
	points := inEachScenario(t, beforeAndAfter, func(_ *history, at int, after bool) arming {
		return func(p *process, ops, _ int) { p.crashAt, p.crashAfter = max(at-ops, 0), after }
	})
	t.Logf("figures: scenarios=%d crash_points=%d", tried(), points)
}

// TestEveryFailureOfTheLedger fails the first, the second, the third … call to the ledger, without and with
// its effect, until a history has no failure.
func TestEveryFailureOfTheLedger(t *testing.T) {
	skipUnderRace(t)
	points := inEachScenario(t, beforeAndAfter, func(_ *history, at int, after bool) arming {
		return func(p *process, _, storeOps int) { p.failAt, p.failAfter = max(at-storeOps, 0), after }
	})
	t.Logf("figures: scenarios=%d ledger_failures=%d", tried(), points)
}

// arming sets what happens to a process, given the numbers of calls, and of calls to the ledger, that were
// made before it.
type arming func(p *process, ops, storeOps int)

// always are the scenarios whose every point is tried in every test run. The others take minutes and need
// -exhaustive. .ci/run also tries "single".
var always = []string{"lost submit answer"}

// tried returns how many scenarios a test run plays.
func tried() int {
	if *exhaustive {
		return len(scenarios)
	}
	return len(always)
}

// beforeAndAfter the effect of a call.
var beforeAndAfter = []bool{false, true}

// inEachScenario tries every point of every scenario, and returns the number of points.
func inEachScenario(t *testing.T, afters []bool, arm func(h *history, at int, after bool) arming) int {
	t.Helper()
	var points atomic.Int64
	t.Run("scenario", func(t *testing.T) {
		for _, s := range scenarios {
			if !*exhaustive && !slices.Contains(always, s.name) {
				continue
			}
			t.Run(s.name, func(t *testing.T) {
				t.Parallel()
				for _, after := range afters {
					n := everyPoint(t, s, func(h *history, at int) arming { return arm(h, at, after) })
					points.Add(int64(n))
					t.Logf("figures: scenario=%q after_effect=%t points=%d", s.name, after, n)
				}
			})
		}
	})
	return int(points.Load())
}

// everyPoint plays a scenario with the first point armed, then the second, until one is not reached, and
// returns the number of points. In the end each payout is paid once, or as the scenario says.
func everyPoint(t *testing.T, s scenario, arm func(h *history, at int) arming) int {
	t.Helper()
	home := newHome(t)
	for at := 1; ; at++ {
		h := play(t, home, 1, func(h *history) { h.runScenario(s, arm(h, at)) })
		end := fmt.Sprint(h.latest())
		if h.broken() || end != fmt.Sprint(s.ends) {
			again := play(t, home, 1, func(h *history) { h.runScenario(s, arm(h, at)) }, keepLog)
			t.Errorf("%s, point %d: ended %v, want %v; found %q\n%s", s.name, at, h.latest(), s.ends, h.violations, again.story())
			return at
		}
		if h.stats["crashes"] == 0 && h.stats["ledger_failures"] == 0 {
			return at - 1
		}
	}
}

func keepLog(h *history) { h.keep = true }
