package desk

import (
	"net/http"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// soonOver is how long a request waits for a verification. The verification of a large ledger takes longer
// and continues in the background.
const soonOver = 2 * time.Second

// verification is the result of the last verification, as by payrun ledger verify, until the next one.
type verification struct {
	At     time.Time // end of the last verification with a result; zero for never
	Failed time.Time // end of a later one without a result; zero for none
	UpTo   int64     // the last event that was verified
	Wrong  int       // number of problems
}

// verify verifies the ledger. Only one verification runs at a time.
func verify(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if d.jobs.ctx.Err() == nil && d.verifying.CompareAndSwap(false, true) {
		call, over := d.call(s, "verify"), make(chan struct{})
		d.jobs.running.Go(func() {
			defer close(over)
			defer d.verifying.Store(false)
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

func (d *desk) verified(call app.Call) {
	head, problems, err := d.verify(call)
	now := verification{At: d.now(), UpTo: head.Length, Wrong: len(problems)}
	if err != nil && len(problems) == 0 {
		d.warn("desk: the ledger's integrity could not be checked: " + err.Error())
		now = *d.whole.Load() // it stays
		now.Failed = d.now()
	}
	for _, p := range few(problems) {
		d.warn("desk: the ledger is not whole: " + p.What + ": " + p.Detail)
	}
	d.whole.Store(&now)
}

func (d *desk) verify(call app.Call) (head ledger.AuditHead, problems []app.Problem, err error) {
	defer panicIs(&err)
	look, err := d.app.Glance(d.jobs.ctx, call)
	if err == nil {
		problems, err = d.app.Verify(d.jobs.ctx, call, "", false)
	}
	return look.Head, problems, err
}
