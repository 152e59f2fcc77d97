package storetest

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payrun/ledger"
)

var stories = []Check{
	{"the story of a batch and of a payout is a part of the whole trail, in order", aStoryIsAPart},
}

func aStoryIsAPart(t testing.TB, o Opener) {
	st := tell(t, o)
	w := st.world()
	var of []ledger.Event
	take := func(list *[]ledger.Event) func(ledger.Event) error {
		return func(e ledger.Event) error { *list = append(*list, e); return nil }
	}
	if err := st.EventsOf(st.ctx, ledger.Filter{BatchID: st.settled}, take(&of)); err != nil {
		t.Fatal(err)
	}
	want := ledger.Where(w.Events, func(e ledger.Event) bool { return e.BatchID == st.settled })
	if diff := cmp.Diff(want, of); diff != "" || len(of) < 5 {
		t.Errorf("the events of a batch (-want +got):\n%s", diff)
	}
	dec := st.load("dec", 2, 1)
	w = st.world()
	for name, c := range map[string]struct {
		f  ledger.Filter
		of func(ledger.Event) bool
	}{
		"one batch": {ledger.Filter{BatchID: dec[1].ID}, func(e ledger.Event) bool { return e.BatchID == dec[1].ID }},
		"a sheet":   {ledger.Filter{SheetID: dec[0].SheetID}, func(e ledger.Event) bool { return e.BatchID == dec[0].ID || e.BatchID == dec[1].ID }},
		"all":       {ledger.Filter{}, func(e ledger.Event) bool { return e.BatchID != "" }},
		"none":      {ledger.Filter{SheetID: "shnone"}, func(e ledger.Event) bool { return false }},
		"no batch":  {ledger.Filter{BatchID: "prnone"}, func(e ledger.Event) bool { return false }},
	} {
		var got []ledger.Event
		err := st.EventsOf(st.ctx, c.f, take(&got))
		want := ledger.Where(w.Events, c.of)
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("the events of batches, %s (-want +got):\n%s%v", name, diff, err)
		}
	}
	last := w.Events[len(w.Events)-1]
	for name, c := range map[string]struct {
		f  ledger.EventFilter
		is func(ledger.Event) bool
	}{
		"all":          {ledger.EventFilter{}, func(ledger.Event) bool { return true }},
		"a person":     {ledger.EventFilter{Actor: strings.ToUpper(asha)}, func(e ledger.Event) bool { return e.Actor == asha }},
		"a kind":       {ledger.EventFilter{Kind: ledger.EventPlanned}, func(e ledger.Event) bool { return e.Kind == ledger.EventPlanned }},
		"a batch":      {ledger.EventFilter{About: st.settled}, func(e ledger.Event) bool { return e.BatchID == st.settled }},
		"its short id": {ledger.EventFilter{About: ledger.ShortID(st.settled)}, func(e ledger.Event) bool { return strings.HasPrefix(e.BatchID, ledger.ShortID(st.settled)) }},
		"a sheet":      {ledger.EventFilter{About: of[0].SheetID}, func(e ledger.Event) bool { return e.SheetID == of[0].SheetID }},
		"a time":       {ledger.EventFilter{Since: of[0].At, Until: last.At}, func(e ledger.Event) bool { return !e.At.Before(of[0].At) && e.At.Before(last.At) }},
		"before one":   {ledger.EventFilter{Before: 4}, func(e ledger.Event) bool { return e.Seq < 4 }},
		"after one":    {ledger.EventFilter{After: 4}, func(e ledger.Event) bool { return e.Seq > 4 }},
		"3 to 5":       {ledger.EventFilter{After: 2, Before: 6}, func(e ledger.Event) bool { return e.Seq > 2 && e.Seq < 6 }},
		"the newest":   {ledger.EventFilter{Most: 2}, func(e ledger.Event) bool { return e.Seq > last.Seq-2 }},
		"nobody":       {ledger.EventFilter{Actor: "nobody"}, func(ledger.Event) bool { return false }},
	} {
		var some []ledger.Event
		err := st.EventsWhere(st.ctx, c.f, take(&some))
		want := ledger.Where(w.Events, c.is)
		if diff := cmp.Diff(want, some, cmpopts.EquateEmpty()); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
	id := st.attempts(st.settled)[0].ID
	var said []ledger.NewObservation
	if err := st.Observations(st.ctx, id, func(n ledger.NewObservation) error { said = append(said, n); return nil }); err != nil {
		t.Fatal(err)
	}
	observed := ledger.Where(w.Observations, func(n ledger.NewObservation) bool { return n.PayoutID == id })
	if diff := cmp.Diff(observed, said); diff != "" || len(said) < 3 {
		t.Errorf("what was observed of a payout (-want +got):\n%s", diff)
	}
}
