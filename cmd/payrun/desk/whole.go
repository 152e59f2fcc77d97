package desk

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"sync"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// wholeness is what the last look at whether the ledger is whole has found, as
// payrun ledger verify looks. What was found stands until another look has told.
type wholeness struct {
	mu       sync.Mutex
	underWay bool
	at       time.Time // when it was over that told something; zero for never
	upTo     int64     // the last event that it has seen
	wrong    int       // things that do not hold
	failed   time.Time // when it could not be told since; zero where it could
}

// wholeView is how that stands, for the board.
type wholeView struct {
	UnderWay   bool
	At, Failed time.Time
	UpTo       int64
	Wrong      int
}

func (w *wholeness) view() wholeView {
	w.mu.Lock()
	defer w.mu.Unlock()
	return wholeView{w.underWay, w.at, w.failed, w.upTo, w.wrong}
}

// soonOver is how long whoever asks waits for it; of a large ledger it takes longer, and
// goes on beside the answer.
const soonOver = 2 * time.Second

// verify looks whether the ledger is whole. One such look is under way at a time,
// whoever asks.
func verify(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if over := d.verifies(d.call(s, "verify")); over != nil {
		select {
		case <-over:
		case <-time.After(soonOver):
		case <-r.Context().Done():
		}
	}
	http.Redirect(w, r, "/#whole", http.StatusSeeOther)
	return nil
}

// verifies begins to look, and tells when that is over; nil where one is under way, or
// the desk is being stopped.
func (d *desk) verifies(call app.Call) <-chan struct{} {
	d.whole.mu.Lock()
	defer d.whole.mu.Unlock()
	if d.whole.underWay || d.jobs.ctx.Err() != nil {
		return nil
	}
	d.whole.underWay = true
	over := make(chan struct{})
	d.jobs.running.Go(func() {
		defer close(over)
		d.verified(call)
	})
	return over
}

func (d *desk) verified(call app.Call) {
	head, problems, err := d.look(call)
	untold := err != nil && len(problems) == 0
	if untold {
		d.warn("desk: whether the ledger is whole could not be told: " + err.Error())
	}
	for _, p := range few(problems) {
		d.warn("desk: the ledger is not whole: " + p.What + ": " + p.Detail)
	}
	d.whole.mu.Lock()
	defer d.whole.mu.Unlock()
	if d.whole.underWay = false; untold {
		d.whole.failed = d.now()
		return
	}
	d.whole.at, d.whole.upTo, d.whole.wrong, d.whole.failed = d.now(), head.Length, len(problems), time.Time{}
}

func (d *desk) look(call app.Call) (head ledger.AuditHead, problems []app.Problem, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	if head, err = d.app.Head(d.jobs.ctx, call); err == nil {
		problems, err = d.app.Verify(d.jobs.ctx, call, "")
	}
	return head, problems, err
}
