package submitter_test

import (
	"errors"
	"testing"
	"time"

	"payrun/ledger"
	"payrun/submitter"
)

// inDoubt leaves one batch in submit_unknown, as a crash in the call does;
// arrived tells whether the bank got the submit.
func inDoubt(t *testing.T, arrived bool) (*desk, ledger.Batch) {
	t.Helper()
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 2})[0]
	d.initiate()
	if err := d.store.Apply(t.Context(), ledger.Step{Actor: "tester", BatchID: b.ID, From: "held", Event: ledger.SubmitIntended, At: d.now(), PayloadSHA256: sum, Looks: d.asHeld(b.ID)}); err != nil {
		t.Fatal(err)
	}
	if arrived {
		otp := d.otp(b.ID)
		payload, err := d.client.EncodeSubmit(b.ID, "")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := d.client.Submit(t.Context(), payload, otp.OTP, otp.Token); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.engine().Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
	return d, b
}

func TestResolveIsRefusedWhileTimeOrTheBankMayStillTell(t *testing.T) {
	d, b := inDoubt(t, false)
	if _, err := d.engine().Resolve(t.Context(), b.ID, submitter.DecidedNotSubmitted, "asked"); !errors.Is(err, submitter.ErrRefused) {
		t.Fatalf("before poll.overdue_after: %v", err)
	}
	d.later(25 * time.Hour)
	d.faults(fault{Op: "status", Kind: "429", Seconds: 61}) // longer than a read waits for
	if _, err := d.engine().Resolve(t.Context(), b.ID, submitter.DecidedNotSubmitted, "asked"); !errors.Is(err, submitter.ErrRefused) {
		t.Fatalf("without a status: %v", err)
	}
	d.want(b.ID, ledger.BatchSubmitUnknown, states{"request_initiated": 2})
}

func TestResolveIsRefusedWhenTheBankShowsItMoving(t *testing.T) {
	d, b := inDoubt(t, true)
	d.later(25 * time.Hour)
	if _, err := d.engine().Resolve(t.Context(), b.ID, submitter.DecidedNotSubmitted, "asked"); !errors.Is(err, submitter.ErrRefused) {
		t.Fatalf("it did pay: %v", err)
	}
	d.settle()
	d.want(b.ID, ledger.BatchSettled, states{"success": 2})
}

func TestAPersonResolvesADoubt(t *testing.T) {
	for _, c := range []struct {
		as      submitter.Decision
		state   ledger.BatchState
		payouts states
	}{
		{submitter.DecidedNotSubmitted, ledger.BatchAbandoned, states{"cancelled": 2}},
		{submitter.DecidedSubmitted, ledger.BatchSubmitted, states{"request_initiated": 2}},
	} {
		t.Run(string(c.as), func(t *testing.T) {
			d, b := inDoubt(t, false)
			d.later(25 * time.Hour)
			if _, err := d.engine().Resolve(t.Context(), b.ID, c.as, "the bank's desk says so"); err != nil {
				t.Fatal(err)
			}
			d.want(b.ID, c.state, c.payouts)
			d.sound()
		})
	}
}

func TestOnlyADoubtIsResolved(t *testing.T) {
	d := newDesk(t)
	b := d.load(payouts{account: pb3, bank: 3, n: 1})[0]
	if _, err := d.engine().Resolve(t.Context(), b.ID, submitter.DecidedSubmitted, "no"); !errors.Is(err, submitter.ErrRefused) {
		t.Errorf("a planned batch: %v", err)
	}
	if _, err := d.engine().Resolve(t.Context(), "pr-none", submitter.DecidedSubmitted, "no"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("an unknown batch: %v", err)
	}
}
