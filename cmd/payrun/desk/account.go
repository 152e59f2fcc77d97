package desk

import (
	"net"
	"net/http"
	"net/url"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// accountData is what a person's own account page shows.
type accountData struct {
	ledger.Person
	Sessions []openSession
	Last     *ledger.Event // the login before this one; nil if there was none
	MustAdd  bool          // the person must add a second factor before anything else
	TOTP     *app.TOTP     // the authenticator app that is being added
	Passkey  string        // the options for creating a passkey, as JSON for the script
	Site     app.Site      // where passkeys are valid; the zero Site if not at this address
}

func showAccount(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.accountPage(w, r, s, accountData{})
}

func (d *desk) accountPage(w http.ResponseWriter, r *http.Request, s *session, data accountData) error {
	data.Person, _ = visitorOf(r).look.People.Find(s.person.Name)
	data.Sessions, data.Last = d.sessions.of(s), s.last
	data.MustAdd, data.Site = visitorOf(r).look.MustAddFactor(s.person), d.site(r)
	return d.show(w, r, s, "account", view{Title: "Your account", Data: data})
}

// changePassword asks for the current password, even if it was typed recently, and ends the person's other
// logins.
func changePassword(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	secret := r.PostFormValue("new")
	switch {
	case r.PostFormValue("password") == "":
		return d.formWrong(w, r, s, http.StatusUnprocessableEntity, "Type the password that you have now, too.", showAccount)
	case secret != r.PostFormValue("new_again"):
		return d.formWrong(w, r, s, http.StatusUnprocessableEntity, "The two new passwords are not the same.", showAccount)
	}
	p, err := d.app.ChangePassword(r.Context(), d.decision(r, s, "account"), secret)
	if err != nil {
		return d.formFailed(w, r, s, err, showAccount)
	}
	return d.goesOn(w, r, s, p)
}

// goesOn replaces the session in which a person changed their own account, and ends their other ones.
func (d *desk) goesOn(w http.ResponseWriter, r *http.Request, s *session, p ledger.Person) error {
	if err := d.knows(w, r, p); err != nil {
		return err
	}
	proof := d.sessions.proofOf(s)
	d.sessions.endOthers(s)
	s.end()
	d.setCookie(w, d.sessions.begin(&session{person: p, from: s.from, last: s.last, proof: proof}))
	return leadTo(w, r, "/account")
}

func endSessions(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if n := d.sessions.endOthers(s); n > 0 {
		d.onRecord(r, s, ledger.EventLoggedOut, "elsewhere, "+ledger.Counted(n, "login", "logins"))
	}
	return leadTo(w, r, "/account")
}

// site returns where passkeys of this desk are valid: its public name or localhost. For an IP address, which
// browsers do not accept, and for a name that ends in .localhost it returns the zero Site.
func (d *desk) site(r *http.Request) app.Site {
	name := strings.ToLower(hostOf(r.Host))
	if net.ParseIP(name) != nil || strings.HasSuffix(name, ".localhost") {
		return app.Site{}
	}
	return app.Site{Name: name, Origin: d.scheme() + "://" + r.Host}
}

// answer returns the second factor that came with a form. A passkey's challenge is used up by this answer.
func (d *desk) answer(r *http.Request, s *session, code, passkey string) app.FactorAnswer {
	a := app.FactorAnswer{Code: r.PostFormValue(code), Passkey: r.PostFormValue(passkey), Site: d.site(r)}
	if a.Passkey != "" {
		a.Challenge = d.sessions.challenge(s, app.Challenge{})
	}
	return a
}

// askPasskey gives the script the challenge that a passkey signs as a proof.
func askPasskey(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	options, challenge, err := d.app.AskPasskey(r.Context(), d.call(s, "passkey"), s.person, d.site(r))
	if err != nil {
		return err
	}
	d.sessions.challenge(s, challenge)
	if options == "" {
		return refuse(http.StatusConflict, "You have no passkey for this address of the desk.")
	}
	w.Header().Set("Content-Type", "application/json")
	_, err = w.Write([]byte(options))
	return err
}

// showSecond asks for the second factor after the password.
func showSecond(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	next := nextPath(r.FormValue("next"))
	s := d.sessions.find(d.held(r), false)
	if s == nil || !s.half {
		return leadTo(w, r, "/login?next="+url.QueryEscape(next))
	}
	passkey, challenge, err := d.app.AskPasskey(r.Context(), d.call(nil, "login"), s.person, d.site(r))
	if err != nil {
		return err
	}
	d.sessions.challenge(s, challenge)
	data := dict("Next", next, "Code", s.person.Has(ledger.FactorTOTP), "Passkey", passkey) // "" if there is no passkey for this address
	return d.show(w, r, nil, "second", view{Title: "Your second factor", Data: data})
}

// second checks the second factor after the password, and logs the person in.
func second(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	s := d.sessions.find(d.held(r), false)
	if s == nil || !s.half {
		return showSecond(d, w, r, nil)
	}
	if _, err := d.glance(r.Context(), s); err != nil {
		return err
	}
	if s.ended.Err() != nil { // changed since the password: start over
		d.toLogin(w, r)
		return nil
	}
	how := ""
	guesser, err := d.guess(w, r, s.person.Name, http.StatusUnauthorized, func() (wrong string, err error) {
		how, err = d.app.SecondFactor(r.Context(), d.call(nil, "login"), s.person, d.answer(r, s, "code", "passkey"), address(r))
		return "That is not right. A code is good once, and for about a minute.", err
	})
	if err != nil {
		return d.formFailed(w, r, nil, err, showSecond)
	}
	return d.letIn(w, r, s.person, guesser, how, nextPath(r.PostFormValue("next")))
}

// changeFactors adds a second factor of the person's own, in two steps, or removes one.
func changeFactors(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	call, label := d.decision(r, s, "account"), strings.TrimSpace(r.PostFormValue("label"))
	data := accountData{}
	var p ledger.Person
	var err error
	switch remove := r.PostFormValue("remove"); {
	case remove != "" && r.PostFormValue("password") == "":
		const why = "To remove a second factor, type your password and prove one of your factors."
		return d.formWrong(w, r, s, http.StatusUnprocessableEntity, why, showAccount)
	case remove != "":
		p, err = d.app.RemoveFactor(r.Context(), call, remove)
	case r.PostFormValue("passkey") != "":
		p, err = d.app.AddPasskey(r.Context(), call, d.answer(r, s, "", "passkey"), label)
	case r.PostFormValue("code") != "":
		var totp app.TOTP
		d.sessions.with(func() { totp = s.totp })
		p, err = d.app.AddTOTP(r.Context(), call, totp, r.PostFormValue("code"), label)
		data.TOTP = &totp
	case r.PostFormValue("add") == string(ledger.FactorPasskey):
		var challenge app.Challenge
		if data.Passkey, challenge, err = d.app.NewPasskey(r.Context(), call, s.person, d.site(r)); err != nil {
			return err
		}
		d.sessions.challenge(s, challenge)
		return d.accountPage(w, r, s, data)
	default:
		totp, err := d.app.NewTOTP(s.person)
		if err != nil {
			return err
		}
		d.sessions.with(func() { s.totp = totp })
		data.TOTP = &totp
		return d.accountPage(w, r, s, data)
	}
	if err != nil {
		return d.formFailed(w, r, s, err, func(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
			return d.accountPage(w, r, s, data)
		})
	}
	return d.goesOn(w, r, s, p)
}

// showQR returns the QR code of the authenticator app that is being added.
func showQR(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	var totp app.TOTP
	d.sessions.with(func() { totp = s.totp })
	if totp.Stored == "" {
		return ledger.ErrNotFound
	}
	b, err := totp.QR()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "image/png")
	_, err = w.Write(b)
	return err
}
