package desk

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"

	"payrun/ledger"
)

// Who has logged out is out, though a password that was typed before in another tab is
// only found to be right while the logout waits for the ledger.
func TestALogoutIsNotUndone(t *testing.T) {
	h := build(t)
	b := h.admin()
	s := b.session()
	r := httptest.NewRequest("POST", origin+"/proof", strings.NewReader(url.Values{"form": {s.form}, "password": {password}}.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.AddCookie(b.cookie)
	h.sessions.leave(s)
	w := httptest.NewRecorder()
	if err := prove(h.desk, w, r, s); err != nil {
		t.Fatal(err)
	}
	if got := w.Result(); got.StatusCode != http.StatusUnauthorized || len(got.Cookies()) > 0 {
		t.Errorf("the proof is answered %d, with %v", got.StatusCode, got.Cookies())
	}
	if token := h.sessions.another(s); token != "" || len(h.sessions.all) > 0 || len(h.sessions.former) > 0 {
		t.Errorf("%q, %d and %d let somebody in", token, len(h.sessions.all), len(h.sessions.former))
	}
}

// A session that ended lets nobody in, by whichever of its names.
func TestNoNameOfAnEndedSessionLetsIn(t *testing.T) {
	h := build(t)
	b := h.admin()
	other := &browser{house: h, cookie: &http.Cookie{Name: h.cookie, Value: h.sessions.another(b.session())}, from: b.from}
	is(t, other.get("/"), 200)
	b.session().end()
	is(t, b.get("/"), 303)
	is(t, other.get("/"), 303)
}

// While a decision with a password waits for the ledger its browser holds what it held
// before: the person may log out all the same, and the answer of the decision does not
// log them in again.
func TestALogoutBesideADecision(t *testing.T) {
	h := build(t)
	b := h.admin()
	s := b.session()
	held := b.cookie.Value
	tab := &browser{house: h, cookie: b.cookie, from: b.from}
	form := append([]string{"form", s.form, "once", s.once(b.at), "password", password}, twoPerson...)
	n := len(h.events())
	letGo := h.cronHolds()
	decided, out := make(chan page, 1), make(chan page, 1)
	go func() { decided <- tab.post("/policy", form...) }()
	for h.sessions.find(held, false) != nil && len(decided) == 0 {
		runtime.Gosched()
	}
	go func() { out <- b.post("/logout", "form", s.form) }()
	for h.sessions.formerly(held) != nil && len(out) == 0 {
		runtime.Gosched()
	}
	letGo()
	is(t, <-out, 303)
	p := <-decided
	is(t, p, 303)
	if len(p.Cookies()) > 0 {
		t.Errorf("the decision hands out %v", p.Cookies())
	}
	got := h.kinds(n)
	slices.Sort(got)
	if !slices.Equal(got, []string{ledger.EventLoggedOut, ledger.EventPolicySet}) {
		t.Errorf("on record: %q", got)
	}
}
