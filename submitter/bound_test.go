package submitter_test

import (
	"context"
	"errors"
	"testing"

	"payrun/ledger"
	"payrun/submitter"
	"payrun/submitter/bankapi"
)

// bound is what a page would show of a batch now.
func (d *desk) bound(id string) ledger.Bound {
	d.t.Helper()
	b, err := submitter.Bind(d.t.Context(), d.store, d.client, id)
	must(d.t, err)
	return b
}

func (d *desk) stillBound(b ledger.Bound) error {
	return submitter.StillBound(d.t.Context(), d.store, d.client, b)
}

func TestWhatWasOvertakenIsNotSent(t *testing.T) {
	d := newDesk(t, func(s *submitter.Settings) { s.HeldAtOnce = 0 })
	all := d.load(payouts{account: pb3, bank: 3, n: 2}, payouts{account: pb4, bank: 4, n: 1})
	b, other := all[0].ID, all[1].ID
	shown := d.bound(b)
	d.set.ExpectedVersion = map[string]ledger.ExpectedVersion{b: {Payload: shown.Payload, Sequence: "1-0000000000000000"}}
	for _, id := range []string{b, other} { // as it was not shown, and not shown at all
		if r, err := d.engine().Initiate(t.Context(), []string{id}, 0); !errors.Is(err, ledger.ErrStale) || len(r) != 0 {
			t.Errorf("%+v, %v", r, err)
		}
		if _, err := d.engine().Abandon(t.Context(), id, "not needed"); !errors.Is(err, ledger.ErrStale) {
			t.Errorf("abandoned: %v", err)
		}
		if _, _, sent := d.bank.OTP(id); sent || d.batch(id).State != ledger.BatchPlanned {
			t.Error("the bank was asked to initiate it")
		}
	}
	d.set.ExpectedVersion = map[string]ledger.ExpectedVersion{b: shown.ExpectedVersion}
	d.became(d.initiate(b), submitter.OutcomeHeld)
	if err := d.stillBound(shown); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("held since: %v", err)
	}
	held := d.bound(b)
	if held.Payload != shown.Payload || d.stillBound(held) != nil || d.stillBound(ledger.Bound{BatchID: b}) == nil {
		t.Errorf("planned %+v, held %+v", shown, held)
	}
	otp, _, _ := d.bank.OTP(b)
	entry := []submitter.OTP{{BatchID: b, OTP: ledger.NewSecret(otp)}}
	d.set.ExpectedVersion = map[string]ledger.ExpectedVersion{b: shown.ExpectedVersion}
	if _, err := d.engine().Submit(t.Context(), entry); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("submitted as it was shown before it was held: %v", err)
	}
	d.set.ExpectedVersion = map[string]ledger.ExpectedVersion{b: held.ExpectedVersion}
	if r, err := d.engine().Submit(t.Context(), entry); err != nil || r[0].Outcome != submitter.OutcomeSubmitted {
		t.Errorf("as it was shown: %+v, %v", r, err)
	}
	d.sound()
}

// A request that never left is sent again in the same operation: that is what the
// person decided, and no other decision overtook it.
func TestARequestThatNeverLeftIsNotOvertakenByItself(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0].ID
	d.set.ExpectedVersion = map[string]ledger.ExpectedVersion{b: d.bound(b).ExpectedVersion}
	r, err := submitter.New(d.store, &neverLeft{Client: d.client, times: 2}, d.set).Initiate(t.Context(), []string{b}, 0)
	if err != nil || r[0].Outcome != submitter.OutcomeHeld {
		t.Errorf("%+v, %v", r, err)
	}
	d.sound()
}

// neverLeft is a bank to which no connection could be made for the first initiates.
type neverLeft struct {
	*bankapi.Client
	times int
}

func (n *neverLeft) Initiate(ctx context.Context, p ledger.Payload) (ledger.Answer, error) {
	if n.times--; n.times >= 0 {
		return ledger.Answer{}, &ledger.CallError{Outcome: ledger.NotSent, Err: errors.New("no connection")}
	}
	return n.Client.Initiate(ctx, p)
}

func TestApprovalsAreAllOrNone(t *testing.T) {
	d := newDesk(t)
	all := d.load(payouts{account: pb3, bank: 3, n: 2}, payouts{account: pb4, bank: 4, n: 1})
	words := func(actor string) (list []ledger.Approving) {
		for _, b := range all {
			list = append(list, ledger.Approving{Approval: ledger.Approval{BatchID: b.ID, Actor: actor, At: d.now()}, Shown: d.bound(b.ID).ExpectedVersion})
		}
		return list
	}
	approve := func(list []ledger.Approving) error {
		_, _, err := submitter.Approvable(t.Context(), d.store, d.client, list)
		if err != nil {
			return err
		}
		return d.store.Approve(t.Context(), list...)
	}
	if err := approve(words("tester")); !errors.Is(err, submitter.ErrSamePerson) {
		t.Errorf("who planned them: %v", err)
	}
	old := words("ravi")
	d.abandon(d.client, all[1].ID, "not needed")
	if err := approve(old); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("one was abandoned since: %v", err)
	}
	for _, b := range all {
		if status, err := d.store.ApprovalStatus(t.Context(), b.ID); err != nil || len(status.Approvals) != 0 {
			t.Errorf("%d approvals, %v", len(status.Approvals), err)
		}
	}
	if err := approve(old[:1]); err != nil {
		t.Error(err)
	}
	if err := approve(old[:1]); !errors.Is(err, ledger.ErrStale) {
		t.Errorf("the same a second time: %v", err)
	}
	d.sound()
}
