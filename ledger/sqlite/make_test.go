package sqlite

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

// made tells how many attempts stand in the ledger itself for a batch.
func made(t testing.TB, s *Store, id string) (n int) {
	t.Helper()
	err := s.read.QueryRow(`SELECT count(*) FROM attempts a JOIN batches b ON b.no = a.batch_no WHERE b.id = ?`, id).Scan(&n)
	must(t, err)
	return n
}

func TestAttemptsAreMadeByTheFirstStepOfTheirBatch(t *testing.T) {
	for name, first := range map[string]ledger.Step{
		"an intent":            {Event: ledger.InitiateIntended, PayloadSHA256: hash("x")},
		"giving it up":         {Event: ledger.Abandoned, Person: "sent twice by mail"},
		"a note":               {Note: "wait for the invoice", Attention: ledger.StatusDiffers},
		"an answer that moves": {Observed: []ledger.Observed{{PayoutID: 1, Number: 1, Observation: ledger.Observation{Status: "XYZ"}, Verdict: ledger.Verdict{State: ledger.PayoutDisputed}}}},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStore(t)
			b := load(t, s, "nov", 5, 3)
			planned, other := attemptsOf(t, s, b[0].ID), attemptsOf(t, s, b[1].ID)
			if made(t, s, b[0].ID) != 0 || len(planned) != 3 || len(other) != 2 {
				t.Fatalf("%d made of %d and %d", made(t, s, b[0].ID), len(planned), len(other))
			}
			first.BatchID, first.From, first.At, first.Looks = b[0].ID, ledger.BatchPlanned, at(1), looked(b[0].ID)
			apply(t, s, first)
			if made(t, s, b[0].ID) != 3 || made(t, s, b[1].ID) != 0 {
				t.Errorf("made: %d and, of the batch that nothing happened to, %d", made(t, s, b[0].ID), made(t, s, b[1].ID))
			}
			after := attemptsOf(t, s, b[0].ID)
			for i := range after {
				if p := planned[i]; after[i].Payout != p.Payout || after[i].WireRef != p.WireRef || after[i].Number != 1 {
					t.Errorf("was %+v\nis %+v", p, after[i])
				}
			}
			if d := cmp.Diff(other, attemptsOf(t, s, b[1].ID)); d != "" {
				t.Errorf("the other batch (-before +after):\n%s", d)
			}
			sound(t, s)
		})
	}
}

// What a refused step began is undone with it.
func TestAStepThatIsRefusedMakesNoAttempts(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 3, 3)[0].ID
	before := dump(t, s)
	for name, step := range map[string]ledger.Step{
		"a payload that is no hash":     {Event: ledger.InitiateIntended, PayloadSHA256: "x"},
		"a payout of another batch":     {Observed: []ledger.Observed{{PayoutID: 9, Number: 1, Verdict: ledger.Verdict{State: ledger.PayoutDisputed}}}},
		"a step that is not a payout's": {Observed: []ledger.Observed{{PayoutID: 1, Number: 1, Verdict: ledger.Verdict{State: ledger.PayoutReturned}}}},
	} {
		step.BatchID, step.Actor, step.From, step.At, step.Looks = id, "asha", ledger.BatchPlanned, at(1), looked(id)
		if err := s.Apply(t.Context(), step); err == nil {
			t.Errorf("%s: it was recorded", name)
		}
		if d := cmp.Diff(before, dump(t, s)); d != "" {
			t.Errorf("%s: something is left (-before +after):\n%s", name, d)
		}
	}
	sound(t, s)
}

// The bulk connection looks after its references itself; no other may.
func TestForeignKeysAreOnAfterALoad(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 3, 3)
	l, err := s.BeginLoad(t.Context())
	must(t, err)
	must(t, l.Rollback())
	if err := assertPragmas(t.Context(), s.write, writing); err != nil {
		t.Error(err)
	}
}
