package ledger_test

import (
	"slices"
	"testing"
	"time"

	"payrun/ledger"
)

// A release that is said to be legal is taken where the evidence is there.
func TestAReleaseThatIsSaidToBeLegalIsTaken(t *testing.T) {
	const overdue = 24 * time.Hour
	releases := func(list []ledger.Next) bool {
		return slices.ContainsFunc(list, func(n ledger.Next) bool { return n.Releases() == ledger.ReleaseNotPaid })
	}
	for _, state := range ledger.BatchStates {
		for _, found := range []ledger.Attention{ledger.NeedsNothing, ledger.EchoUnlisted} {
			q := doubted().in(state).is(0, payoutsIn(state)).is(1, payoutsIn(state)).shows("ON_HOLD", "ON_HOLD").later(9 * 24 * time.Hour)
			q.k.Batch.Attention, q.r.NewReferences = found, state == ledger.BatchRefused
			if q.r.NewReferences {
				q.notKnown()
			}
			want := q.r.NewReferences || state == ledger.BatchSubmitUnknown || state == ledger.BatchSubmitted || state == ledger.BatchQuarantined && found == ledger.EchoUnlisted
			legal := releases(q.k.Legal(overdue, q.at))
			if legal != want || legal && q.judged() != "first" {
				t.Errorf("%s, %q: legal %t, and %s", state, found, legal, q.judged())
			}
			if early := releases(q.k.Legal(overdue, t0.Add(time.Hour))); early != (want && state != ledger.BatchSubmitUnknown && state != ledger.BatchSubmitted) {
				t.Errorf("%s, %q, after an hour: legal %t", state, found, early)
			}
		}
	}
}

// Of every state a step that the machine allows to a person is among the legal ones,
// and an abandon that it does not allow is not.
func TestWhatMayBeGivenUpIsLegal(t *testing.T) {
	for _, state := range ledger.BatchStates {
		b := ledger.Batch{State: state}
		_, err := state.Next(ledger.Abandoned)
		want := err == nil || state == ledger.BatchRefused
		has := slices.ContainsFunc(ledger.BatchRecord{Batch: b}.Legal(time.Hour, t0), func(n ledger.Next) bool { return n.Verb == "abandon" })
		if b.Abandonable() != want || has != want {
			t.Errorf("%s: it may be abandoned: %t, is among the legal steps: %t, want %t", state, b.Abandonable(), has, want)
		}
		for _, found := range []ledger.Attention{ledger.StatusUnlisted, ledger.EchoUnlisted, ledger.Acknowledged} {
			if b.Attention = found; b.Abandonable() && (found != ledger.Acknowledged || state == ledger.BatchRefused) {
				t.Errorf("%s, %s: it may be abandoned", state, found)
			}
		}
	}
}
