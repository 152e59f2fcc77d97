package submitter_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"payrun/ledger"
	"payrun/submitter"
)

// lookingStore does something in place of the last look at the ledger.
type lookingStore struct {
	submitter.Store
	look func() error
}

func (s lookingStore) MaySend(context.Context, string) error { return s.look() }

// What the last look refuses is not sent, and may be tried again.
func TestTheLastLookRefusesACall(t *testing.T) {
	d, b := withPlanned(t, 2)
	looks := 0
	refusing := lookingStore{d.store, func() error { looks++; return errors.New("this run is over") }}
	r := d.verb(submitter.New(refusing, d.client, d.set).Initiate(t.Context(), nil, 0))
	if r[0].Outcome != submitter.OutcomeNotSent || looks != 3 || d.posts() != 0 {
		t.Errorf("%+v after %d looks; the bank has %d batches", r, looks, d.posts())
	}
	d.want(b.ID, ledger.BatchPlanned, states{"planned": 2})
	d.initiate()
	r = d.verb(submitter.New(refusing, d.client, d.set).Submit(t.Context(), []submitter.OTP{d.otp(b.ID)}))
	if r[0].Outcome != submitter.OutcomeNotSent || looks != 6 {
		t.Errorf("%+v after %d looks", r, looks)
	}
	d.want(b.ID, ledger.BatchHeld, states{"request_initiated": 2})
	d.sound()
}

// An answer that comes after another run took the call for lost is kept. Where the bank
// accepted a submit, the batch is submitted; any other answer ends no doubt.
func TestALateAnswerIsKept(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2}, payouts{account: pb4, bank: 4, n: 1})
	recovered := lookingStore{d.store, func() error {
		_, err := d.store.Recover(t.Context(), "ravi", d.now())
		return err
	}}
	d.set.LeaveDoubts = true
	late := submitter.New(recovered, d.client, d.set)
	d.verb(late.Initiate(t.Context(), []string{b[0].ID}, 0))
	if trail := strings.Join(d.trail(b[0].ID), "\n"); !strings.Contains(trail, `observed {"outcome":"accepted","http_status":200`) || !strings.Contains(trail, "the answer came after another run took the call for lost: held") {
		t.Errorf("%s", trail)
	}
	d.want(b[0].ID, ledger.BatchInitiateUnknown, states{"planned": 2})

	d.initiate(b[1].ID)
	r := d.verb(late.Submit(t.Context(), []submitter.OTP{d.otp(b[1].ID)}))
	if r[0].Outcome != submitter.OutcomeSubmitted || !strings.Contains(r[0].Message, "after another run took the call for lost") {
		t.Errorf("%+v", r)
	}
	d.want(b[1].ID, ledger.BatchSubmitted, states{"request_initiated": 1})
	if trail := d.trail(b[1].ID); !strings.HasPrefix(trail[len(trail)-1], "late_answer ") {
		t.Errorf("%s", trail)
	}
	d.sound()
	d.settle()
	d.want(b[1].ID, ledger.BatchSettled, states{"success": 1})
}

// While a submit looks a batch up, another machine sends it. The slower one is refused as
// overtaken, and does not say that the bank moved the batch by itself.
func TestASubmitIsOvertakenWhileItLooks(t *testing.T) {
	d, b := withHeld(t, 2)
	d.poll() // what the look shows is nothing new
	otp := d.otp(b.ID)
	overtake := sync.OnceFunc(func() { d.submit(otp) })
	bank := altered{d.client, func(r *ledger.StatusRead) {
		if r.BatchID == b.ID {
			overtake()
		}
	}}
	r, err := submitter.New(d.store, bank, d.set).Submit(t.Context(), []submitter.OTP{otp})
	if submits := d.bank.State().Batches[0].Submits; !errors.Is(err, ledger.ErrStale) || len(r) != 0 || submits != 1 {
		t.Errorf("%+v, %v; the bank took %d submits", r, err, submits)
	}
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
	d.sound()
}
