package desk

import (
	"bytes"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// session is that of the browser.
func (b *browser) session() *session {
	b.Helper()
	s := b.sessions.find(b.cookie.Value, false)
	if s == nil {
		b.Fatal("nobody is logged in")
	}
	return s
}

// decide sends the form of a decision, with the session's mark.
func (b *browser) decide(path string, fields ...string) page {
	b.Helper()
	return b.post(path, append([]string{"form", b.session().form}, fields...)...)
}

// kinds are the events after the first n, in words.
func (h *house) kinds(n int) (list []string) {
	for _, e := range h.events()[n:] {
		list = append(list, e.Kind)
	}
	return list
}

// twoPerson is a decision that anybody who is admin can make here.
var twoPerson = []string{"key", "two_person", "value", "true", "reason", "as agreed"}

// A5: a decision takes a proof that is young enough. Without, it is not looked at,
// only that it was wanted is on record, and the answer is the same page with all that was
// typed and the password field next to the button.
func TestADecisionTakesAFreshProof(t *testing.T) {
	h, b := withAdmin(t)
	h.at = h.at.Add(5*time.Minute - time.Second)
	is(t, b.get("/policy"), 200, `<input name="password"`, "needed again in <b>0:01</b>")
	h.at = h.at.Add(time.Second)
	n := len(h.events())
	p := b.decide("/policy", twoPerson...)
	is(t, p, 403, "<h1>Policy</h1>", "Nothing was done yet", `value="as agreed"`, `<option value="true" selected=""`, `type="password" autocomplete="current-password" required="" autofocus=""`)
	isNot(t, p, "data-live")
	same(t, "forms with what was typed", strings.Count(p.body, "as agreed"), 1)
	h.recorded(n, ledger.EventProofWanted)
	is(t, b.post("/proof", "form", b.form(), "password", "wrong wrong wrong", "next", "/policy"), 403, "not right")
	is(t, b.decide("/policy", twoPerson...), 403)
	old := b.cookie.Value
	leads(t, b.post("/proof", "form", b.form(), "password", password, "next", "/policy"), 303, "/policy")
	same(t, "the same cookie", b.cookie.Value == old, false)
	n = len(h.events())
	is(t, b.decide("/policy", twoPerson...), 303)
	eventSays(t, h.events()[n], "\n"+ledger.EventPolicySet+" by boss\n", "\nproof: at the desk, from 127.0.0.1, password 0 s before\n")
	h.isWhole()
}

// What comes back with the password field is the form as it was sent, of the same
// payload, and never an OTP or a token.
func TestWhatWasTypedIsKept(t *testing.T) {
	h := build(t, "INV/1").twoPeople()
	b := h.as("meera")
	path := "/batches/" + h.batch().ID
	form := b.bound(path, path+"/approve")
	h.at = h.at.Add(6 * time.Minute)
	is(t, b.decide(path+"/approve", append(form, "total", "100<b>")...), 403, "<h1>Batch", `value="100&lt;b&gt;"`, "Nothing was done yet")
	is(t, b.decide(path+"/approve", append(form, "total", "100", "password", "wrong wrong wrong")...), 403, `value="100"`, "The password is not right")
	is(t, b.decide(path+"/approve", append(slices.Clone(form), "total", "100", "state_sequence", "0")...), 403, `action="/proof"`, "the page has changed") // not what it shows now
	is(t, b.decide(path+"/approve", append(form, "total", "100", "password", password)...), 303)
	page := `<form action="/batches/x/submit"><input name="otp" value=""><input name="transaction_token"><input name="total"><textarea name="why"></textarea><input type="checkbox" name="seen" value="1"><input type="checkbox" name="seen" value="2" checked><p class="proof"></p></form>`
	sent := url.Values{"otp": {"418207"}, "transaction_token": {"tok"}, "total": {"1,000"}, "why": {"</textarea>x"}, "seen": {"1"}}
	got, ok := retyped(bytes.NewBufferString(page), "/batches/x/submit", sent, "again")
	if words := string(got); !ok || strings.Contains(words, "418207") || strings.Contains(words, "tok\"") || !strings.Contains(words, `name="total" value="1,000"`) ||
		!strings.Contains(words, "&lt;/textarea&gt;x</textarea>") || !strings.Contains(words, `value="1" checked=""/>`) || !strings.Contains(words, `value="2"/>`) {
		t.Errorf("%t: %s", ok, words)
	}
}

// The password in the form is a proof as well, and guessing it waits as at login.
func TestThePasswordInTheFormIsAProof(t *testing.T) {
	h, b := withAdmin(t)
	h.at = h.at.Add(6 * time.Minute)
	is(t, b.decide("/policy", append(twoPerson, "password", password)...), 303)
	eventSays(t, h.last(), "password with it\n")
	for range failsTaken {
		is(t, b.decide("/policy", append(twoPerson, "password", "wrong wrong wrong")...), 403, "not right")
	}
	is(t, b.decide("/policy", append(twoPerson, "password", password)...), 429)
	is(t, b.post("/login", "name", "boss", "password", password), 429) // one count for both
}

// Without script a form that is clicked twice is sent twice: the person who typed their password
// with it stays logged in, and what they decided is done once.
func TestTwoClicksLogNobodyOut(t *testing.T) {
	for name, c := range map[string]struct {
		path   string
		fields []string
		want   int
		events int // of what was asked for, in all
	}{
		"decided": {"/policy", twoPerson, 303, 1},
		"refused": {"/policy", []string{"key", "nothing", "value", "x", "reason", "x"}, 422, 0},
		"a proof": {"/proof", []string{"next", "/log"}, 303, 0},
	} {
		t.Run(name, func(t *testing.T) {
			h, b := withAdmin(t)
			h.at = h.at.Add(6 * time.Minute)
			dropped, thief := &browser{house: h, cookie: b.cookie, from: b.from}, &browser{house: h, cookie: b.cookie, from: b.from}
			for _, click := range []*browser{dropped, b} {
				is(t, click.post(c.path, append([]string{"form", b.session().form, "password", password}, c.fields...)...), c.want)
			}
			is(t, b.get("/"), 200)
			is(t, thief.get("/"), 303) // by what the browser held before
			is(t, dropped.get("/"), 303)
			h.has(ledger.EventPolicySet, c.events)
		})
	}
}

// A decision renews the proof, and thirty minutes after the password nothing does.
func TestDecisionsRenewTheProof(t *testing.T) {
	h, b := withAdmin(t)
	for i := range 8 {
		h.at = h.at.Add(4 * time.Minute)
		p := b.decide("/policy", "key", "confirm_above", "value", []string{"9000", "8000", "7000", "6000", "5000", "4000", "3000", "2000"}[i], "reason", "less")
		is(t, p, map[bool]int{true: 303, false: 403}[4*(i+1) < 30])
	}
}

// A form of another login, or of none, decides nothing.
func TestAFormIsOfItsSession(t *testing.T) {
	h := build(t)
	b, other := h.admin(), h.browser()
	is(t, other.post("/login", "name", "boss", "password", password), 303)
	n := len(h.events())
	for _, form := range []string{"", "x", other.session().form} {
		is(t, b.post("/policy", append([]string{"form", form}, twoPerson...)...), 403, "another login")
	}
	is(t, b.post("/logout", "form", "guessed"), 403, "another login")
	h.recorded(n)
}

// T1: a person without the role is refused, on record.
func TestARefusedDecisionIsOnRecord(t *testing.T) {
	h, _ := withAdmin(t)
	b := h.invite("ravi", "pay")
	n := len(h.events())
	is(t, b.decide("/policy", twoPerson...), 403, "needs the role admin")
	eventSays(t, h.events()[n], "\n"+ledger.EventNotDecided+" by ravi\nat the desk, from 127.0.0.1: POST /policy: 403\n")
}

// Of what failed on the way no one knows how far it came: it does not stand on record as
// refused, and its answer does not say that nothing was done.
func TestWhatFailedOnTheWayIsNotOnRecordAsRefused(t *testing.T) {
	h, b := withAdmin(t)
	n := len(h.events())
	r := httptest.NewRequest("POST", origin+"/policy", nil)
	w := httptest.NewRecorder()
	h.decide(w, r, b.session(), route{role: ledger.RoleAdmin, kind: decides, serve: func(d *desk, _ http.ResponseWriter, r *http.Request, s *session) error {
		need(d.app.SetPolicy(r.Context(), d.decision(r, s, "policy"), ledger.PolicyChange{Key: ledger.PolicyTwoPerson, Value: "true", Reason: "as agreed"}))(t)
		panic("after it was done")
	}})
	h.recorded(n, ledger.EventPolicySet)
	is(t, answer(w), 500, "some of it may have been done")
	isNot(t, answer(w), "nothing was changed")
}

// Every deciding route takes the mark of its login, in whatever role.
func TestEveryDecisionTakesItsLogin(t *testing.T) {
	h, b := withAdmin(t)
	n := len(h.events())
	for _, rt := range routes {
		if rt.kind == decides {
			path := strings.NewReplacer("{id}", "x", "{name}", "x", "{ref...}", "x").Replace(rt.path)
			is(t, b.post(path), http.StatusForbidden, "another login")
		}
	}
	h.recorded(n)
}

// What the configuration says of the desk can only be shortened.
func TestTheTimesAreShortenedOnly(t *testing.T) {
	h := build(t)
	h.reopen(func(set *config.Settings) {
		set.Desk.Proof, set.Desk.Idle = config.Duration(time.Minute), config.Duration(10*time.Minute)
	})
	b := h.admin()
	h.at = h.at.Add(time.Minute)
	is(t, b.decide("/policy", twoPerson...), 403)
	h.at = h.at.Add(10 * time.Minute)
	is(t, b.get("/"), 303)
}

// What is in the fields of a decision is what the page says or what a person did
// there: a browser that goes back, or is started again, puts nothing into them.
func TestBrowsersFillInNoDecision(t *testing.T) {
	form := regexp.MustCompile(`(?s)<form method="post".*?</form>`)
	n := 0
	fine(t, fs.WalkDir(pageFiles, "pages", func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		page, err := fs.ReadFile(pageFiles, path)
		for _, f := range form.FindAllString(string(page), -1) {
			if !strings.Contains(f, `{{template "form" `) && !strings.Contains(f, `/check"`) {
				continue
			}
			head, _, _ := strings.Cut(f, ">")
			if n++; !strings.Contains(head, ` autocomplete="off"`) {
				t.Errorf("%s: %s", path, head)
			}
		}
		return err
	}))
	if n < 15 {
		t.Errorf("%d forms", n)
	}
}
