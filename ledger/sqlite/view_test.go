package sqlite

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

func TestFiltersSelectPayouts(t *testing.T) {
	st := tell(t)
	dec := load(t, st.Store, "dec", 2, 2)[0]
	refused := attemptsOf(t, st.Store, st.refused)
	for name, c := range map[string]struct {
		f    ledger.Filter
		want []string
	}{
		"a sheet":                     {ledger.Filter{SheetID: dec.SheetID}, []string{"dec-1", "dec-2"}},
		"a batch":                     {ledger.Filter{BatchID: st.held}, []string{"nov-3", "nov-4"}},
		"a batch of another sheet":    {ledger.Filter{BatchID: st.held, SheetID: dec.SheetID}, nil},
		"a state":                     {ledger.Filter{States: []ledger.PayoutState{ledger.PayoutSuccess}}, []string{"nov-7", "nov-8"}},
		"two states":                  {ledger.Filter{States: []ledger.PayoutState{ledger.PayoutSuccess, ledger.PayoutPending}}, []string{"nov-5", "nov-6", "nov-7", "nov-8"}},
		"a reference in any case":     {ledger.Filter{Search: "NOV-1"}, []string{"nov-1", "nov-10", "nov-11", "nov-12", "nov-13-R2", "nov-14-R2", "nov-15", "nov-16"}},
		"a payee":                     {ledger.Filter{Search: "vendor 16"}, []string{"nov-16"}},
		"a UTR":                       {ledger.Filter{Search: "utr-nov-7"}, []string{"nov-7"}},
		"what is nowhere":             {ledger.Filter{Search: "%"}, nil},
		"a sheet that is not there":   {ledger.Filter{SheetID: "shnone"}, nil},
		"a batch whose payouts moved": {ledger.Filter{BatchID: st.refused}, nil},
		"its attempts":                {ledger.Filter{BatchID: st.refused, Attempts: true}, []string{refused[0].WireRef, refused[1].WireRef}},
		"every attempt of a payout":   {ledger.Filter{Search: "nov-13", Attempts: true}, []string{"nov-13", "nov-13-R2"}},
	} {
		var got []string
		err := st.EachPayout(t.Context(), c.f, func(a ledger.Attempt) error { got = append(got, a.WireRef); return nil })
		if d := cmp.Diff(c.want, got); err != nil || d != "" {
			t.Errorf("%s (-want +got):\n%s%v", name, d, err)
		}
	}
}

func TestAViewStopsWhenItsReaderDoes(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 3, 3)
	enough, n := errors.New("enough"), 0
	err := s.EachPayout(t.Context(), ledger.Filter{}, func(ledger.Attempt) error { n++; return enough })
	if !errors.Is(err, enough) || n != 1 {
		t.Errorf("%d payouts, %v", n, err)
	}
	if err := s.Events(t.Context(), func(ledger.Event) error { return enough }); !errors.Is(err, enough) {
		t.Error(err)
	}
}

func TestTheLedgerCanBeAskedAndChangedWhileItIsRead(t *testing.T) {
	s := newStore(t)
	b := load(t, s, "nov", 3, 1)
	i := 0
	err := s.EachPayout(t.Context(), ledger.Filter{}, func(a ledger.Attempt) error {
		i++
		return s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: b[i-1].ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(i)})
	})
	if err != nil || i != 3 {
		t.Errorf("%d payouts, %v", i, err)
	}
}

func TestTalliesFollowTheLatestAttempt(t *testing.T) {
	st := tell(t)
	got, err := st.Tallies(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := map[ledger.PayoutState]ledger.Tally{
		ledger.PayoutPlanned:          {Count: 6, Total: 600_00 + 0 + 1 + 10 + 11 + 12 + 13},
		ledger.PayoutRequestInitiated: {Count: 4, Total: 400_00 + 2 + 3 + 14 + 15},
		ledger.PayoutPending:          {Count: 2, Total: 200_00 + 4 + 5},
		ledger.PayoutSuccess:          {Count: 2, Total: 200_00 + 6 + 7},
		ledger.PayoutCancelled:        {Count: 2, Total: 200_00 + 8 + 9},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
}

func TestBatchesInPlanOrder(t *testing.T) {
	st := tell(t)
	dec := load(t, st.Store, "dec", 1, 1)[0]
	ids := func(batches []ledger.Batch, err error) (ids []string) {
		if err != nil {
			t.Fatal(err)
		}
		for _, b := range batches {
			ids = append(ids, b.ID)
		}
		return ids
	}
	if d := cmp.Diff([]string{st.held, st.quarantined}, ids(st.BatchesIn(t.Context(), ledger.BatchQuarantined, ledger.BatchHeld))); d != "" {
		t.Errorf("in two states (-want +got):\n%s", d)
	}
	if got := ids(st.BatchesIn(t.Context())); got != nil {
		t.Errorf("in no state: %v", got)
	}
	if d := cmp.Diff([]string{dec.ID}, ids(st.Batches(t.Context(), ledger.Filter{SheetID: dec.SheetID}))); d != "" {
		t.Errorf("of a sheet (-want +got):\n%s", d)
	}
	if d := cmp.Diff([]string{st.held}, ids(st.Batches(t.Context(), ledger.Filter{BatchID: st.held}))); d != "" {
		t.Errorf("one (-want +got):\n%s", d)
	}
	if got := ids(st.Batches(t.Context(), ledger.Filter{})); len(got) != 10 || got[0] != st.planned || got[9] != dec.ID {
		t.Errorf("all: %v", got)
	}
}
