package desk

import (
	"errors"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// toLogin answers a request without a session: a page leads to the login, and everything else is refused,
// whether it exists or not.
func (d *desk) toLogin(w http.ResponseWriter, r *http.Request) {
	next := url.QueryEscape(nextPath(r.URL.RequestURI()))
	d.leadOff(w, r, nil, "/login?next="+next, refuse(http.StatusUnauthorized, "Log in first. Nothing was done."))
}

// leadOff leads a request for a page to another page, and refuses any other request.
func (d *desk) leadOff(w http.ResponseWriter, r *http.Request, s *session, page string, why *refusal) {
	if r.Method != http.MethodGet || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		d.fail(w, r, s, why)
		return
	}
	http.Redirect(w, r, page, http.StatusSeeOther)
}

// nextPath returns next if it is a path of this desk, else "/": a login never leads to another site.
func nextPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}

func showLogin(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	return d.show(w, r, nil, "login", view{Title: "Log in", Data: nextPath(r.FormValue("next"))})
}

func login(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	name := app.PersonName(r.PostFormValue("name"))
	if len(name) > ledger.MostName {
		name = "" // no person has such a name, and no long text is kept for counting
	}
	var p ledger.Person
	guesser, err := d.guess(w, r, name, http.StatusUnauthorized, func() (wrong string, err error) {
		p, err = d.app.Prove(r.Context(), d.call(nil, "login"), ledger.Login{Name: name, From: address(r)}, r.PostFormValue("password"))
		return "The name or the password is not right.", err
	})
	if err != nil {
		return d.formFailed(w, r, nil, err, showLogin)
	}
	return d.letIn(w, r, p, guesser, "", nextPath(r.PostFormValue("next")))
}

// guess runs the check of a secret, unless too many were wrong before. If it is wrong, the error is a refusal with this
// status and what the check says. Else guesser is who has succeeded.
func (d *desk) guess(w http.ResponseWriter, r *http.Request, name string, status int, check func() (wrong string, err error)) (guesser string, err error) {
	guesser = d.guesser(r, name)
	if wait := d.logins.waits(guesser); wait > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())+1))
		return "", refuse(http.StatusTooManyRequests, "Too many passwords were wrong. Wait "+ledger.Counted(int(wait.Minutes())+1, "minute", "minutes")+", then try again.")
	}
	wrong, err := check()
	if errors.Is(err, app.ErrNotThem) {
		err = refuse(status, wrong)
	}
	return guesser, err
}

// letIn records the login and starts a session with a new token, for a person who gave their password or
// used their link. A person with a second factor must give it first; second is what they gave, in words.
func (d *desk) letIn(w http.ResponseWriter, r *http.Request, p ledger.Person, guesser, second, next string) error {
	if len(p.Factors) > 0 && second == "" {
		d.setCookie(w, d.sessions.begin(&session{person: p, half: true}))
		return leadTo(w, r, "/login/factor?next="+url.QueryEscape(next))
	}
	l := ledger.Login{Name: p.Name, From: address(r), Kind: ledger.EventLoggedIn}
	if second != "" {
		l.What = "with password and " + second
	}
	if err := d.app.RecordLogin(r.Context(), d.call(nil, "login"), l); err != nil {
		return err
	}
	d.logins.succeeded(guesser)
	logins, err := d.app.Events(r.Context(), d.call(nil, "login"), ledger.EventFilter{Actor: p.Name, Kind: ledger.EventLoggedIn, Most: 2})
	if err != nil {
		return err
	}
	var last *ledger.Event
	if len(logins) > 1 {
		last = &logins[1]
	}
	if old := d.sessions.find(d.held(r), false); old != nil {
		old.end()
	}
	if err := d.knows(w, r, p); err != nil {
		return err
	}
	d.setCookie(w, d.sessions.begin(&session{person: p, from: address(r), last: last}))
	return leadTo(w, r, next)
}

// logout ends the session. Its streams end only after the browser has the answer: a page whose stream ends
// goes to the login by itself, and the browser would lose the answer that removes the cookie.
func logout(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	defer s.end()
	d.sessions.leave(s)
	d.setCookie(w, "")
	d.onRecord(r, s, ledger.EventLoggedOut, "")
	http.Redirect(w, r, "/login", http.StatusSeeOther)
	_ = http.NewResponseController(w).Flush() // a sender who left needs no answer
	return nil
}

// address returns the IP address that a request comes from.
func address(r *http.Request) string { return hostOf(r.RemoteAddr) }

// hostOf returns the name or IP address of HOST:PORT, without brackets.
func hostOf(addr string) string { return (&url.URL{Host: addr}).Hostname() }

// invitation is a one-time link: the form in which a person chooses a password.
type invitation struct {
	Action            string
	Name              string // of the invited person; "" for the first person, who types it
	page, title, next string
	keep              func(secret string) (ledger.Person, error)
}

// invitation returns the invitation of a link. The link of the first person ends once there are people. If
// two use it at once, the ledger accepts only the first.
func (d *desk) invitation(r *http.Request) (invitation, error) {
	ctx, token := r.Context(), r.PathValue("token")
	over := &refusal{Status: http.StatusUnauthorized, What: "This link was already used, or has expired."}
	if strings.HasPrefix(r.URL.Path, "/first/") {
		people, err := d.app.People(ctx, d.call(nil, "first person"))
		if err == nil && (!people.Empty() || !d.first.Open(token, d.now())) {
			over.Do, over.Command = "Stop the desk and start it again: while there are no people it prints a new one.", "payrun desk"
			err = over
		}
		return invitation{r.URL.Path, "", "first", "The first person", "/first", func(secret string) (ledger.Person, error) {
			return d.app.AddFirst(ctx, d.call(nil, "first person"), r.PostFormValue("name"), secret)
		}}, err
	}
	p, err := d.app.InvitedBy(ctx, d.call(nil, "join"), token)
	if errors.Is(err, app.ErrLinkOver) {
		over.Do = "Ask the person who gave it to you for a new one: payrun people change, with your name and --new-link."
		err = over
	}
	return invitation{r.URL.Path, p.Name, "join", "Choose your password", "/", func(secret string) (ledger.Person, error) {
		return d.app.Join(ctx, d.call(nil, "join"), token, secret)
	}}, err
}

func showLink(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	in, err := d.invitation(r)
	if err != nil {
		return err
	}
	return d.show(w, r, nil, in.page, view{Title: in.title, Data: in})
}

// followLink stores a password that was typed twice, and logs the person in.
func followLink(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	in, err := d.invitation(r)
	if err != nil {
		return err
	}
	secret := r.PostFormValue("password")
	if secret != r.PostFormValue("password_again") {
		return d.formWrong(w, r, nil, http.StatusUnprocessableEntity, "The two passwords are not the same.", showLink)
	}
	p, err := in.keep(secret)
	if err != nil {
		return d.formFailed(w, r, nil, err, showLink)
	}
	return d.letIn(w, r, p, "", "", in.next)
}

// Limits on failed logins, and how long a known browser stays known.
const (
	failsTaken  = 5 // in a minute
	firstWait   = time.Minute
	longestWait = 15 * time.Minute
	forgetAfter = time.Hour
	mostTracked = 10_000
	knownFor    = 180 * 24 * time.Hour // for a browser in which its person has logged in
)

// throttle makes guessers wait, longer each time, but never for ever. During the wait no password is
// checked, so the right one gives nothing away.
type throttle struct {
	now func() time.Time
	mu  sync.Mutex
	all map[string]*tries // by guesser
}

// tries are the failures of one minute, and the end of a wait.
type tries struct {
	from  time.Time // start of the minute; after a wait, its end
	fails int
	wait  time.Duration // the last wait
}

// guesser returns the key by which failed logins are counted: the name with the IP address, or a browser in
// which this person has logged in before. So a stranger who guesses at a name does not lock out a person
// with such a browser, even behind the same address.
func (d *desk) guesser(r *http.Request, name string) string {
	if c, err := r.Cookie(d.cookie + "-known"); err == nil {
		id, mark, _ := strings.Cut(c.Value, ".")
		if ok, err := d.app.IsBrowserMark(r.Context(), d.call(nil, "login"), name, id, mark); err == nil && ok {
			return "browser " + id
		}
	}
	return "address " + address(r) + " " + name
}

// knows gives the browser a mark that this person has logged in with it.
func (d *desk) knows(w http.ResponseWriter, r *http.Request, p ledger.Person) error {
	id := app.NewToken()[:22]
	mark, err := d.app.BrowserMark(r.Context(), d.call(nil, "login"), p.Name, id)
	if err == nil {
		http.SetCookie(w, &http.Cookie{Name: d.cookie + "-known", Value: id + "." + mark, Path: "/", MaxAge: int(knownFor.Seconds()), HttpOnly: true, Secure: d.secure, SameSite: http.SameSiteStrictMode})
	}
	return err
}

// waits returns how long a login must wait; 0 for none. A login that need not wait counts as failed until
// succeeded removes it, so that many at once count too.
func (t *throttle) waits(guesser string) (wait time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	now := t.now()
	s := t.all[guesser]
	if s == nil {
		t.forget(now)
		s = &tries{from: now}
		t.all[guesser] = s
	}
	switch since := now.Sub(s.from); {
	case since < 0:
		return -since
	case since >= forgetAfter:
		*s = tries{from: now}
	case since >= time.Minute:
		s.from, s.fails = now, 0
	}
	if s.fails++; s.fails >= failsTaken {
		s.wait = min(max(2*s.wait, firstWait), longestWait)
		s.from, s.fails = now.Add(s.wait), 0
	}
	return 0
}

// succeeded removes the counted failures of a guesser whose login succeeded.
func (t *throttle) succeeded(guesser string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.all, guesser)
}

// forget drops old entries, and others too once there are too many for the memory.
func (t *throttle) forget(now time.Time) {
	if len(t.all) < mostTracked {
		return
	}
	maps.DeleteFunc(t.all, func(_ string, s *tries) bool { return now.Sub(s.from) > forgetAfter })
	for key := range t.all {
		if len(t.all) < mostTracked {
			return
		}
		delete(t.all, key)
	}
}
