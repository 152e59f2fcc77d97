package desk

import (
	"fmt"
	"net/http"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// accountData is what the page of one's own account shows.
type accountData struct {
	ledger.Person
	Sessions []openSession
	Last     *ledger.Event // the login before this one; nil for none
	Least    int           // characters of a password
	Wrong    string        // why the last form was not taken
	MustAdd  bool          // a second factor, before anything else
	TOTP     *app.TOTP     // an authenticator app to be added
	Passkey  string        // a passkey to be made, as JSON for the script
	Site     app.Site      // where passkeys are good; the zero Site: not at this address
}

func showAccount(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.accountPage(w, r, s, http.StatusOK, accountData{})
}

func (d *desk) accountPage(w http.ResponseWriter, r *http.Request, s *session, status int, data accountData) error {
	data.Person, _ = visitorOf(r).look.People.Find(s.person.Name)
	data.Sessions, data.Last, data.Least = d.sessions.of(s), s.last, app.LeastPassword
	data.MustAdd, data.Site = visitorOf(r).mustAdd, d.site(r)
	return d.show(w, r, s, status, "account", view{Title: "Your account", Data: data})
}

// changePassword takes the password of now, whenever it was typed last, and ends every
// other login of its person.
func changePassword(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	data := accountData{}
	switch secret := r.PostFormValue("new"); {
	case r.PostFormValue("password") == "":
		data.Wrong = "Type the password that you have now, too."
	case secret != r.PostFormValue("new_again"):
		data.Wrong = "The two new passwords are not the same."
	default:
		p, err := d.app.ChangePassword(r.Context(), d.decision(r, s, "account"), secret)
		if err == nil {
			return d.goesOn(w, r, s, p)
		}
		if codeOf(err) != app.Usage {
			return err
		}
		data.Wrong = sentence(app.Worst(err).What)
	}
	return d.accountPage(w, r, s, http.StatusUnprocessableEntity, data)
}

// goesOn keeps the one login of a person from which they changed themselves.
func (d *desk) goesOn(w http.ResponseWriter, r *http.Request, s *session, p ledger.Person) error {
	if err := d.knows(w, r, p); err != nil {
		return err
	}
	proof := d.sessions.proofOf(s)
	d.sessions.endOthers(s)
	d.sessions.endOne(s)
	token := d.sessions.begin(p, s.from, s.last)
	d.sessions.find(token, true).proof = proof
	d.setCookie(w, token)
	http.Redirect(w, r, "/account", http.StatusSeeOther)
	return nil
}

func endSessions(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	n := d.sessions.endOthers(s)
	if n > 0 {
		err := d.app.RecordLogin(r.Context(), d.call(s, "account"), ledger.Login{Name: s.person.Name, From: address(r), Kind: ledger.EventLoggedOut, What: fmt.Sprintf("elsewhere, %s", ledger.Counted(n, "login", "logins"))})
		if err != nil {
			d.warn("desk: a logout could not be recorded: " + err.Error()) // they are out all the same
		}
	}
	http.Redirect(w, r, "/account", http.StatusSeeOther)
	return nil
}
