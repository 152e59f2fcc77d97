package desk

import (
	"net/http"
	"sync"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// soonOver is how long a request waits for a verification. The verification of a large ledger takes longer
// and continues in the background.
const soonOver = 2 * time.Second

// verifyStatus is the result of the last verification, as by payrun ledger verify.
type verifyStatus struct {
	mu  sync.Mutex
	now verifyView
}

// verifyView is that result for the home page. It is shown until the next one.
type verifyView struct {
	Running bool
	At      time.Time // end of the last verification with a result; zero for never
	Failed  time.Time // end of a later one without a result; zero for none
	UpTo    int64     // the last event that was verified
	Wrong   int       // number of problems
}

func (w *verifyStatus) view() verifyView {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now
}

// verify verifies the ledger. Only one verification runs at a time.
func verify(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if d.jobs.ctx.Err() == nil && d.whole.begins() {
		call, over := d.call(s, "verify"), make(chan struct{})
		d.jobs.running.Go(func() {
			defer close(over)
			d.verified(call)
		})
		select {
		case <-over:
		case <-time.After(soonOver):
		case <-r.Context().Done():
		}
	}
	return leadTo(w, r, "/#whole")
}

// begins records that a verification runs. It returns false if one runs already.
func (w *verifyStatus) begins() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	begins := !w.now.Running
	w.now.Running = true
	return begins
}

func (d *desk) verified(call app.Call) {
	head, problems, err := d.verify(call)
	untold := err != nil && len(problems) == 0
	if untold {
		d.warn("desk: the ledger's integrity could not be checked: " + err.Error())
	}
	for _, p := range few(problems) {
		d.warn("desk: the ledger is not whole: " + p.What + ": " + p.Detail)
	}
	d.whole.mu.Lock()
	defer d.whole.mu.Unlock()
	if untold {
		d.whole.now.Running, d.whole.now.Failed = false, d.now()
		return
	}
	d.whole.now = verifyView{At: d.now(), UpTo: head.Length, Wrong: len(problems)}
}

func (d *desk) verify(call app.Call) (head ledger.AuditHead, problems []app.Problem, err error) {
	defer panicIs(&err)
	look, err := d.app.Glance(d.jobs.ctx, call)
	if err == nil {
		problems, err = d.app.Verify(d.jobs.ctx, call, "", false)
	}
	return look.Head, problems, err
}
