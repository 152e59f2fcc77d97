package storetest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var recoveries = []Check{
	{"recover puts every call in progress in doubt, once", recoverPutsInDoubt},
	{"an answer that came after recover is kept, and an acceptance ends the doubt", aLateAnswerIsKept},
	{"recover needs an actor, and touches nothing else", recoverTouchesNothingElse},
}

// A recovery is recorded with the name of the person who recovers.
func recoverPutsInDoubt(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 12, 2)
	d.intend(b[4].ID, ledger.InitiateIntended, minute(1))
	d.apply(ledger.Step{BatchID: b[0].ID, From: ledger.BatchPlanned, At: minute(1), Note: "wait", Attention: ledger.StatusDiffers})
	for _, i := range []int{3, 1} {
		d.hold(b[i].ID)
		d.intend(b[i].ID, ledger.SubmitIntended, minute(3))
	}
	d.hold(b[5].ID)
	d.intend(b[2].ID, ledger.InitiateIntended, minute(4))

	if others, err := d.Calling(d.ctx, b[1].ID); others || err != nil {
		d.Errorf("a call of this run is another run's: %v, %v", others, err)
	}
	d.reopen()
	want, ids, err := d.world().recovered(ravi, minute(9))
	if err != nil || !slices.Equal(ids, []string{b[1].ID, b[2].ID, b[3].ID, b[4].ID}) {
		d.Fatalf("the model recovers %v, %v", ids, err)
	}
	got, err := d.Recover(d.ctx, ravi, minute(9))
	if diff := cmp.Diff(ids, got); err != nil || diff != "" {
		d.Errorf("recovered (-want +got):\n%s%v", diff, err)
	}
	d.is(want, "recovering")
	again, err := d.Recover(d.ctx, ravi, minute(10))
	if err != nil || len(again) != 0 {
		d.Errorf("once more: %v, %v", again, err)
	}
	d.is(want, "recovering once more")
	if d.takes(ledger.Step{Actor: asha, BatchID: b[1].ID, From: ledger.BatchSubmitting, Event: ledger.SubmitAccepted, At: minute(11), Outcome: ledger.Accepted}) {
		d.Error("an answer that came late was recorded over the doubt")
	}
	d.whole()
}

func aLateAnswerIsKept(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 4, 2)
	for i := range 2 {
		d.hold(b[i].ID)
		d.intend(b[i].ID, ledger.SubmitIntended, minute(3))
	}
	d.reopen()
	if _, err := d.Recover(d.ctx, ravi, minute(9)); err != nil {
		d.Fatal(err)
	}
	d.takes(ledger.Step{Actor: asha, BatchID: b[0].ID, From: ledger.BatchSubmitUnknown, Event: ledger.LateAnswer, At: minute(10), Outcome: ledger.Accepted, HTTPStatus: 200})
	d.takes(ledger.Step{Actor: asha, BatchID: b[1].ID, From: ledger.BatchSubmitUnknown, At: minute(10), Note: "it came late", Outcome: ledger.Rejected, HTTPStatus: 400, Code: "OTP"})
	if d.batch(b[0].ID).State != ledger.BatchSubmitted || d.batch(b[1].ID).State != ledger.BatchSubmitUnknown {
		d.Errorf("%s and %s", d.batch(b[0].ID).State, d.batch(b[1].ID).State)
	}
	d.whole()
}

func recoverTouchesNothingElse(t testing.TB, o Opener) {
	st := tell(t, o)
	before := st.world()
	if ids, err := st.Recover(st.ctx, asha, minute(30)); err != nil || len(ids) != 0 {
		st.Errorf("%v, %v", ids, err)
	}
	st.is(before, "recovering where nothing was in progress")
	st.intend(st.planned, ledger.InitiateIntended, minute(31))
	before = st.world()
	if ids, err := st.Recover(st.ctx, "", minute(32)); err == nil || len(ids) != 0 {
		st.Errorf("in nobody's name: %v, %v", ids, err)
	}
	st.is(before, "recovering in nobody's name")
}
