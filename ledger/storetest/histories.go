package storetest

import (
	"flag"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"payrun/ledger"
)

var histories = []Check{
	{"whatever history, the ledger is what the model says", noHistoryDiffers},
}

// Legal steps come in any order, with any answers of the bank between them. After each step the ledger
// equals the model, and at the end it is whole. A step that is refused changes nothing.
func noHistoryDiffers(t testing.TB, o Opener) {
	d := begin(t, o)
	if !*wholeSuite {
		if err := flag.Set("rapid.checks", "10"); err != nil {
			t.Fatal(err)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		found := Record(t, func(t testing.TB) {
			d.TB = t
			d.reset()
			d.load("nov", 6, 2)
			d.load("dec", 4, 4)
			h := history{T: rt, d: d, now: t0, w: d.world()}
			for range rapid.IntRange(1, 30).Draw(rt, "steps") {
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
			d.whole()
			if rapid.IntRange(0, 9).Draw(rt, "imported") == 0 {
				all, head := d.rowsOf(d.Store)
				if again, err := d.imported(all, head); err != nil || !reflect.DeepEqual(again, all) {
					d.Errorf("imported: %v (-want +got):\n%s", err, cmp.Diff(all, again))
				}
			}
		})
		for _, f := range found {
			rt.Error(f)
		}
	})
}

type history struct {
	*rapid.T
	d   *desk
	now time.Time
	w   world // the ledger according to the model
}

// step takes any step that the state machine allows, or only observes.
func (h *history) step() {
	b := rapid.SampledFrom(h.w.Batches).Draw(h.T, "batch")
	step := ledger.Step{Actor: asha, BatchID: b.ID, From: b.State, At: h.now, Note: rapid.SampledFrom([]string{"", "look at it"}).Draw(h.T, "note"),
		Attention: rapid.SampledFrom([]ledger.Attention{ledger.NeedsNothing, ledger.Overdue, ledger.StatusDiffers}).Draw(h.T, "attention"), Observed: h.answer(b)}
	legal := []ledger.BatchEvent{""}
	for _, e := range ledger.BatchEvents {
		if _, err := b.State.Next(e); err == nil && !e.Released() {
			legal = append(legal, e, e)
		}
	}
	step.Event = rapid.SampledFrom(legal).Draw(h.T, "event")
	if step.Event.Call() != "" {
		step.PayloadSHA256 = hash(b.ID)
		step.Looks, step.Statements = h.looks(b, step.Event), fetched
		step.OTPWindow = rapid.SampledFrom([]time.Duration{0, time.Nanosecond, time.Hour}).Draw(h.T, "window")
		step.HeldAtMost = rapid.IntRange(0, 3).Draw(h.T, "held at most")
	}
	step.Successor = step.Event == ledger.DoubtExpired && rapid.Bool().Draw(h.T, "successor")
	step.Shown = rapid.IntRange(0, 9).Draw(h.T, "shown") == 0
	step.Listed = rapid.SampledFrom([]ledger.Listing{ledger.ListingUnasked, ledger.ListingUnasked, ledger.ListingYes, ledger.ListingNo}).Draw(h.T, "listed")
	step.Refusal = rapid.SampledFrom([]string{"", "", "HTTP 409"}).Draw(h.T, "refusal")
	h.w, _ = h.d.takesFrom(h.w, step)
}

// looks returns the checks that allow a call, and sometimes spoils one of them.
func (h *history) looks(b ledger.Batch, event ledger.BatchEvent) []ledger.StatusCheck {
	looks := looked(b.ID)
	if event == ledger.SubmitIntended {
		k, _ := h.w.known(b.ID)
		looks = h.w.looks(k)
	}
	if rapid.IntRange(0, 5).Draw(h.T, "looks") > 0 {
		return looks
	}
	spoilt := rapid.IntRange(0, len(looks)-1).Draw(h.T, "spoilt")
	switch rapid.IntRange(0, 2).Draw(h.T, "how") {
	case 0:
		return slices.Delete(looks, spoilt, spoilt+1)
	case 1:
		looks[spoilt].Answer = ledger.LookUnanswered
	default:
		looks[spoilt] = ledger.StatusCheck{BatchID: looks[spoilt].BatchID, At: h.now, Answer: ledger.LookShown, Closed: true, Complete: true,
			Payouts: []ledger.Observation{{WireRef: "nov-1", Status: rapid.SampledFrom([]string{ledger.StatusRequestInitiated, ledger.StatusSuccess}).Draw(h.T, "shows")}}}
	}
	return looks
}

// answer returns anything that a bank might say about some payouts of the batch.
func (h *history) answer(b ledger.Batch) []ledger.Observed {
	if b.State == ledger.BatchPlanned || rapid.IntRange(0, 2).Draw(h.T, "asked") == 0 {
		return nil
	}
	var observed []ledger.Observed
	usual := rapid.SampledFrom([]string{ledger.StatusRequestInitiated, ledger.StatusPending, ledger.StatusSuccess, ledger.StatusFailed}).Draw(h.T, "usual")
	for _, a := range h.w.Attempts {
		if a.BatchID != b.ID {
			continue
		}
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
	sheetID := rapid.SampledFrom(h.w.Sheets).Draw(h.T, "sheet").ID
	var over []ledger.Attempt
	for i, a := range h.w.Attempts {
		last := i+1 == len(h.w.Attempts) || h.w.Attempts[i+1].ID != a.ID
		if a.SheetID == sheetID && last && ledger.MayFollow(a.Key(), h.w.records(a.ID)) == nil {
			over = append(over, a)
		}
	}
	got := h.d.retryable(sheetID)
	if fmt.Sprint(got) != fmt.Sprint(over) {
		h.d.Errorf("retryable are %v, want %v", got, over)
	}
	if len(over) > 0 {
		h.d.again(h.now, over, 2)
		h.w = h.d.world()
	}
}

func (h *history) recover() {
	want, ids, err := h.w.recovered(ravi, h.now)
	h.d.must(err)
	got, err := h.d.Recover(h.d.ctx, ravi, h.now)
	if fmt.Sprint(got) != fmt.Sprint(ids) || err != nil {
		h.d.Errorf("recovered %v, %v; want %v", got, err, ids)
	}
	h.d.is(want, "recovering")
	h.w = want
}
