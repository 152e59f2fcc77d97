package desk

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// paths are addresses that the routes serve, with what exists.
func (h *house) paths() []string {
	h.Helper()
	b := h.batch()
	return []string{"/", "/sheets", "/sheets/" + b.SheetID, "/batches/" + b.ID, "/otp", "/otp/" + b.ID, "/payouts", "/payouts?q=asha", "/payouts/INV/1", "/payouts?ref=INV/1", "/attention", "/reports", "/log", "/log?before=3"}
}

// C1 (where a form comes from): everything but a page of this very desk is refused,
// and before the route is looked up.
func TestOnlyFormsOfThisDeskAreTaken(t *testing.T) {
	h, _ := withAdmin(t)
	for i, c := range []struct {
		site, origin string
		status       int
	}{
		{"same-origin", "", 401}, {"same-origin", "null", 401}, {"same-origin", origin, 401}, {"", origin, 401}, // taken: 401 is the wrong password
		{"", "", 403}, {"", "null", 403}, {"cross-site", origin, 403}, {"same-site", origin, 403}, {"none", "", 403},
		{"same-origin", "http://evil.example", 403}, {"", "https://127.0.0.1:8660", 403}, {"", "http://localhost:8660", 403}, {"", "http://127.0.0.1:8661", 403},
	} {
		for _, path := range []string{"/login", "/nosuch"} {
			r := httptest.NewRequest("POST", origin+path, strings.NewReader("name=boss&password=x"))
			r.Header.Set("Content-Type", urlencoded)
			for name, value := range map[string]string{"Sec-Fetch-Site": c.site, "Origin": c.origin} {
				if value != "" {
					r.Header.Set(name, value)
				}
			}
			b := h.browser()
			b.from = fmt.Sprintf("192.0.2.%d:1", 1+i/4) // so that no one has to wait
			if p := b.do(r); p.StatusCode != c.status {
				t.Errorf("%s from %q, %q: %d, want %d", path, c.site, c.origin, p.StatusCode, c.status)
			}
		}
	}
}

// C3: the headers stand in every answer, errors and static files too.
func TestEveryAnswerHasTheHeaders(t *testing.T) {
	h, b := withAdmin(t, "INV/1")
	for _, path := range append(h.paths(), "/login", "/static/desk.css", "/static/desk.js", "/static/nosuch", "/nosuch", "/join/nosuch", "/batches/nosuch") {
		p := b.get(path)
		if csp := p.Header.Get("Content-Security-Policy"); !strings.HasPrefix(csp, "default-src 'none'; script-src 'self';") || strings.Contains(csp, "unsafe") {
			t.Errorf("%s: %q", path, csp)
		}
		for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Referrer-Policy": "same-origin", "Cache-Control": "no-store",
			"Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Resource-Policy": "same-origin", "Permissions-Policy": permissions, "Strict-Transport-Security": ""} {
			same(t, path+": "+name, p.Header.Get(name), value)
		}
		isNot(t, p, "style=", "<script>", " onclick") // which no browser would use
	}
}

// R1: without a login everything is the same whether it exists or not, and with one
// no one finds an address of another role. Every role includes to look.
func TestEveryRouteIsForSomebody(t *testing.T) {
	h, boss := withAdmin(t, "INV/1")
	stranger := h.browser()
	for _, path := range append(h.paths(), "/nosuch", "/batches/nosuch", "/people") {
		is(t, stranger.get(path), 303)
		r := httptest.NewRequest("GET", origin+path, nil) // not a page
		is(t, stranger.do(r), 401, "Log in first")
	}
	is(t, stranger.post("/reports"), 401)
	is(t, stranger.get("/live"), 303)
	people := map[string]*browser{"admin": boss}
	for _, role := range ledger.Roles[:4] {
		people[string(role)] = h.invite("p-"+string(role), string(role))
	}
	for role, b := range people {
		for _, path := range h.paths() {
			same(t, path+" for "+role, b.get(path).StatusCode, 200)
		}
		is(t, b.get("/nosuch"), 404)
		p := b.post("/log", "form", b.form()) // which is a page
		is(t, p, 405)
		same(t, "Allow", p.Header.Get("Allow"), "GET, HEAD")
	}
	for _, rt := range routes {
		if rt.role == "" || rt.method == "POST" && rt.role == anyone && !strings.Contains("/login /login/factor /first/{token} /join/{token}", rt.path) {
			t.Errorf("%s %s is for %q", rt.method, rt.path, rt.role)
		}
	}
}

// C1: looking changes nothing, no matter who looks.
func TestLookingChangesNothing(t *testing.T) {
	h, b := withAdmin(t, "INV/1")
	before := len(h.events())
	for _, path := range append(h.paths(), "/login", "/join/x", "/nosuch") {
		b.get(path)
		b.do(httptest.NewRequest("HEAD", origin+path, nil))
	}
	h.recorded(before)
}

// K1: what the browser holds, and when it holds no more.
func TestASessionEnds(t *testing.T) {
	h, b := withAdmin(t)
	c := b.cookie
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Secure || len(c.Value) != 43 || c.Name != "payrun-8660" {
		t.Errorf("the cookie is %+v", c)
	}
	for range 20 { // used every 29 minutes, for eight hours
		if h.at = h.at.Add(29 * time.Minute); b.get("/").StatusCode != 200 {
			break
		}
	}
	if open := h.at.Sub(time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)); open < 8*time.Hour || open > 9*time.Hour {
		t.Errorf("it ended after %s", open)
	}
	is(t, b.post("/login", "name", "boss", "password", password), 303)
	fresh := b.cookie.Value
	h.at = h.at.Add(30*time.Minute - time.Second)
	r := httptest.NewRequest("GET", origin+"/", nil)
	r.Header.Set("Sec-Fetch-Dest", "empty") // what a page asks by itself is no use
	is(t, b.do(r), 200)
	h.at = h.at.Add(time.Second)
	is(t, b.get("/"), 303)
	is(t, b.post("/login", "name", "boss", "password", password), 303)
	same(t, "what the browser had before is kept", b.cookie.Value == fresh, false)
}

// A login does not take over what someone put into the browser, ends what was there,
// and a logout ends it for a copy of the cookie as well.
func TestASessionIsNobodyElses(t *testing.T) {
	h, b := withAdmin(t)
	old := *b.cookie
	is(t, b.post("/login", "name", "boss", "password", password), 303)
	thief := h.browser()
	thief.cookie = &old
	is(t, thief.get("/"), 303)
	copied := *b.cookie
	thief.cookie = &copied
	is(t, thief.get("/"), 200)
	is(t, thief.post("/logout", "form", "guessed"), 403, "another login")
	is(t, b.post("/logout", "form", b.form()), 303)
	thief.cookie = &copied
	is(t, thief.get("/"), 303)
	fixed := h.browser()
	fixed.cookie = &http.Cookie{Name: "payrun-8660", Value: "chosen-by-another"}
	is(t, fixed.post("/login", "name", "boss", "password", password), 303)
	same(t, "a foreign choice is kept", fixed.cookie.Value == "chosen-by-another", false)
}

// Under TLS the cookie never goes without, and is of this host alone.
func TestUnderTLSTheCookieIsOfThisHostAlone(t *testing.T) {
	h := build(t)
	h.named("10.0.0.5:8443", "Pay.example.com", true)
	r := httptest.NewRequest("POST", "https://pay.example.com:8443/first/"+h.first.Token, strings.NewReader("name=boss&password="+password+"&password_again="+password))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Origin", "https://pay.example.com:8443")
	b := h.browser()
	is(t, b.do(r), 303)
	if b.cookie.Name != "__Host-payrun-8443" || !b.cookie.Secure {
		t.Errorf("the cookie is %+v", b.cookie)
	}
}

// A person who was removed, or has other roles, is out with the next request, in every
// browser; a removed name comes back to no one.
func TestAChangedPersonIsOut(t *testing.T) {
	h, _ := withAdmin(t, "INV/1")
	one := h.invite("ravi", "load")
	two := h.browser()
	is(t, two.post("/login", "name", "ravi", "password", password), 303)
	need(h.app.ChangePerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "ravi", May: []string{"view"}}))(t)
	is(t, one.get("/"), 303)
	is(t, two.post("/reports", "form", "any"), 401)
	is(t, two.post("/login", "name", "ravi", "password", password), 303)
	fine(t, h.app.RemovePerson(t.Context(), h.asked("boss"), "RAVI"))
	is(t, two.get("/"), 303)
	is(t, h.browser().post("/login", "name", "ravi", "password", password), 401)
	_, err := h.app.AddPerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "ravi", May: []string{"load"}})
	refused(t, err, app.Usage, "never given twice")
}

// A2: guessing waits, longer each time, for the right password too; and ends.
func TestGuessingWaits(t *testing.T) {
	h, _ := withAdmin(t)
	b := h.browser()
	for range failsTaken {
		is(t, b.post("/login", "name", "boss", "password", "wrong wrong wrong"), 401)
	}
	h.has(ledger.EventLoginRefused, failsTaken)
	p := b.post("/login", "name", "boss", "password", password)
	is(t, p, 429)
	same(t, "Retry-After", p.Header.Get("Retry-After"), "61")
	other := h.browser()
	other.from = "192.0.2.9:1"
	is(t, other.post("/login", "name", "boss", "password", password), 303) // from elsewhere they come in
	h.at = h.at.Add(time.Minute)
	is(t, b.post("/login", "name", "boss", "password", password), 303)
}

// A person who guesses a name locks no one out who has signed in with their browser before,
// from the same address too; and such a browser guesses no more than others.
func TestAKnownBrowserIsNotLockedOut(t *testing.T) {
	h, boss := withAdmin(t)
	boss.decide("/logout")
	stranger := h.browser()
	guess := func(b *browser) (status int) {
		for range failsTaken + 1 {
			status = b.post("/login", "name", "boss", "password", "wrong wrong wrong").StatusCode
		}
		return status
	}
	same(t, "a stranger", guess(stranger), 429)
	mark := boss.known
	for name, value := range map[string]string{"of another": strings.Replace(mark.Value, ".", ".x", 1), "of no one": strings.Split(mark.Value, ".")[0] + ".", "none": ""} {
		forged := h.browser()
		forged.known = &http.Cookie{Name: mark.Name, Value: value}
		same(t, "with a mark "+name, forged.post("/login", "name", "boss", "password", password).StatusCode, 429)
	}
	if !mark.HttpOnly || mark.SameSite != http.SameSiteStrictMode || mark.MaxAge < 1e6 {
		t.Errorf("the cookie: %+v", mark)
	}
	h.reopen(func(*config.Settings) {}) // a restart
	is(t, boss.post("/login", "name", "boss", "password", password), 303)
	same(t, "a known browser", guess(boss), 429)
	// another password, and every browser is new to the desk
	h.at = h.at.Add(time.Hour)
	is(t, boss.post("/login", "name", "boss", "password", password), 303)
	before := boss.known
	is(t, boss.decide("/account/password", "password", password, "new", "walks to the river", "new_again", "walks to the river"), 303)
	guess(stranger)
	stolen := h.browser()
	stolen.known = before
	is(t, stolen.post("/login", "name", "boss", "password", "walks to the river"), 429)
	is(t, boss.post("/login", "name", "boss", "password", "walks to the river"), 303)
}

func TestTheWaitDoublesAndEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		th := &throttle{now: time.Now, all: map[string]*tries{}}
		var last time.Duration
		for range 7 {
			for th.waits("a") == 0 { // never right
			}
			wait := th.waits("a")
			same(t, "it waits", wait, min(max(2*last, firstWait), longestWait))
			last = wait
			time.Sleep(wait)
		}
		same(t, "the longest wait", last, 15*time.Minute)
		time.Sleep(forgetAfter)
		for th.waits("a") == 0 {
		}
		same(t, "it waits an hour later", th.waits("a"), firstWait)
		for range failsTaken - 1 {
			th.waits("b")
		}
		th.succeeded("b")
		if th.waits("b") != 0 || th.waits("c") != 0 {
			t.Error("one that was right counts, or another's do")
		}
	})
}

// A1: whether someone has the name takes as long to find out.
func TestAnUnknownNameIsHashedToo(t *testing.T) {
	h, _ := withAdmin(t)
	is(t, h.browser().post("/login", "name", "nobody-here", "password", password), 401, "The name or the password is not right")
}

// C1: what is no form, too long, or without the session's own mark is not read.
func TestOnlyShortFormsAreRead(t *testing.T) {
	h, _ := withAdmin(t)
	for _, c := range []struct {
		kind, body string
		status     int
	}{
		{"application/json", `{}`, 415}, {"multipart/form-data; boundary=x", "--x--", 415}, {"", "name=x", 415},
		{urlencoded, "name=" + strings.Repeat("x", formBytes), 413}, {urlencoded, "name=boss%ff&password=x", 400}, // what an export could not say is not recorded
	} {
		is(t, h.browser().do(sent("/login", c.kind, strings.NewReader(c.body))), c.status)
	}
}

// A login leads back to a page of the desk, never elsewhere.
func TestALoginLeadsNowhereElse(t *testing.T) {
	for next, want := range map[string]string{"/log?before=3": "/log?before=3", "//evil.example": "/", "https://evil.example": "/", `/\evil.example`: "/", "evil": "/", "": "/", "/\t/evil.example": "/", "javascript:alert(1)": "/"} {
		same(t, next, nextPath(next), want)
	}
}

// X2: an error tells a sentence and a number; the rest is for who runs the desk.
func TestAnErrorTellsNoPath(t *testing.T) {
	h, b := withAdmin(t, "INV/1")
	fine(t, os.WriteFile(h.set.LedgerPath, []byte("this is no ledger any more, whatever it was before it was written over"), 0o600))
	p := b.get("/")
	is(t, p, 500, "The ledger cannot be used as it is", "payrun ledger verify", "Number <code>")
	isNot(t, p, h.dir)
	isNot(t, page{p.Response, strings.ToLower(p.body)}, "sqlite")
	h.warnedOf(1)
	w := httptest.NewRecorder()
	wrong := h.formFailed(w, httptest.NewRequest(http.MethodPost, "/login", nil), nil, &config.Error{What: "/etc/payrun.toml: line 3"}, showLogin)
	if wrong == nil || w.Body.Len() > 0 { // the form does not show it, either
		t.Errorf("%v: %s", wrong, w.Body)
	}
}

// C4: nothing that people or banks wrote becomes part of a page: pages are made by
// contextual escaping alone.
func TestNoWordBecomesAnElement(t *testing.T) {
	h, b := withAdmin(t, "INV/1")
	for _, path := range append(h.paths(), "/payouts?q=%22%3E%3Cscript%3E", "/login?next=%22%3E%3Cscript%3E") {
		isNot(t, b.get(path), "<b>Asha", "<script>alert", `"><script>`)
	}
	for _, name := range need(filepath.Glob("*.go"))(t) {
		src := need(os.ReadFile(name))(t)
		for _, kind := range []string{"HTML(", "JS(", "CSS(", "URL(", "HTMLAttr(", "Srcset("} {
			if !strings.HasSuffix(name, "_test.go") && strings.Contains(string(src), "template."+kind) {
				t.Errorf("%s makes a template.%s", name, kind)
			}
		}
	}
}

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
