package sqlite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"payrun/ledger"
)

// Whatever legal steps come, in whatever order and whatever the bank says in
// between, every invariant holds, and every batch stands where the machine
// put it. A step that the ledger refuses leaves the batch where it was.
func TestNoHistoryBreaksAnInvariant(t *testing.T) {
	s := newStore(t)
	load(t, s, "nov", 6, 2)
	load(t, s, "dec", 4, 4)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	begun, err := os.ReadFile(s.path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	histories := 0
	rapid.Check(t, func(rt *rapid.T) {
		histories++
		path := filepath.Join(dir, fmt.Sprintf("%d.db", histories))
		write(t, path, begun)
		s, err := OpenExclusive(t.Context(), path, Claim{})
		if err != nil {
			rt.Fatal(err)
		}
		defer s.Close()
		if _, err := s.write.Exec(`PRAGMA synchronous = OFF`); err != nil { // no power is cut here
			rt.Fatal(err)
		}
		h := history{T: rt, s: s, now: t0}
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			h.now = h.now.Add(time.Minute)
			switch rapid.IntRange(0, 19).Draw(rt, "do") {
			case 0:
				h.recover()
			case 1:
				h.retry()
			default:
				h.step()
			}
		}
		problems, err := s.Verify(t.Context())
		if err != nil || len(problems) > 0 {
			rt.Fatalf("%+v, %v", problems, err)
		}
	})
}

type history struct {
	*rapid.T
	s   *Store
	now time.Time
}

func (h *history) batch() ledger.Batch {
	batches, err := h.s.Batches(h.Context(), ledger.Filter{})
	if err != nil {
		h.Fatal(err)
	}
	return rapid.SampledFrom(batches).Draw(h.T, "batch")
}

// step takes any step that the machine allows, or only observes.
func (h *history) step() {
	b := h.batch()
	step := ledger.Step{Actor: "asha", BatchID: b.ID, From: b.State, At: h.now, Note: rapid.SampledFrom([]string{"", "look at it"}).Draw(h.T, "note"),
		Attention: rapid.SampledFrom([]ledger.Attention{ledger.NeedsNothing, ledger.Overdue, ledger.StatusDiffers}).Draw(h.T, "attention"), Observed: h.answer(b)}
	want := b.State
	legal := []ledger.BatchEvent{""}
	for _, e := range ledger.BatchEvents {
		if _, err := b.State.Next(e); err == nil {
			legal = append(legal, e, e)
		}
	}
	if step.Event = rapid.SampledFrom(legal).Draw(h.T, "event"); step.Event != "" {
		want, _ = b.State.Next(step.Event)
	}
	if step.Event == ledger.InitiateIntended || step.Event == ledger.SubmitIntended {
		step.PayloadSHA256 = hash(b.ID)
	}
	step.Successor = step.Event == ledger.DoubtExpired && rapid.Bool().Draw(h.T, "successor")
	switch err := h.s.Apply(h.Context(), step); {
	case errors.Is(err, ledger.ErrTransition), errors.Is(err, ledger.ErrConflict):
		want = b.State
	case err != nil:
		h.Fatal(err)
	}
	if after, err := h.s.Batch(h.Context(), b.ID); err != nil || after.State != want {
		h.Fatalf("after %s a batch that was %s is %s, want %s (%v)", step.Event, b.State, after.State, want, err)
	}
}

// answer is anything a bank might say of some payouts of the batch.
func (h *history) answer(b ledger.Batch) []ledger.Observed {
	if b.State == ledger.BatchPlanned || rapid.IntRange(0, 2).Draw(h.T, "asked") == 0 {
		return nil
	}
	attempts, err := h.s.Attempts(h.Context(), b.ID)
	if err != nil {
		h.Fatal(err)
	}
	var observed []ledger.Observed
	usual := rapid.SampledFrom([]string{ledger.StatusRequestInitiated, ledger.StatusPending, ledger.StatusSuccess, ledger.StatusFailed}).Draw(h.T, "usual")
	for _, a := range attempts {
		switch rapid.IntRange(0, 9).Draw(h.T, "answer") {
		case 0: // not in the answer
		case 1:
			status := rapid.SampledFrom([]string{"", "odd", ledger.StatusInitiated, ledger.StatusSuccess, ledger.StatusFailed}).Draw(h.T, "status")
			observed = append(observed, see(a, status, rapid.SampledFrom([]string{"", ledger.CodeReturned}).Draw(h.T, "code")))
		case 2:
			o := see(a, usual, "")
			o.Amount += ledger.Paise(rapid.IntRange(-1, 1).Draw(h.T, "off by"))
			o.Verdict = ledger.Judge(a, o.Observation)
			observed = append(observed, o)
		default:
			observed = append(observed, see(a, usual, ""))
		}
	}
	return observed
}

func (h *history) retry() {
	b := h.batch()
	attempts, err := h.s.Retryable(h.Context(), b.SheetID)
	if err != nil {
		h.Fatal(err)
	}
	if _, err := h.s.PlanRetry(h.Context(), "asha", h.now, attempts, planOf(payoutsOf(attempts), 2)); err != nil {
		h.Fatal(err) // what is retryable can be retried
	}
}

func (h *history) recover() {
	if _, err := h.s.Recover(h.Context(), "asha", h.now); err != nil {
		h.Fatal(err)
	}
	cut, err := h.s.BatchesIn(h.Context(), ledger.BatchInitiating, ledger.BatchSubmitting)
	if err != nil || len(cut) != 0 {
		h.Fatalf("after recovery %v are under way, %v", cut, err)
	}
}
