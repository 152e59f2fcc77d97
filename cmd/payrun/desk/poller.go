package desk

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// poller asks the bank about batches, as "payrun poll --wait" does: soon after something happened, then
// less and less often. It takes the ledger for one round at a time, and breaks the round off when a person
// here needs it.
type poller struct {
	desk *desk

	one    sync.Mutex  // one round at a time
	wanted atomic.Bool // a person asked for a round that is not over

	mu   sync.Mutex
	at   time.Time // time of the last round
	said string    // what went wrong in it; "" for nothing
}

// pollerName is the actor of these polls in the audit trail.
const pollerName = "(desk)"

// run polls until ctx ends. The first round comes at once and asks about every watched batch, which settles
// what a killed desk left open. Later rounds ask about open batches, and after the longest wait about all
// again.
func (p *poller) run(ctx context.Context) {
	first, most := p.desk.set.Poll.First.Std(), p.desk.set.Poll.Most.Std()
	most = max(first, most)
	tick := time.NewTicker(first)
	defer tick.Stop()
	var due, wait, all time.Duration // until the next round, after that round, and until the next round about all
	seen := int64(-1)                // events of the audit trail
	for {
		if now := p.events(ctx); now != seen { // a person did something
			seen, due, wait = now, 0, first
		}
		if due <= 0 && p.byItself(ctx, all <= 0) {
			now := p.events(ctx)
			if p.moved(ctx, seen, now) {
				wait = first
			}
			seen, due, wait = now, wait, min(2*wait, most)
			if all <= 0 {
				all = most
			}
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			due, all = due-first, all-first
		}
	}
}

// moved reports whether a round brought anything new. That the bank was read and shows what it showed before is on
// record too, but is nothing new.
func (p *poller) moved(ctx context.Context, after, upTo int64) bool {
	events, err := p.desk.app.Events(ctx, p.desk.call(nil, "poll"), ledger.EventFilter{After: after, Before: upTo + 1})
	return err == nil && slices.ContainsFunc(events, func(e ledger.Event) bool { return e.Kind != ledger.EventObserved || e.Detail != "" })
}

func (p *poller) events(ctx context.Context) int64 {
	look, _ := p.desk.app.Glance(ctx, p.desk.call(nil, "poll"))
	return look.Head.Length // 0 if it cannot be read: the next tick reads it again
}

// byItself asks once about every open batch, or with all about every watched one. It returns false if the
// round was broken off.
func (p *poller) byItself(ctx context.Context, all bool) bool {
	call := app.Call{Actor: pollerName, Command: "payrun desk, poll", LockWait: p.desk.patience, Unattended: true}
	known, err := p.desk.app.Pollable(ctx, call, all)
	if err != nil || len(known) == 0 {
		return err == nil // nothing to ask: leave the ledger to others
	}
	var req app.PollRequest
	if !all {
		req.Batches = known
	}
	return p.round(ctx, call, req)
}

// ask polls the given batches in the background, or every watched one. Only one such round runs at a time.
func (p *poller) ask(call app.Call, batches []string) {
	if !p.wanted.CompareAndSwap(false, true) {
		return
	}
	p.desk.jobs.running.Go(func() {
		defer p.wanted.Store(false)
		p.round(p.desk.jobs.ctx, call, app.PollRequest{Batches: batches})
	})
}

// round asks once. It returns false if it was broken off.
func (p *poller) round(ctx context.Context, call app.Call, req app.PollRequest) bool {
	p.one.Lock()
	defer p.one.Unlock()
	ctx, yield := context.WithCancel(ctx)
	defer yield()
	call.GiveWay = yield
	_, err := p.desk.app.Poll(ctx, call, req)
	if ctx.Err() != nil || errors.Is(err, ledger.ErrLocked) {
		return false
	}
	p.tell(err)
	return true
}

// last says when the bank was asked last, and whether that failed.
func (p *poller) last() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.wanted.Load():
		return "The bank is being asked."
	case p.at.IsZero():
		return ""
	case p.said != "":
		return "The bank could not be asked at " + p.desk.set.TimeOfDay(p.at) + "; the desk's own log says why."
	}
	return "The bank was asked at " + p.desk.set.TimeOfDay(p.at) + "."
}

// tell reports once why polling fails. A batch that waits for a person is no failure.
func (p *poller) tell(err error) {
	words := ""
	if e := app.Worst(err); e != nil && e.Attention == ledger.NeedsNothing {
		words = e.What
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if words != "" && words != p.said {
		p.desk.warn("desk: the bank could not be asked: " + words)
	}
	p.said, p.at = words, p.desk.now()
}
