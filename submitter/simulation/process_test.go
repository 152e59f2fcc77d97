package simulation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"runtime/debug"
	"time"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// process is one run of payrun. It counts its calls to the ledger and to the bank, and dies, fails or is
// interfered with at one of them; 0 means never.
type process struct {
	actor      string
	h          *history
	store      store
	ops        int // calls to the ledger and to the bank
	storeOps   int // calls to the ledger
	crashAt    int
	crashAfter bool // after the effect, before anyone learns of it
	failAt     int  // counted in storeOps
	failAfter  bool
	rivalAt    int
	dead       bool
	damaged    bool                  // the ledger failed once
	client     *bankapi.Client       // its own, if others work at the same time
	shared                           // its state on a ledger of several machines
	ended      time.Time             // end of its last call
	confirmed  ledger.Paise          // the total that was typed correctly
	made       map[call]ledger.Paise // the calls that it made, with the totals of their batches
}

// call is a POST of one kind for one batch.
type call struct{ kind, batchID string }

// storeOp and op make one call each. A process that died makes no more calls.
func (p *process) storeOp(name string, call func() error) error {
	p.storeOps++
	n := p.storeOps
	return p.op(name, func() error {
		if n == p.failAt && !p.failAfter {
			return p.damage(name)
		}
		err := call()
		p.tellRowWrite(name, err)
		if n == p.failAt && err == nil {
			return p.damage(name)
		}
		return err
	})
}

func (p *process) damage(name string) error {
	p.damaged = true
	p.h.stats["ledger_failures"]++
	p.h.logf("the ledger fails at %s", name)
	return fmt.Errorf("%s: %w: injected", name, ledger.ErrLedgerDamaged)
}

func (p *process) op(name string, call func() error) error {
	p.turn()
	if p.dead {
		runtime.Goexit()
	}
	p.waited()
	defer func() { p.ended = time.Now() }()
	p.h.tick()
	p.ops++
	n := p.ops
	if n == p.rivalAt {
		p.h.rival()
	}
	if n == p.crashAt && !p.crashAfter {
		p.die("before", name)
	}
	err := call()
	p.turn()
	if n == p.crashAt {
		p.die("after", name)
	}
	return err
}

// waited lets the time pass that the engine waited between two calls. Waiting by the client within a call
// is left out, because it is random.
func (p *process) waited() {
	if !p.ended.IsZero() && !p.h.severalMachines() { // catchUp does it there
		p.h.clock = p.h.clock.Add(time.Since(p.ended))
	}
}

// rivalled reports whether a second process ran between its calls.
func (p *process) rivalled() bool { return p.rivalAt > 0 && p.ops >= p.rivalAt }

func (p *process) die(when, name string) {
	p.dead = true
	p.h.stats["crashes"]++
	p.h.logf("the process dies %s %s", when, name)
	runtime.Goexit()
}

// run is one process from start to end: it opens the ledger if it is not open, recovers, runs fn, and ends.
func (h *history) run(p *process, name string, fn func(p *process, e *submitter.Engine) error) (err error) {
	h.stats["runs"]++
	h.begins()
	h.verb = name
	h.logf("run %s", name)
	if p.turns == nil {
		p.machine, h.ahead = h.processes%machines, time.Until(h.clock)
	}
	p.h, p.number, p.actor, p.client = h, h.processes, cmp.Or(p.actor, "asha"), cmp.Or(p.client, h.client)
	if h.store == nil || h.severalMachines() {
		if h.store, err = h.opened(p); err != nil {
			return err
		}
	}
	p.store, h.running = h.store, p
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if r := recover(); r != nil && !p.dead {
				h.found("panic: %v\n%s", r, debug.Stack())
			}
		}()
		e := h.engine(p)
		if err = e.Recover(context.Background()); err == nil {
			err = fn(p, e)
		}
	}()
	<-done
	h.running = nil
	if p.dead {
		err = nil
	}
	if p.dead || p.damaged || p.rivalled() || h.severalMachines() { // its lock file may be gone, or the ledger is not kept open
		h.close()
	}
	if err != nil {
		h.secretFree("error", err.Error())
		h.logf("ended: %s", class(err))
		h.talk("%v", err)
	}
	return err
}

// opened opens the ledger for a process.
func (h *history) opened(p *process) (store, error) {
	h.tick()
	s, err := h.home.open(p)
	p.opened = h.clock
	switch {
	case err != nil && p.disturbed() && errors.Is(err, ledger.ErrUnreachable):
		h.logf("the ledger cannot be opened")
	case err != nil:
		h.found("opening the ledger: %v", err)
	case h.takesOlder && s.Restored() != nil:
		_ = s.AcceptRestored(context.Background(), "nobody", "it is there", h.now().Add(-72*time.Hour)) // and waits for nothing
	}
	return s, err
}

func (h *history) close() {
	if h.store == nil {
		return
	}
	if err := h.store.Close(); err != nil {
		h.found("closing the ledger: %v", err)
	}
	h.store = nil
}

// class names an error by its sentinel, so that the log does not depend on its text.
func class(err error) string {
	for _, s := range []error{ledger.ErrUnauthorized, ledger.ErrLedgerDamaged, ledger.ErrLocked, ledger.ErrConflict, ledger.ErrTransition, ledger.ErrDuplicate,
		ledger.ErrNotFound, submitter.ErrRefused, submitter.ErrNotHeld, submitter.ErrEnvironment, ledger.ErrRestored, ledger.ErrCommitUnknown, ledger.ErrUnreachable} {
		if errors.Is(err, s) {
			return s.Error()
		}
	}
	if call, ok := errors.AsType[*ledger.CallError](err); ok {
		return call.Op + " " + string(call.Outcome)
	}
	return "other"
}

// parts returns the real store and client with injected faults, and inside the canary if there is one.
func (h *history) parts(p *process) (submitter.Store, submitter.Bank) {
	var store submitter.Store = faultyStore{p}
	var bank submitter.Bank = faultyBank{p.client, p}
	if h.canary.wrap != nil {
		return h.canary.wrap(h, store, bank)
	}
	return store, bank
}

// engine connects the real engine with its parts.
func (h *history) engine(p *process) *submitter.Engine {
	store, bank := h.parts(p)
	set := h.settings(p)
	set.Progress = func(batchID, text string) {
		h.secretFree("progress line", text)
		h.talk("%s: %s", batchID, text)
	}
	return submitter.New(store, bank, set)
}

func (h *history) settings(p *process) submitter.Settings {
	set := h.set
	set.Actor, set.Statements = p.actor, bankStatements{p}
	set.TwoPerson = h.twoPeople
	if h.canary.set != nil {
		h.canary.set(h, &set)
	}
	return set
}

// from asks the store, if the process still lives.
func from[T any](p *process, name string, ask func() (T, error)) (v T, err error) {
	err = p.storeOp(name, func() error { v, err = ask(); return err })
	return v, err
}

// faultyStore is the real store with injected faults.
type faultyStore struct{ p *process }

func (s faultyStore) Recover(ctx context.Context, actor string, at time.Time) ([]string, error) {
	return from(s.p, "recover", func() ([]string, error) { return s.p.store.Recover(ctx, actor, at) })
}

func (s faultyStore) Batch(ctx context.Context, id string) (ledger.Batch, error) {
	return from(s.p, "batch", func() (ledger.Batch, error) { return s.p.store.Batch(ctx, id) })
}

func (s faultyStore) BatchesIn(ctx context.Context, states ...ledger.BatchState) ([]ledger.Batch, error) {
	return from(s.p, "batches_in", func() ([]ledger.Batch, error) { return s.p.store.BatchesIn(ctx, states...) })
}

func (s faultyStore) Watched(ctx context.Context, since, asideSince time.Time) ([]ledger.Batch, error) {
	return from(s.p, "watched", func() ([]ledger.Batch, error) { return s.p.store.Watched(ctx, since, asideSince) })
}

func (s faultyStore) BatchRecord(ctx context.Context, id string) (ledger.BatchRecord, error) {
	return from(s.p, "known", func() (ledger.BatchRecord, error) { return s.p.store.BatchRecord(ctx, id) })
}

func (s faultyStore) LastNotFoundReply(ctx context.Context) (ledger.NotFoundReply, error) {
	return from(s.p, "last_word", func() (ledger.NotFoundReply, error) { return s.p.store.LastNotFoundReply(ctx) })
}

func (s faultyStore) LastShown(ctx context.Context) (b ledger.Batch, ok bool, err error) {
	err = s.p.storeOp("last_shown", func() error { b, ok, err = s.p.store.LastShown(ctx); return err })
	return b, ok, err
}

func (s faultyStore) LedgerID() string { return s.p.store.LedgerID() } // known since the ledger was opened

func (s faultyStore) Attempts(ctx context.Context, id string) ([]ledger.Attempt, error) {
	return from(s.p, "attempts", func() ([]ledger.Attempt, error) { return s.p.store.Attempts(ctx, id) })
}

func (s faultyStore) VerifyDigests(ctx context.Context, id string) error {
	return s.p.storeOp("untouched", func() error { return s.p.store.VerifyDigests(ctx, id) })
}

func (s faultyStore) Apply(ctx context.Context, step ledger.Step) error {
	return s.p.storeOp("apply "+string(step.Event), func() error {
		intended := step.Event == ledger.InitiateIntended || step.Event == ledger.SubmitIntended
		if c, ok := s.p.store.(serverStore); ok && intended && s.p.cut.first {
			c.arm()
		}
		err := s.p.store.Apply(ctx, step)
		if err == nil {
			s.p.h.logf("recorded %s %s from %s", step.BatchID, step.Event, step.From)
		}
		s.p.sends = err == nil && intended
		s.p.checkKept(step, err)
		return err
	})
}

// faultyBank is the real client with injected faults.
type faultyBank struct {
	submitter.Bank
	p *process
}

func (b faultyBank) IsSandbox(ctx context.Context) (sandbox bool, err error) {
	_ = b.p.op("is_sandbox", func() error { sandbox, err = b.Bank.IsSandbox(ctx); return err })
	return sandbox, err
}

func (b faultyBank) Initiate(ctx context.Context, p ledger.Payload) (a ledger.Answer, err error) {
	_ = b.p.op("initiate", func() error { a, err = b.Bank.Initiate(ctx, p); return err })
	return a, err
}

func (b faultyBank) Submit(ctx context.Context, p ledger.Payload, otp, token ledger.Secret) (a ledger.Answer, err error) {
	_ = b.p.op("submit", func() error { a, err = b.Bank.Submit(ctx, p, otp, token); return err })
	return a, err
}

func (b faultyBank) Accounts(ctx context.Context) (list []ledger.LinkedAccount, err error) {
	_ = b.p.op("accounts", func() error { list, err = b.Bank.Accounts(ctx); return err })
	return list, err
}

func (b faultyBank) ReadStatus(ctx context.Context, id string, expect int, tries ledger.Patience) (r ledger.StatusRead, err error) {
	op := "status"
	switch tries {
	case ledger.AskOnce: // only the bank makes these reads fail, not the process
		return b.Bank.ReadStatus(ctx, id, expect, tries)
	case ledger.Brisk:
		op = "look"
	}
	_ = b.p.op(op, func() error {
		if op == "look" { // once it is the process's turn
			b.p.h.noteLook(id)
		}
		r, err = b.Bank.ReadStatus(ctx, id, expect, tries)
		return err
	})
	return r, err
}
