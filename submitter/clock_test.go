package submitter_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

const year = 365 * 24 * time.Hour

// atWrongTime does something while this machine's clock is wrong by so much. The bank's
// stays right.
func (d *desk) atWrongTime(by time.Duration, do func()) {
	d.t.Helper()
	set := d.set
	d.set.Now = func() time.Time { return d.now().Add(by) }
	do()
	d.set = set
}

// onceEach is a bank that answers one status read, and no other.
type onceEach struct {
	submitter.Bank
	answered bool
}

func (b *onceEach) TransferStatus(ctx context.Context, id string, n int) (ledger.StatusRead, error) {
	if b.answered {
		return ledger.StatusRead{}, &ledger.CallError{Op: "status", Outcome: ledger.Unknown}
	}
	b.answered = true
	return b.Bank.TransferStatus(ctx, id, n)
}

// A clock that is a year ahead for a while, or back, pays nothing, closes nothing, and
// leaves nothing waiting for that time to come.
func TestAWrongClockLosesNothing(t *testing.T) {
	for name, by := range map[string]time.Duration{"a year ahead": year, "a year back": -year} {
		t.Run(name+", at submit and at the first failure", func(t *testing.T) {
			d := newDesk(t)
			b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
			d.control("/outcomes", map[string]string{"S1-G0-000": "failed"})
			d.initiate()
			d.atWrongTime(by, func() {
				d.submit(d.otp(b.ID))
				for d.attempts(b.ID)[0].FailedReads == 0 {
					d.control("/settle", nil)
					d.verb(submitter.New(d.store, &onceEach{Bank: d.client}, d.set).Poll(t.Context(), nil, 0)) // no second read now
				}
			})
			if got := d.states(b.ID); got["failed"] != 0 {
				t.Fatalf("by one read: %v", got)
			}
			d.settle()
			d.want(b.ID, ledger.BatchSettled, states{"failed": 1, "success": 1})
			d.control("/outcomes", map[string]string{"S1-G0-001": "returned"})
			d.settle() // it is watched all the same
			d.want(b.ID, ledger.BatchSettled, states{"failed": 1, "returned": 1})
			d.sound()
		})
		t.Run(name+", while it settles", func(t *testing.T) {
			d := newDesk(t)
			b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
			d.initiate()
			d.submit(d.otp(b.ID))
			d.atWrongTime(by, func() { d.settle() })
			d.want(b.ID, ledger.BatchSettled, states{"success": 1})
			d.control("/outcomes", map[string]string{"S1-G0-000": "returned"})
			d.settle()
			d.want(b.ID, ledger.BatchSettled, states{"returned": 1})
			d.sound()
		})
		t.Run(name+", as an answer to initiate is lost", func(t *testing.T) {
			d := newDesk(t, func(s *submitter.Settings) { s.LeaveDoubts = true })
			b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
			d.faults(fault{Op: "initiate", Nth: []int{1}, Kind: "drop_before"})
			d.atWrongTime(by, func() { d.initiate() })
			d.want(b.ID, ledger.BatchInitiateUnknown, states{"planned": 1})
			d.poll() // nobody waits a year to plan it anew
			d.want(b.ID, ledger.BatchAbandoned, states{"cancelled": 1})
			d.initiate()
			held, err := d.store.BatchesIn(t.Context(), ledger.BatchHeld)
			if err != nil || len(held) != 1 {
				t.Fatalf("%d batches are held: %v", len(held), err)
			}
			d.submit(d.otp(held[0].ID))
			d.settle()
			if n := d.executed("S1-G0-000"); n != 1 {
				t.Errorf("paid %d times", n)
			}
			d.sound()
		})
		t.Run(name+", while people decide", func(t *testing.T) {
			d, b := inDoubt(t, false)
			d.atWrongTime(by, func() {
				for range 6 {
					d.poll()
				}
				if _, err := d.decides("asha", notSubmitted(b.ID)); !errors.Is(err, submitter.ErrRefused) {
					t.Errorf("decided within the hour: %v", err)
				}
			})
			d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
			d.sound()
		})
	}
}
