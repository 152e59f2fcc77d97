package simulation

import (
	"context"
	"errors"
	"net"
	"sync"
	"testing/synctest"
	"time"

	"payrun/ledger"
	"payrun/submitter/bankapi"
)

// sharedHome is a home whose ledger several machines have open at once. Each machine has its own marks and
// clock, and each process has a lease.
type sharedHome interface {
	home
	// tick sets the ledger's clock.
	tick(now time.Time)
	// lapse ends the lease of a process, or those of all others.
	lapse(p *process, others bool) error
	// anywhere makes every database claim to be the same one.
	anywhere() error
	// putBack is restore as from a dump, into the same database, so that only marks can tell.
	putBack(copied any) error
}

// machines is how many machines work on one ledger; lease is the length of their leases.
const (
	machines = 3
	lease    = 10 * time.Minute
)

func (h *history) severalMachines() bool {
	_, ok := h.home.(sharedHome)
	return ok
}

// shared is the state of a process whose ledger several machines have open.
type shared struct {
	number     int             // number of the process
	machine    int             // number of its machine
	turns      *turns          // nil if it works alone
	waiting    []chan struct{} // its calls that wait for their turn
	opened     time.Time       // by the true clock; zero if not yet
	stopped    int             // for how many turns of others it stops
	lapsed     bool            // it stopped for longer than its lease
	sends      bool            // its call is recorded, and the outcome is not
	behindLook bool            // it stopped between the last check and the first byte
	cut        cut
}

// cut is what happens to one COMMIT of a process: that of its first intent, or the at-th, from 1; 0 is none.
type cut struct {
	at    int
	first bool
	after bool // the server has committed it
	hangs bool // the server commits it later, when it is asked for the result
	gone  bool // and from then on there is no server
}

// disturbed reports whether others change the ledger while the process works, or it loses its connection.
func (p *process) disturbed() bool { return p.turns != nil || p.cut.at > 0 }

// share draws the machine of a process, and whether it loses a COMMIT.
func (h *history) share(p *process) {
	if !h.severalMachines() {
		return
	}
	p.rivalAt = 0 // see together
	if h.rng.IntN(4) == 0 {
		p.cut = cut{at: 1 + h.rng.IntN(9), after: h.rng.IntN(2) == 0, gone: h.rng.IntN(2) == 0}
		p.cut.first, p.cut.hangs = h.rng.IntN(2) == 0, !p.cut.gone && h.rng.IntN(2) == 0
	}
}

// tick sets the ledger's clock to the true one. Leases are renewed meanwhile, by the bubble's time.
func (h *history) tick() {
	s, ok := h.home.(sharedHome)
	if !ok {
		return
	}
	if h.running == nil || h.running.turns == nil {
		h.catchUp()
	}
	s.tick(h.now())
}

// catchUp lets as much time pass in the bubble as at the bank, or the other way round.
func (h *history) catchUp() {
	behind := time.Until(h.clock) - h.ahead
	time.Sleep(behind)
	h.clock = h.clock.Add(max(0, -behind))
}

// turns lets processes work at the same time, one call after another.
type turns struct {
	h   *history
	all []*process

	mu    sync.Mutex
	alive int
}

// turn waits until the process may make its next call, or get its answer.
func (p *process) turn() {
	if p.turns == nil {
		return
	}
	ready := make(chan struct{})
	p.turns.mu.Lock()
	p.waiting = append(p.waiting, ready)
	p.turns.mu.Unlock()
	<-ready
	p.h.running, p.h.store, p.h.bank.run = p, p.store, p.number
}

// together lets two or three machines work on the ledger at the same time. Any of them may stop at any
// call, for longer than its lease, while the others go on.
func (h *history) together() {
	t := &turns{h: h, alive: 2 + h.rng.IntN(machines-1)}
	h.stats["together"]++
	h.logf("%d machines at the same time", t.alive)
	h.ahead = time.Until(h.clock)
	for i := range t.alive {
		p := &process{}
		if h.share(p); h.rng.IntN(3) == 0 {
			p = h.process()
		}
		p.h, p.machine, p.turns = h, i, t
		p.stopped = h.rng.IntN(60) // not all begin at once
		t.all = append(t.all, p)
		job := h.job()
		go func() {
			defer t.ended()
			p.turn()
			h.withClient(p, func() { job(p) })
		}()
	}
	for t.next() {
	}
	h.running, h.store = nil, nil
}

func (t *turns) ended() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.alive--
}

// next gives one process a turn. The turn is over when everything in the bubble waits again.
func (t *turns) next() (more bool) {
	h := t.h
	synctest.Wait()
	h.running = nil
	h.catchUp()
	synctest.Wait()
	var waiting, ready []*process
	t.mu.Lock()
	alive := t.alive
	for _, p := range t.all {
		if len(p.waiting) > 0 {
			waiting = append(waiting, p)
			if p.stopped == 0 {
				ready = append(ready, p)
			}
		}
	}
	t.mu.Unlock()
	switch {
	case len(waiting) == 0 && alive == 0:
		return false
	case len(waiting) == 0:
		time.Sleep(time.Second)
		return true
	case len(ready) == 0:
		waiting[h.rng.IntN(len(waiting))].stopped = 0
		return true
	}
	p := ready[h.rng.IntN(len(ready))]
	rarely := 40
	if p.sends {
		rarely = 6
	}
	if !p.opened.IsZero() && !p.lapsed && h.rng.IntN(rarely) == 0 {
		h.stop(p)
		return true
	}
	for _, other := range waiting {
		other.stopped = max(0, other.stopped-1)
	}
	t.mu.Lock()
	first := p.waiting[0]
	p.waiting = p.waiting[1:]
	t.mu.Unlock()
	close(first)
	return true
}

// stop stops a process at its next call until its lease is over. Its own machine's clock may not notice.
func (h *history) stop(p *process) {
	h.stats["stops"]++
	h.logf("machine %d is stopped", p.machine+1)
	p.lapsed, p.stopped = true, 1+h.rng.IntN(20)
	if err := h.home.(sharedHome).lapse(p, false); err != nil {
		h.found("ending a lease: %v", err)
	}
	if h.rng.IntN(2) == 0 {
		for range 4 { // the other leases are renewed
			h.later(lease * 3 / 10)
			h.tick() // by the server's clock
			h.catchUp()
		}
	}
}

// withClient runs do with a client for this process alone, whose connections wait for its turn.
func (h *history) withClient(p *process, do func()) {
	client, err := newClient(func(ctx context.Context, network, address string) (net.Conn, error) {
		p.turn()
		return h.wire.dial(ctx, network, address)
	})
	if err != nil {
		h.found("a client: %v", err)
		return
	}
	defer client.Close()
	p.client = client
	do()
}

func newClient(dial func(context.Context, string, string) (net.Conn, error)) (*bankapi.Client, error) {
	return bankapi.New(bankapi.Config{BaseURL: "http://127.0.0.1", AccessKey: ledger.NewSecret(accessKey), SecretKey: ledger.NewSecret(secretKey), Dial: dial})
}

// job draws what a machine does while others work.
func (h *history) job() func(*process) {
	switch n := h.rng.IntN(100); {
	case n < 25:
		return func(p *process) { h.initiate(p) }
	case n < 60:
		return h.submit
	case n < 72:
		return h.poll
	case n < 84:
		return h.day
	case n < 89:
		list := h.batches()
		if len(list) == 0 {
			return h.poll
		}
		id := list[h.rng.IntN(len(list))].id
		return func(p *process) { h.abandon(p, id) }
	case n < 93:
		return h.again
	case n < 97:
		s := h.sheets[h.rng.IntN(len(h.sheets))]
		return func(p *process) { h.load(p, s) }
	default:
		s := h.anySheet()
		return func(p *process) { h.load(p, s) }
	}
}

// machineStory is a plain bank and machines that share a ledger, which an older one sometimes replaces.
func machineStory(h *history) {
	h.machineDays()
	if h.swapped && !h.broken() {
		h.accept()
	}
	if !h.broken() && !h.swapped {
		h.liveness()
	}
}

func (h *history) machineDays() {
	h.bank.nature, h.of = calm(), "machines"
	for range 2 {
		h.load(&process{}, h.anySheet())
		h.approve(&process{})
	}
	h.check()
	what := noSwap
	if h.rng.IntN(3) == 0 {
		what = restored
	}
	older, events := h.copyLedger(what)
	for n := range 4 {
		if h.broken() {
			return
		}
		if n == 2 {
			h.swapLedger(what, older, events)
		}
		if h.swapped && h.putBack {
			h.initiate(&process{})
		} else {
			h.together()
		}
		h.later(time.Hour)
		h.check()
	}
}

// checkKept requires that a call which a run recorded is left to that run while the run lives. A process
// that takes it for lost earlier turns a call that succeeds into a doubt.
func (p *process) checkKept(step ledger.Step, err error) {
	if p.turns == nil || p.lapsed || p.cut.at > 0 || step.Outcome == "" || !step.From.Open() || !errors.Is(err, ledger.ErrConflict) {
		return
	}
	p.h.found("live runs: %s of %s was recorded while its run is live, and another took the call for lost", step.Event, step.BatchID)
}

// restoreAs puts a copy in the place of the ledger: on another server, or, if the bank was called since, as
// a restored dump, which every machine meets.
func (h *history) restoreAs(copied any) error {
	s, ok := h.home.(sharedHome)
	if h.putBack = ok && len(h.bank.posts) > h.postsAtCopy && h.rng.IntN(2) == 0; h.putBack {
		return s.putBack(copied)
	}
	return h.home.restore(copied)
}

// endLeases ends the leases of processes that died. A server whose clock is set back would keep them for as
// long.
func (h *history) endLeases() {
	if !h.severalMachines() {
		return
	}
	if err := h.home.unlock(); err != nil {
		h.found("ending leases: %v", err)
	}
}

// records reads the records of payouts, from the open ledger or as a process of its own.
func (h *history) records(payouts []int64) (map[int64][]ledger.AttemptRecord, error) {
	s := h.store
	if s == nil {
		var err error
		if s, err = h.home.open(&process{h: h}); err != nil {
			return nil, err
		}
		defer s.Close()
	}
	return s.Records(context.Background(), payouts)
}
