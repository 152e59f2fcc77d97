package storetest

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var stories = []Check{
	{"the story of a batch and of a payout is a part of the whole trail, in order", aStoryIsAPart},
}

func aStoryIsAPart(t testing.TB, o Opener) {
	st := tell(t, o)
	w := st.world()
	var of, between []ledger.Event
	take := func(list *[]ledger.Event) func(ledger.Event) error {
		return func(e ledger.Event) error { *list = append(*list, e); return nil }
	}
	if err := st.BatchEvents(st.ctx, st.settled, take(&of)); err != nil {
		t.Fatal(err)
	}
	want := slices.DeleteFunc(slices.Clone(w.Events), func(e ledger.Event) bool { return e.BatchID != st.settled })
	if diff := cmp.Diff(want, of); diff != "" || len(of) < 5 {
		t.Errorf("the events of a batch (-want +got):\n%s", diff)
	}
	if err := st.BatchEvents(st.ctx, "", take(&of)); err != nil || len(of) != len(want) {
		t.Errorf("no batch has events: %v", err)
	}
	if err := st.EventsBetween(st.ctx, 2, 5, take(&between)); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(w.Events[2:5], between); diff != "" {
		t.Errorf("events 3 to 5 (-want +got):\n%s", diff)
	}
	id := st.attempts(st.settled)[0].ID
	var said []ledger.NewObservation
	if err := st.Observations(st.ctx, id, func(n ledger.NewObservation) error { said = append(said, n); return nil }); err != nil {
		t.Fatal(err)
	}
	observed := slices.DeleteFunc(slices.Clone(w.Observations), func(n ledger.NewObservation) bool { return n.PayoutID != id })
	if diff := cmp.Diff(observed, said); diff != "" || len(said) < 3 {
		t.Errorf("what was observed of a payout (-want +got):\n%s", diff)
	}
}
