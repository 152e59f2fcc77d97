package storetest

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"payrun/ledger"
)

var exports = []Check{
	{"an export leaves nothing out, and is in an order that could be recorded again", anExportIsComplete},
	{"two exports of one ledger are equal", exportsAreEqual},
	{"a sheet's bytes are exported in parts, or left out", bytesInParts},
	{"an export is of one moment, and one that is stopped stops", anExportOfOneMoment},
}

// lines returns the rows of an export, and its end.
func (d *desk) lines() []row {
	d.Helper()
	all, head := d.rowsOf(d.Store)
	return append(all, row{"end", head, nil})
}

func anExportIsComplete(t testing.TB, o Opener) {
	st := wholeStory(t, o)
	order := []string{"ledger", "sheet", "part", "batch", "attempt", "observation", "intent", "look", "approval", "release", "lists", "event", "end"}
	at, count := 0, map[string]int{}
	for _, l := range st.lines() {
		kind := strings.TrimPrefix(l.Kind, "planned ")
		next := slices.Index(order, kind)
		if next < at && (next != 1 || at != 2) { // sheets and their parts alternate
			st.Errorf("after %s comes %s", order[at], kind)
		}
		at = next
		count[kind]++
	}
	w := st.world()
	var attempts int
	for _, b := range w.Batches {
		attempts += len(st.attempts(b.ID))
	}
	sheets, err1 := st.Sheets(st.ctx)
	batches, err2 := st.Batches(st.ctx, ledger.Filter{})
	proposals, err3 := st.Proposals(st.ctx, "")
	head, err4 := st.AuditHead(st.ctx)
	st.must(errors.Join(err1, err2, err3, err4))
	calls, approvals := 0, 0
	for _, e := range w.Events {
		if ledger.BatchEvent(e.Kind).Call() != "" {
			calls++
		}
		if e.Kind == ledger.EventApproved {
			approvals++
		}
	}
	seen := 0
	for _, a := range w.Attempts {
		seen += w.knownAttempt(a).Seen
	}
	want := map[string]int{"ledger": 1, "sheet": len(sheets), "part": 1, "batch": len(batches), "attempt": attempts, "observation": seen,
		"intent": calls, "look": len(w.Looks), "approval": approvals, "release": len(proposals), "lists": 1, "event": int(head.Length), "end": 1}
	if diff := cmp.Diff(want, count); diff != "" {
		st.Errorf("(-want +got):\n%s", diff)
	}
	number := map[int64]int{}
	for _, a := range w.Attempts {
		if a.Number != number[a.ID]+1 {
			st.Errorf("after attempt %d of payout %d comes %d", number[a.ID], a.ID, a.Number)
		}
		number[a.ID] = a.Number
	}
}

func exportsAreEqual(t testing.TB, o Opener) {
	st := wholeStory(t, o)
	first := st.lines()
	same := func(doing string, again []row) {
		st.Helper()
		if diff := cmp.Diff(first, again); diff != "" {
			st.Errorf("%s (-first +second):\n%s", doing, diff)
		}
	}
	same("once more", st.lines())
	same("by who only views", st.view().lines())
	st.reopen()
	same("opened again", st.lines())
	// the same story gives the same export: nothing in it is random
	st.must(st.Close())
	st.Store = nil
	same("the same story again", wholeStory(t, o).lines())
}

func bytesInParts(t testing.TB, o Opener) {
	d := begin(t, o)
	content := noise(200<<10 + 17)
	sh := d.withBytes("nov", content, ledger.ReadOptions{HiddenRows: "error"})
	d.load("dec", 2, 2) // without its bytes
	var got bytes.Buffer
	parts, readings := 0, 0
	out := nobody()
	out.Sheet = func(_ ledger.Sheet, r *ledger.ReadOptions) error {
		if r != nil && r.HiddenRows == "error" {
			readings++
		}
		return nil
	}
	out.SheetPart = func(id string, n int, b []byte) error {
		if parts++; n != parts || id != sh.ID || len(b) == 0 {
			d.Errorf("part %d of %s comes as number %d of %s, with %d bytes", parts, sh.ID, n, id, len(b))
		}
		got.Write(b)
		return nil
	}
	if _, err := d.Export(d.ctx, out); err != nil {
		d.Fatal(err)
	}
	if parts < 2 || readings != 1 || !bytes.Equal(got.Bytes(), content) {
		d.Errorf("%d parts, %d readings, the bytes equal: %t", parts, readings, bytes.Equal(got.Bytes(), content))
	}
	out.SheetPart = nil
	if _, err := d.Export(d.ctx, out); err != nil {
		d.Errorf("without the bytes: %v", err)
	}
}

// nobody is an export whose rows nobody reads.
func nobody() ledger.Export {
	return recording(&[]row{})
}

func anExportOfOneMoment(t testing.TB, o Opener) {
	d := begin(t, o)
	b := d.load("nov", 4, 2)
	before, err := d.AuditHead(d.ctx)
	if err != nil {
		d.Fatal(err)
	}
	out := nobody()
	done, events := false, int64(0)
	out.Event = func(ledger.Event) error { events++; return nil }
	out.Attempt = func(ledger.Attempt) error {
		if done {
			return nil
		}
		done = true
		return d.Apply(d.ctx, ledger.Step{Actor: asha, BatchID: b[0].ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: minute(1), Person: "x"})
	}
	if head, err := d.Export(d.ctx, out); err != nil || head != before || events != before.Length {
		d.Errorf("the ledger moved on meanwhile: %v of %d events, and was %v: %v", head, events, before, err)
	}
	stop := errors.New("stop")
	for name, spoil := range map[string]func(*ledger.Export){
		"the ledger": func(e *ledger.Export) { e.Ledger = func(string, time.Time) error { return stop } },
		"a batch":    func(e *ledger.Export) { e.Batch = func(ledger.Batch) error { return stop } },
		"an attempt": func(e *ledger.Export) { e.Attempt = func(ledger.Attempt) error { return stop } },
		"an event":   func(e *ledger.Export) { e.Event = func(ledger.Event) error { return stop } },
	} {
		out := nobody()
		spoil(&out)
		if _, err := d.Export(d.ctx, out); !errors.Is(err, stop) {
			d.Errorf("a receiver that stops at %s: %v", name, err)
		}
	}
}
