package desk

import (
	"errors"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// loginForm is the page on which a person says who they are, or chooses a password.
type loginForm struct {
	Action string
	Name   string
	Next   string
	Wrong  string // why the last one was not taken
	Least  int    // characters of a password
}

// toLogin answers a request without a session: a page leads to the login, all else is refused, the
// same whether it exists or not.
func (d *desk) toLogin(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet || !strings.Contains(r.Header.Get("Accept"), "text/html") {
		d.fail(w, r, nil, refuse(http.StatusUnauthorized, "Log in first. Nothing was done."))
		return
	}
	http.Redirect(w, r, "/login?next="+url.QueryEscape(nextPath(r.URL.RequestURI())), http.StatusSeeOther)
}

// nextPath is where a login leads to: a path of this desk, whatever was asked for.
func nextPath(next string) string {
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || !strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\r\n\t") {
		return "/"
	}
	return next
}

func showLogin(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	return d.show(w, r, nil, http.StatusOK, "login", view{Title: "Log in", Data: loginForm{Next: nextPath(r.URL.Query().Get("next"))}})
}

func login(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	form := loginForm{Name: r.PostFormValue("name"), Next: nextPath(r.PostFormValue("next"))}
	name, from := app.PersonName(form.Name), address(r)
	if len(name) > ledger.MostName {
		name = "" // no person's; and nothing so long is kept to be counted
	}
	guesser := d.guesser(r, name)
	if wait := d.logins.waits(guesser); wait > 0 {
		form.Wrong = d.tooMany(w, wait)
		return d.show(w, r, nil, http.StatusTooManyRequests, "login", view{Title: "Log in", Data: form})
	}
	p, err := d.app.Login(r.Context(), d.call(nil, "login"), form.Name, r.PostFormValue("password"), from)
	if errors.Is(err, app.ErrNotThem) {
		form.Wrong = "The name or the password is not right."
		return d.show(w, r, nil, http.StatusUnauthorized, "login", view{Title: "Log in", Data: form})
	}
	if err != nil {
		return err
	}
	if len(p.Factors) > 0 {
		d.setCookie(w, d.sessions.waits(p))
		http.Redirect(w, r, "/login/factor?next="+url.QueryEscape(form.Next), http.StatusSeeOther)
		return nil
	}
	d.logins.succeeded(guesser)
	return d.enter(w, r, p, form.Next)
}

// tooMany says that a person who guesses has to wait.
func (d *desk) tooMany(w http.ResponseWriter, wait time.Duration) string {
	w.Header().Set("Retry-After", strconv.Itoa(int(wait.Seconds())+1))
	return "Too many passwords were wrong. Wait " + ledger.Counted(int(wait.Minutes())+1, "minute", "minutes") + ", then try again."
}

// enter logs a person in, whose login is on record, under a name that the browser did not
// have before.
func (d *desk) enter(w http.ResponseWriter, r *http.Request, p ledger.Person, next string) error {
	logins, err := d.app.LoginsBefore(r.Context(), d.call(nil, "login"), p.Name)
	if err != nil {
		return err
	}
	var last *ledger.Event
	if len(logins) > 1 {
		last = &logins[1]
	}
	if old := d.sessions.find(d.held(r), false); old != nil {
		d.sessions.endOne(old)
	}
	if err := d.knows(w, r, p); err != nil {
		return err
	}
	d.setCookie(w, d.sessions.begin(p, address(r), last))
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

// logout ends the session, and ends its streams once the browser has the answer: a page whose stream
// ends goes to the login by itself, and the browser would lose the answer that removes the cookie.
func logout(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	defer s.end()
	d.sessions.leave(s)
	d.setCookie(w, "")
	err := d.app.RecordLogin(r.Context(), d.call(s, "logout"), ledger.Login{Name: s.person.Name, From: address(r), Kind: ledger.EventLoggedOut})
	if err != nil {
		d.warn("desk: a logout could not be recorded: " + err.Error()) // they are out all the same
	}
	http.Redirect(w, r, "/login", http.StatusSeeOther)
	_ = http.NewResponseController(w).Flush() // a sender who left needs no answer
	return nil
}

// address is where a request comes from.
func address(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}

const linkOver = "This link was used before, or its time is over."

func showFirst(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	d.first.mu.Lock()
	defer d.first.mu.Unlock()
	if err := d.firstIs(r); err != nil {
		return err
	}
	return d.show(w, r, nil, http.StatusOK, "first", view{Title: "The first person", Data: loginForm{Action: r.URL.Path, Least: app.LeastPassword}})
}

// firstIs refuses a link that is not that of the first person, or over. d.first.mu is held.
func (d *desk) firstIs(r *http.Request) error {
	if !d.first.Open(r.PathValue("token"), d.now()) {
		return &refusal{Status: http.StatusUnauthorized, What: linkOver, Do: "Stop the desk and start it again: while there are no people it prints a new one.", Command: "payrun desk"}
	}
	return nil
}

func first(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	d.first.mu.Lock() // two at once: one of them is first
	defer d.first.mu.Unlock()
	if err := d.firstIs(r); err != nil {
		return err
	}
	form := loginForm{Action: r.URL.Path, Name: r.PostFormValue("name"), Least: app.LeastPassword}
	return d.chosen(w, r, "first", "The first person", "/first", form, func(secret string) (ledger.Person, error) {
		p, err := d.app.AddFirst(r.Context(), d.call(nil, "first person"), form.Name, secret)
		if err == nil {
			d.first.Token = ""
		}
		return p, err
	})
}

func showJoin(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	form, err := d.joining(r)
	if err != nil {
		return err
	}
	return d.show(w, r, nil, http.StatusOK, "join", view{Title: "Choose your password", Data: form})
}

// joining is the form of who was invited by the link.
func (d *desk) joining(r *http.Request) (form loginForm, err error) {
	p, ok, err := d.app.InvitedBy(r.Context(), d.call(nil, "join"), r.PathValue("token"))
	if err == nil && !ok {
		err = &refusal{Status: http.StatusUnauthorized, What: linkOver, Do: "Ask the person who gave it to you for a new one: payrun people change, with your name and --new-link."}
	}
	return loginForm{Action: r.URL.Path, Name: p.Name, Least: app.LeastPassword}, err
}

func join(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	form, err := d.joining(r)
	if err != nil {
		return err
	}
	return d.chosen(w, r, "join", "Choose your password", "/", form, func(secret string) (ledger.Person, error) {
		return d.app.Join(r.Context(), d.call(nil, "join"), r.PathValue("token"), secret)
	})
}

// chosen takes a password that was typed twice, and lets its person in, to next.
func (d *desk) chosen(w http.ResponseWriter, r *http.Request, page, title, next string, form loginForm, keep func(secret string) (ledger.Person, error)) error {
	secret := r.PostFormValue("password")
	if secret != r.PostFormValue("password_again") {
		form.Wrong = "The two passwords are not the same."
		return d.show(w, r, nil, http.StatusUnprocessableEntity, page, view{Title: title, Data: form})
	}
	p, err := keep(secret)
	if e, ok := errors.AsType[*app.Error](err); ok && e.Code == app.Usage {
		form.Wrong = sentence(e.What)
		return d.show(w, r, nil, http.StatusUnprocessableEntity, page, view{Title: title, Data: form})
	}
	if err != nil {
		return err
	}
	if len(p.Factors) > 0 { // a link takes the place of the password alone
		d.setCookie(w, d.sessions.waits(p))
		http.Redirect(w, r, "/login/factor", http.StatusSeeOther)
		return nil
	}
	if err := d.app.RecordLogin(r.Context(), d.call(nil, "login"), ledger.Login{Name: p.Name, From: address(r), Kind: ledger.EventLoggedIn}); err != nil {
		return err
	}
	return d.enter(w, r, p, next)
}
