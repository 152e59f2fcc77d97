package sqlite

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

func retryable(t *testing.T, s *Store, id string) []ledger.Attempt {
	t.Helper()
	attempts, err := s.Retryable(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return attempts
}

func TestOnlyWhatIsOverForGoodCanBeRetried(t *testing.T) {
	s := newStore(t)
	b := load(t, s, "nov", 6, 6)[0]
	if got := retryable(t, s, b.SheetID); len(got) != 0 {
		t.Errorf("planned payouts: %v", got)
	}
	hold(t, s, b.ID)
	submit(t, s, b.ID)
	answers := []string{ledger.StatusFailed, ledger.StatusFailed, ledger.StatusSuccess, ledger.StatusSuccess, ledger.StatusPending, "odd"}
	for minute := range 2 {
		var observed []ledger.Observed
		for i, a := range attemptsOf(t, s, b.ID) {
			observed = append(observed, see(a, answers[i], ""))
		}
		apply(t, s, ledger.Step{Actor: "asha", BatchID: b.ID, From: ledger.BatchSubmitted, At: at(5 + minute), Observed: observed})
	}
	back := see(attemptsOf(t, s, b.ID)[3], ledger.StatusFailed, ledger.CodeReturned)
	apply(t, s, ledger.Step{Actor: "asha", BatchID: b.ID, From: ledger.BatchSubmitted, At: at(8), Observed: []ledger.Observed{back}})

	var refs []string
	got := retryable(t, s, b.SheetID)
	for _, a := range got {
		refs = append(refs, a.Ref+" "+string(a.State))
	}
	if d := cmp.Diff([]string{"nov-1 failed", "nov-2 failed", "nov-4 returned"}, refs); d != "" {
		t.Errorf("retryable (-want +got):\n%s", d)
	}
	if d := cmp.Diff(got, retryable(t, s, b.ID)); d != "" {
		t.Errorf("by batch instead of by sheet:\n%s", d)
	}
	if _, err := s.Retryable(t.Context(), "shnone"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("neither sheet nor batch: %v", err)
	}

	planned, err := s.PlanRetry(t.Context(), "asha", at(10), got, planOf(payoutsOf(got), 2))
	if err != nil {
		t.Fatal(err)
	}
	if len(planned) != 2 || planned[0].Attempt != 2 || planned[0].Sequence != 2 || planned[1].Sequence != 3 || planned[0].SheetID != b.SheetID ||
		planned[0].ID != ledger.BatchID(s.LedgerID(), hash("nov"), accountCIB, 2, 2) || !planned[0].CreatedAt.Equal(at(10)) {
		t.Errorf("planned: %+v", planned)
	}
	if a := attemptsOf(t, s, planned[1].ID)[0]; a.WireRef != "nov-4-R2" || a.Number != 2 || a.State != ledger.PayoutPlanned || a.Ref != "nov-4" {
		t.Errorf("second attempt: %+v", a)
	}
	if got := retryable(t, s, b.SheetID); len(got) != 0 {
		t.Errorf("once more: %v", got)
	}
	sound(t, s)
}

// A further attempt's reference is the first that nobody ever used, whoever
// used the others and however they were spelt.
func TestARetryReferenceIsNeverOneUsedBefore(t *testing.T) {
	s := newStore(t)
	payouts := samplePayouts("INV", 3)
	payouts[1].Ref, payouts[2].Ref = "inv-1-r2", "Inv-1-R3"
	batches, err := tryLoad(s, "nov", payouts, planOf(payouts, 1))
	if err != nil {
		t.Fatal(err)
	}
	id := batches[0].ID
	for n, want := range []string{"INV-1-R4", "INV-1-R5", "INV-1-R6"} {
		apply(t, s, ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(n)})
		old := attemptsOf(t, s, id)
		planned, err := s.PlanRetry(t.Context(), "asha", at(n), old, planOf(payoutsOf(old), 1))
		if err != nil {
			t.Fatal(err)
		}
		id = planned[0].ID
		if a := attemptsOf(t, s, id)[0]; a.WireRef != want || a.Number != n+2 || planned[0].Attempt != n+2 {
			t.Errorf("attempt %d carries %s, want %s", a.Number, a.WireRef, want)
		}
	}
	later := samplePayouts("x", 1)
	later[0].Ref = "inv-1-R5" // and no sheet may use them after it
	if _, err := tryLoad(s, "dec", later, planOf(later, 1)); !errors.Is(err, ledger.ErrDuplicate) {
		t.Errorf("a sheet with a retry's reference: %v", err)
	}
	sound(t, s)
}

func TestARetryIsPlannedWholeOrNotAtAll(t *testing.T) {
	st := tell(t)
	over, alive := attemptsOf(t, st.Store, st.abandoned), attemptsOf(t, st.Store, st.submitted)
	other := load(t, st.Store, "dec", 1, 1)[0]
	apply(t, st.Store, ledger.Step{Actor: "asha", BatchID: other.ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(9)})
	foreign := attemptsOf(t, st.Store, other.ID)
	superseded := attemptsOf(t, st.Store, st.refused)
	before := dump(t, st.Store)
	for name, c := range map[string]struct {
		attempts []ledger.Attempt
		plan     func([]ledger.PlannedBatch) []ledger.PlannedBatch
		want     error
	}{
		"an attempt that can still pay":        {attempts: slices.Concat(over, alive), want: ledger.ErrConflict},
		"an attempt that has another after it": {attempts: slices.Concat(over, superseded), want: ledger.ErrConflict},
		"attempts of two sheets":               {attempts: slices.Concat(over, foreign)},
		"an attempt in no batch":               {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch { return b[:1] }, want: ledger.ErrRule},
		"an attempt in two batches":            {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch { return append(b, b[0]) }, want: ledger.ErrRule},
		"a batch that sums otherwise":          {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch { b[0].Total++; return b }, want: ledger.ErrRule},
		"another debit account":                {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch { b[0].BankAccountID = accountOne; return b }, want: ledger.ErrRule},
		"an LEI its payouts do not have":       {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch { b[0].BeneLEI = "5493001KJTIIGC8Y1R12"; return b }, want: ledger.ErrRule},
		"several payouts at a single bank": {attempts: over, plan: func(b []ledger.PlannedBatch) []ledger.PlannedBatch {
			b[0].Members, b[0].Total = []int32{0, 1}, b[0].Total+b[1].Total
			b[0].PartnerBankID, b[0].Kind = 4, ""
			return b[:1]
		}, want: ledger.ErrRule},
		"a sheet that is not there": {attempts: func() []ledger.Attempt { a := slices.Clone(over[:1]); a[0].SheetID = "shnone"; return a }(), want: ledger.ErrNotFound},
	} {
		batches := planOf(payoutsOf(c.attempts), 1)
		if c.plan != nil {
			batches = c.plan(batches)
		}
		planned, err := st.PlanRetry(t.Context(), "asha", at(20), c.attempts, batches)
		if err == nil || planned != nil || (c.want != nil && !errors.Is(err, c.want)) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if d := cmp.Diff(before, dump(t, st.Store)); d != "" {
			t.Errorf("%s: something is left (-before +after):\n%s", name, d)
		}
	}
	if planned, err := st.PlanRetry(t.Context(), "asha", at(20), nil, nil); err != nil || planned != nil {
		t.Errorf("nothing to retry: %v, %v", planned, err)
	}
}
