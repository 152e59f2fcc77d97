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

func (b *onceEach) ReadStatus(ctx context.Context, id string, n int, tries ledger.Patience) (ledger.StatusRead, error) {
	if b.answered {
		return ledger.StatusRead{}, &ledger.CallError{Op: "status", Outcome: ledger.Unknown}
	}
	b.answered = true
	return b.Bank.ReadStatus(ctx, id, n, tries)
}

// A clock that is a year ahead for a while, or back, pays nothing, closes nothing, and
// leaves nothing waiting for that time to come.
func TestAWrongClockLosesNothing(t *testing.T) {
	for name, by := range map[string]time.Duration{"a year ahead": year, "a year back": -year} {
		t.Run(name+", at submit and at the first failure", func(t *testing.T) {
			d, b := withHeld(t, 2)
			d.outcomes(map[string]string{"S1-G0-000": "failed"})
			d.atWrongTime(by, func() {
				d.submit(d.otp(b.ID))
				for d.attempts(b.ID)[0].FailedReads == 0 {
					d.bank.Settle()
					d.verb(submitter.New(d.store, &onceEach{Bank: d.client}, d.set).Poll(t.Context(), nil, 0)) // no second read now
				}
			})
			if got := d.states(b.ID); got["failed"] != 0 {
				t.Fatalf("by one read: %v", got)
			}
			d.settle()
			d.want(b.ID, ledger.BatchSettled, states{"failed": 1, "success": 1})
			d.outcomes(map[string]string{"S1-G0-001": "returned"})
			d.settle() // it is watched all the same
			d.want(b.ID, ledger.BatchSettled, states{"failed": 1, "returned": 1})
			d.sound()
		})
		t.Run(name+", while it settles", func(t *testing.T) {
			d, b := withSent(t, 1)
			d.atWrongTime(by, func() { d.settle() })
			d.want(b.ID, ledger.BatchSettled, states{"success": 1})
			d.outcomes(map[string]string{"S1-G0-000": "returned"})
			d.settle()
			d.want(b.ID, ledger.BatchSettled, states{"returned": 1})
			d.sound()
		})
		t.Run(name+", while people decide", func(t *testing.T) {
			d, b := inDoubt(t, false)
			d.atWrongTime(by, func() {
				for range 6 {
					d.poll()
				}
				if _, err := d.says(d.client, "asha", notPaid(b.ID)); !errors.Is(err, submitter.ErrRefused) {
					t.Errorf("released within the hour: %v", err)
				}
			})
			d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
			d.sound()
		})
	}
}

// A clock that is wrong right after an answer to initiate was lost lets nothing be said of
// a time that has not passed, and no one waits a year to plan it again. A clock of the bank
// that has stopped tells no time: ours does then.
func TestADoubtIsQuietByTheBanksClockToo(t *testing.T) {
	for name, by := range map[string]time.Duration{"a year ahead": year, "a year back": -year, "ahead": 11 * time.Minute, "back": -11 * time.Minute, "the bank's has stopped": 0} {
		t.Run(name, func(t *testing.T) {
			d, b := withPlanned(t, 1, func(s *submitter.Settings) { s.LeaveDoubts = true })
			var bank submitter.Bank = d.client
			if by == 0 {
				stopped := d.now().Truncate(time.Second)
				bank = timed{d.client, func() time.Time { return stopped }}
			}
			d.faults(fault{Op: "initiate", Nth: []int{1}, Kind: "drop_before"})
			d.atWrongTime(by, func() { d.verb(d.with(bank).Initiate(t.Context(), nil, 0)) })
			d.want(b.ID, ledger.BatchInitiateUnknown, states{"planned": 1})
			for _, wait := range []time.Duration{2 * time.Second, d.set.DoubtQuiet - time.Minute} { // the bank's clock goes on
				d.later(wait)
				d.verb(d.with(bank).Poll(t.Context(), nil, 0))
				d.want(b.ID, ledger.BatchInitiateUnknown, states{"planned": 1})
			}
			d.later(time.Minute)
			d.verb(d.with(bank).Poll(t.Context(), nil, 0))
			d.want(b.ID, ledger.BatchAbandoned, states{"cancelled": 1})
			d.initiate()
			d.submit(d.otp(d.in(ledger.BatchHeld, 1)[0].ID))
			d.settle()
			d.paidTimes(1)
			d.sound()
		})
	}
}

// A first read that says failed, recorded by a clock that was set back since, is waited
// for again, however often that happens.
func TestAFirstFailureInTheFutureIsReadAnew(t *testing.T) {
	d, b := withHeld(t, 1, func(s *submitter.Settings) { s.PollFirst = 10 * time.Millisecond })
	d.outcomes(map[string]string{"S1-G0-000": "failed"})
	d.submit(d.otp(b.ID))
	once := func() {
		d.verb(submitter.New(d.store, &onceEach{Bank: d.client}, d.set).Poll(t.Context(), nil, 0))
		if got := d.attempts(b.ID)[0]; got.State == "failed" {
			t.Fatalf("by a read of the same time: %s", got.Reason)
		}
	}
	d.atWrongTime(3*time.Hour, func() {
		for d.attempts(b.ID)[0].FailedReads == 0 {
			d.bank.Settle()
			once()
		}
	})
	d.atWrongTime(2*time.Hour, once)
	d.atWrongTime(time.Hour, once)
	once()
	if at := d.attempts(b.ID)[0].UpdatedAt; at.After(d.now()) {
		t.Errorf("still waited for from %s on", at)
	}
	d.later(d.set.PollFirst)
	d.poll()
	d.want(b.ID, ledger.BatchSettled, states{"failed": 1})
	d.sound()
}

// What was recorded while the clock was back is not older than what came before it.
func TestAReleaseWaitsByTheBanksClockToo(t *testing.T) {
	d, b := inDoubt(t, false)
	d.withStatement()
	d.poll()
	d.atWrongTime(49*time.Hour, func() {
		_, err := d.says(d.client, "asha", notPaid(b.ID))
		refusedBy(t, err, ledger.RuleBankClock)
	})
	d.sound()
}
