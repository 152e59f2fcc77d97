package desk

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// What tests check of a house and of its pages.

// fine ends the test at an error.
func fine(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// need is what a call returns; an error ends the test.
func need[T any](found T, err error) func(testing.TB) T {
	return func(t testing.TB) T {
		t.Helper()
		fine(t, err)
		return found
	}
}

// same is for what one value says all of.
func same[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s: %v, not %v", what, got, want)
	}
}

func is(t testing.TB, p page, status int, words ...string) {
	t.Helper()
	if p.StatusCode != status {
		t.Errorf("%d, want %d\n%s", p.StatusCode, status, p)
	}
	for _, w := range words {
		if !strings.Contains(p.body, w) {
			t.Errorf("the page does not say %q\n%s", w, p)
		}
	}
}

func isNot(t testing.TB, p page, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(p.body, w) {
			t.Errorf("the page says %q\n%s", w, p)
		}
	}
}

// part is what a pattern finds on a page, its first group.
func (p page) part(t testing.TB, pattern string) string {
	t.Helper()
	m := regexp.MustCompile(pattern).FindStringSubmatch(p.body)
	if m == nil {
		t.Fatalf("nothing on the page is like %s\n%s", pattern, p)
	}
	return m[1]
}

// String is the page with the request that it answers, where it has one.
func (p page) String() string {
	if p.Response == nil || p.Request == nil {
		return p.body
	}
	return p.Request.Method + " " + p.Request.URL.String() + "\n" + p.body
}

// leads is for an answer that leads to another page.
func leads(t testing.TB, p page, status int, to string) {
	t.Helper()
	is(t, p, status)
	same(t, "Location", p.Header.Get("Location"), to)
}

// attached is for a file that is given out.
func attached(t testing.TB, p page, name string) {
	t.Helper()
	same(t, "it comes as", p.Header.Get("Content-Disposition"), "attachment; filename="+name)
}

// eventSays compares an event with lines: "kind by actor", its detail and its proof, a line each.
func eventSays(t testing.TB, e ledger.Event, lines ...string) {
	t.Helper()
	got := "\n" + e.Kind + " by " + e.Actor + "\n" + e.Words() + "\nproof: " + e.Proof + "\n"
	for _, words := range lines {
		if !strings.Contains(got, words) {
			t.Errorf("on record is not %q, but%s", words, got)
		}
	}
}

// last is the newest event.
func (h *house) last() ledger.Event {
	h.Helper()
	all := h.events()
	return all[len(all)-1]
}

// recorded is for the events after the first n, all of them.
func (h *house) recorded(n int, kinds ...string) {
	h.Helper()
	if got := h.kinds(n); !slices.Equal(got, kinds) {
		h.Errorf("on record: %q, not %q", got, kinds)
	}
}

// has is for how many events of a kind there are.
func (h *house) has(kind string, n int) {
	h.Helper()
	same(h, kind+" on record", len(h.of(kind)), n)
}

func (h *house) inState(id string, want ledger.BatchState) {
	h.Helper()
	same(h, "batch "+id, h.state(id), want)
}

// bankHas is for how many batches the bank was asked to initiate.
func (h *house) bankHas(n int) {
	h.Helper()
	same(h, "batches at the bank", len(h.bank.State().Batches), n)
}

// bankSaw is for the OTPs of a batch that the bank has seen, right ones and wrong ones.
func (h *house) bankSaw(id string, right, wrong int) {
	h.Helper()
	var got [2]int
	for _, b := range h.bank.State().Batches {
		if b.BatchID == id {
			got = [2]int{b.Submits, b.WrongOTPs}
		}
	}
	same(h, "submits and wrong OTPs", got, [2]int{right, wrong})
}

// warnedOf is for how many warnings the person who runs the desk got.
func (h *house) warnedOf(n int) {
	h.Helper()
	if len(h.warned) != n {
		h.Errorf("it warns %q", h.warned)
	}
}

func (h *house) isWhole() {
	h.Helper()
	if problems, err := h.app.Verify(h.Context(), app.Call{}, "", false); err != nil || len(problems) > 0 {
		h.Errorf("the ledger: %v, %v", problems, err)
	}
}
