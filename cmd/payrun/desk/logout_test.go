package desk

import (
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// Who has logged out is out, though a password that was typed before in another tab is
// only found to be right while the logout waits for the ledger.
func TestALogoutIsNotUndone(t *testing.T) {
	h, b := withAdmin(t)
	s := b.session()
	r := sent("/proof", urlencoded, strings.NewReader(url.Values{"form": {s.form}, "password": {password}}.Encode()))
	r.AddCookie(b.cookie)
	h.sessions.leave(s)
	w := httptest.NewRecorder()
	fine(t, prove(h.desk, w, r, s))
	is(t, answer(w), 401)
	same(t, "cookies", len(answer(w).Cookies()), 0)
	same(t, "sessions", len(h.sessions.all), 0)
}

// While a decision waits for the ledger the person may log out all the same, and the answer
// of the decision does not log them in again.
func TestALogoutBesideADecision(t *testing.T) {
	h, b := withAdmin(t)
	s, held := b.session(), b.cookie.Value
	tab := &browser{house: h, cookie: b.cookie, from: b.from}
	h.at = h.at.Add(time.Second)
	n := len(h.events())
	letGo := h.cronHolds()
	decided, out := make(chan page, 1), make(chan page, 1)
	go func() { decided <- tab.decide("/policy", append(twoPerson, "password", password)...) }()
	for !h.sessions.proofOf(s).password.Equal(h.at) && len(decided) == 0 {
		runtime.Gosched()
	}
	go func() { out <- b.post("/logout", "form", s.form) }()
	for h.sessions.find(held, false) != nil && len(out) == 0 {
		runtime.Gosched()
	}
	letGo()
	is(t, <-out, 303)
	is(t, <-decided, 303)
	is(t, tab.get("/"), 303) // with what the decision handed out
	got := h.kinds(n)
	slices.Sort(got)
	if !slices.Equal(got, []string{ledger.EventLoggedOut, ledger.EventPolicySet}) {
		t.Errorf("on record: %q", got)
	}
}
