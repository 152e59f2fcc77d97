package sqlite

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// TestAStepIsRecordedWhole: of as many payouts as take statements of every size, each of
// which the step changes twice.
func TestAStepIsRecordedWhole(t *testing.T) {
	s := newStore(t)
	n := 1
	for _, rows := range stepRows[:len(stepRows)-1] {
		n += rows
	}
	id := load(t, s, "nov", n, n)[0].ID
	apply(t, s, ledger.Step{BatchID: id, From: ledger.BatchPlanned, Event: ledger.InitiateIntended, At: at(1), PayloadSHA256: hash("x"), Looks: looked(id)})
	apply(t, s, ledger.Step{BatchID: id, From: ledger.BatchInitiating, Event: ledger.EchoDiffers, At: at(2), Outcome: ledger.Accepted, HTTPStatus: 200})
	moving := observe(t, s, id, ledger.StatusPending, "INITIATED")
	for i := range moving {
		moving[i].Verdict = ledger.Verdict{State: ledger.PayoutPending}
	}
	apply(t, s, ledger.Step{BatchID: id, From: ledger.BatchQuarantined, Event: ledger.SeenMoving, At: at(3), Observed: moving})
	for _, a := range attemptsOf(t, s, id) {
		if a.State != ledger.PayoutPending || a.Status != ledger.StatusPending || a.OpenTxnID != "tx-"+a.WireRef || !a.UpdatedAt.Equal(at(3)) {
			t.Errorf("%+v", a)
		}
	}
	sound(t, s)
}

// TestAnAttemptThatIsNotAsTheStepHasItChangesNothing: one of a hundred is enough.
func TestAnAttemptThatIsNotAsTheStepHasItChangesNothing(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", stepRows[0], stepRows[0])[0].ID
	hold(t, s, id)
	before := dump(t, s)
	var list []ledger.AttemptChange
	for _, a := range attemptsOf(t, s, id) {
		from := a.State
		a.State = ledger.PayoutPending
		list = append(list, ledger.AttemptChange{From: from, Attempt: a})
	}
	list[len(list)/2].From = ledger.PayoutPlanned
	err := s.inTx(t.Context(), "try", func(tx Writer) error { return writeAttempts(t.Context(), tx, list) })
	if !errors.Is(err, ledger.ErrConflict) || !slices.Equal(before, dump(t, s)) {
		t.Errorf("%v", err)
	}
}

// What is known of a batch is handed over as it lies: nothing of it may be sorted.
func TestABatchIsReadAsItLies(t *testing.T) {
	s := newStore(t)
	for _, q := range []Select{knownOfBatch, answersOfBatch, factsOfBatches} {
		query := q.Text()
		for _, step := range queryPlan(t, s, query, make([]any, strings.Count(query, "?"))...) {
			if strings.Contains(step, "TEMP B-TREE") {
				t.Errorf("%s\n%s", query, step)
			}
		}
	}
}
