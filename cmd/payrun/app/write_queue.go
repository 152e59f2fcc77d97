package app

import (
	"context"
	"sync"

	"golang.org/x/sync/semaphore"

	"payrun/ledger"
)

// line is where the writing use cases of one App wait for their turn: one at a time has the ledger, in
// the order in which they came. The kernel's lock, which keeps other processes out, is tried again and
// again, and the quickest gets it; within one App no one is overtaken, and no one takes one of us for
// another run.
type line struct {
	turn *semaphore.Weighted

	mu      sync.Mutex
	waiting int
	holder  ledger.Holder // who has the turn
	giveWay func()        // Call.GiveWay of who has it
}

func newLine() *line { return &line{turn: semaphore.NewWeighted(1)} }

// take waits for the turn: as long as it takes with call.InTurn, else as long as for
// others, and is *ledger.LockedError then. done passes the turn on.
func (l *line) take(ctx context.Context, call Call, who ledger.Holder) (done func(), err error) {
	if !l.turn.TryAcquire(1) {
		if err := l.wait(ctx, call); err != nil {
			return nil, err
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.holder, l.giveWay = who, call.GiveWay; l.waiting > 0 && l.giveWay != nil {
		l.giveWay()
	}
	return func() {
		l.mu.Lock()
		l.holder, l.giveWay = ledger.Holder{}, nil
		l.mu.Unlock()
		l.turn.Release(1)
	}, nil
}

func (l *line) wait(ctx context.Context, call Call) error {
	l.count(1)
	defer l.count(-1)
	wait := ctx
	if !call.InTurn {
		var cancel context.CancelFunc
		wait, cancel = context.WithTimeout(ctx, call.LockWait)
		defer cancel()
	}
	if l.turn.Acquire(wait, 1) == nil {
		return nil
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return &ledger.LockedError{Holder: l.has()}
}

// has returns who has the turn; the zero Holder for no one.
func (l *line) has() ledger.Holder {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holder
}

// count counts who waits, and tells who has the turn of it.
func (l *line) count(n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting += n; l.waiting > 0 && l.giveWay != nil {
		l.giveWay()
	}
}
