package sqlite

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"payrun/ledger"
)

// factsOf tells the facts of a store at one moment.
func factsOf(t testing.TB, s *Store) *reader {
	t.Helper()
	conns, err := sameMoment(t.Context(), s.read, 1)
	must(t, err)
	t.Cleanup(func() { release(conns) })
	return &reader{r: sqlReader{conns[0]}, id: s.id, report: func(invariant int, what, detail string) { t.Errorf("%d %s: %s", invariant, what, detail) }}
}

// What the facts tell of payouts is what EachPayout shows of them, whether or
// not their attempts are made, and of observations what the export has.
func TestFactsAreWhatIsShown(t *testing.T) {
	st := tell(t)
	load(t, st.Store, "dec", 5, 2)
	type told struct {
		Payout  int64
		Amount  ledger.Paise
		Number  int
		Batch   string
		WireRef string
		State   ledger.PayoutState
		Account string
		Seen    []ledger.NewObservation
	}
	seen := map[ledger.AttemptKey][]ledger.NewObservation{}
	err := st.db.Moment(t.Context(), func(r Snapshot) error {
		return eachObservation(t.Context(), r, func(o ledger.NewObservation) error {
			seen[o.AttemptKey] = append(seen[o.AttemptKey], o)
			return nil
		}, factsOfAnswers)
	})
	must(t, err)
	var want, got []told
	err = st.EachPayout(t.Context(), ledger.Filter{Attempts: true}, func(a ledger.Attempt) error {
		want = append(want, told{a.ID, a.Amount, a.Number, a.BatchID, a.WireRef, a.State, a.BankAccountID, seen[a.Key()]})
		return nil
	})
	must(t, err)
	f := factsOf(t, st.Store)
	must(t, f.Payouts(t.Context(), func(p *ledger.PayoutFacts) error {
		for _, a := range p.Attempts {
			got = append(got, told{p.ID, p.Amount, a.Number, f.name(t.Context(), a.BatchNo), a.WireRef, a.State, p.BankAccountID, append([]ledger.NewObservation(nil), a.Seen...)})
		}
		return nil
	}))
	if d := cmp.Diff(want, got); d != "" || len(seen) == 0 {
		t.Errorf("-shown +facts:\n%s", d)
	}
}

// A reader that has enough leaves nothing open, and a query that was cancelled
// says so.
func TestAStreamEndsWhenItIsTold(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 3*watchEvery, 500)
	f := factsOf(t, s)
	enough := errors.New("enough")
	for range 2 {
		err := f.Payouts(t.Context(), func(p *ledger.PayoutFacts) error {
			if p.ID != 1 {
				t.Errorf("%+v", p)
			}
			return enough
		})
		if !errors.Is(err, enough) {
			t.Error(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	read := 0
	err := f.References(ctx, func(*ledger.ReferenceFacts) error {
		read++
		cancel()
		return nil
	})
	if !errors.Is(err, context.Canceled) || read > watchEvery {
		t.Errorf("after %d references: %v", read, err)
	}
}

// Connections of one moment see nothing that comes after it.
func TestAMomentIsOneForAll(t *testing.T) {
	s := newStore(t)
	b := load(t, s, "nov", 4, 2)
	conns, err := sameMoment(t.Context(), s.read, 2)
	must(t, err)
	defer release(conns)
	before := auditHeadOf(t, s)
	hold(t, s, b[0].ID)
	for _, conn := range conns {
		if head, err := auditHead(t.Context(), sqlReader{conn}); err != nil || head != before {
			t.Errorf("%+v, %v, want %+v", head, err, before)
		}
	}
	if auditHeadOf(t, s) == before {
		t.Error("nothing came after it")
	}
}

// A run that writes makes no ledger unsound for one that verifies meanwhile.
func TestVerifyBesideARunThatWrites(t *testing.T) {
	const most = 60 // verifications; without a bound, the two slow each other down for minutes
	s := newStore(t)
	sound := func() error {
		if problems, err := s.Verify(t.Context()); err != nil || len(problems) > 0 {
			return fmt.Errorf("%+v, %w", problems, err)
		}
		return nil
	}
	var verifier errgroup.Group
	written := make(chan struct{})
	verifier.Go(func() error {
		for range most {
			select {
			case <-written:
				return nil
			default:
			}
			if err := sound(); err != nil {
				return err
			}
		}
		return nil
	})
	for i := range 12 {
		for _, b := range load(t, s, fmt.Sprint("sheet", i), 6, 2) {
			hold(t, s, b.ID)
			submit(t, s, b.ID)
		}
	}
	close(written)
	if err := errors.Join(verifier.Wait(), sound()); err != nil { // once more, when all is written
		t.Error(err)
	}
}

// Each stream is one walk along a table or an index: nothing is looked up for a
// row and nothing sorted, so that what verify costs grows with the ledger and
// no faster.
func TestFactsAreReadInOneWalk(t *testing.T) {
	s := newStore(t)
	for _, q := range []Select{factsOfSheets, factsOfReadings, factsOfReferences, factsOfEvents, factsOfBatches, factsOfIntents, factsOfLooks, factsOfRefs, factsOfProposals,
		factsOfPayouts, factsOfAttempts, factsOfAnswers} {
		if plan := queryPlan(t, s, q.Text()); len(plan) != 1 || !strings.HasPrefix(plan[0], "SCAN ") {
			t.Errorf("%s\n%q", q.Text(), plan)
		}
	}
	if plan := queryPlan(t, s, membersOfSheet, 1); len(plan) != 2 || !strings.HasPrefix(plan[0], "SEARCH s ") || !strings.HasPrefix(plan[1], "SEARCH b ") {
		t.Errorf("%q", plan)
	}
}
