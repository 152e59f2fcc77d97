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
// payrun ledger verify looks.
type wholeness struct {
	mu  sync.Mutex
	now wholeView
}

// wholeView is how that stands, for the board. What was found stands until another
// look has told.
type wholeView struct {
	UnderWay bool
	At       time.Time // when the look was over that told something; zero for never
	Failed   time.Time // when it could not be told since; zero where it could
	UpTo     int64     // the last event that it has seen
	Wrong    int       // things that do not hold
}

func (w *wholeness) view() wholeView {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
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
	if d.whole.now.UnderWay || d.jobs.ctx.Err() != nil {
		return nil
	}
	d.whole.now.UnderWay = true
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
	if untold {
		d.whole.now.UnderWay, d.whole.now.Failed = false, d.now()
		return
	}
	d.whole.now = wholeView{At: d.now(), UpTo: head.Length, Wrong: len(problems)}
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
