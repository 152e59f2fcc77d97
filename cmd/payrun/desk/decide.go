package desk

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"payrun/ledger"
)

// A decision needs a proof of the person that is young enough.
const (
	provenBy  = 30 * time.Minute // for one password, however often decisions renew its proof
	decideFor = 50 * time.Second // limit of a decision, also if its sender has left
)

// proof records when the person of a session proved who they are.
type proof struct {
	password time.Time // when the password was typed last
	renewed  time.Time // by the password, or by a decision since
}

// until returns when the proof becomes too old for a decision.
func (d *desk) until(p proof) time.Time {
	until, last := p.renewed.Add(d.set.Desk.Proof.Std()), p.password.Add(provenBy)
	if until.After(last) {
		return last
	}
	return until
}

// decide runs a decision: its sender must have the role and prove who they are. A decision goes on if the
// sender has left, so that it is never half done; a route that gives out a file (gives) does not. A form
// that is sent twice takes effect once, because it is bound to what it showed (ledger.ExpectedVersion).
func (d *desk) decide(w http.ResponseWriter, r *http.Request, s *session, rt route) {
	until := r.Context()
	if rt.kind == decides {
		until = context.WithoutCancel(until)
	}
	ctx, cancel := context.WithTimeout(until, decideFor)
	defer cancel()
	v := visitorOf(r)
	r = visited(r.WithContext(ctx), v)
	if !lets(s.person, rt.role) {
		d.fail(w, r, s, needs(rt.role))
		d.notDecided(r, s, ledger.EventNotDecided, v.status)
		return
	}
	how := d.proves(w, r, s)
	if how == "" {
		return
	}
	v.means = "at the desk, from " + address(r) + ", " + how
	func() {
		defer d.caught(w, r, s)
		if err := rt.serve(d, w, r, s); err != nil {
			d.fail(w, r, s, err)
		}
	}()
	switch {
	case v.status >= 400 && v.status < 500, v.status == http.StatusBadGateway: // after any other failure it is unknown what was done before
		d.notDecided(r, s, ledger.EventNotDecided, v.status)
	case v.status < 400:
		d.sessions.with(func() { s.proof.renewed = d.now() })
	}
}

// proves checks the proof and returns it in words. If it is missing or wrong, proves answers the request
// and returns "".
func (d *desk) proves(w http.ResponseWriter, r *http.Request, s *session) (how string) {
	if r.PostFormValue("password") != "" {
		with, err := d.proven(w, r, s)
		if err == nil {
			if token := d.sessions.proven(s); token != "" { // "" if they logged out meanwhile
				d.setCookie(w, token)
			}
			return with + " with it"
		}
		if why, ok := errors.AsType[*refusal](err); ok {
			d.again(w, r, s, why.Status, "Nothing was done. "+why.What)
		} else {
			d.fail(w, r, s, err)
		}
		return ""
	}
	p := d.sessions.proofOf(s)
	if now := d.now(); now.Before(d.until(p)) {
		return "password " + strconv.Itoa(int(now.Sub(p.password).Seconds())) + " s before"
	}
	d.notDecided(r, s, ledger.EventProofWanted, 0)
	d.again(w, r, s, http.StatusForbidden, "Nothing was done yet: type your password again. What you filled in is kept.")
	return ""
}

// askProof shows the page that asks for the password again. decision says that a decision waits for it.
func (d *desk) askProof(w http.ResponseWriter, r *http.Request, s *session, next string, decision bool) error {
	return d.show(w, r, s, "proof", view{Title: "Your password again", Data: dict("Next", next, "Decision", decision)})
}

// proven checks the password of a form, and the second factor of a person who has one. A wrong one counts
// as a failed login. with is the proof in words. The error is a refusal if the password or the factor is
// wrong.
func (d *desk) proven(w http.ResponseWriter, r *http.Request, s *session) (with string, err error) {
	guesser, err := d.guess(w, r, s.person.Name, http.StatusForbidden, func() (wrong string, err error) {
		_, err = d.app.Prove(r.Context(), d.call(s, "proof"), ledger.Login{Name: s.person.Name, From: address(r), What: "the password again"}, r.PostFormValue("password"))
		if with = "password"; err != nil || len(s.person.Factors) == 0 {
			return "The password is not right.", err
		}
		how, err := d.app.SecondFactor(r.Context(), d.call(s, "proof"), s.person, d.answer(r, s, "proof_code", "proof_passkey"), address(r))
		with += " and " + how
		return "Your second factor is missing or not right. A code is good once.", err
	})
	if err == nil {
		d.logins.succeeded(guesser)
	}
	return with, err
}

func showProof(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.askProof(w, r, s, nextPath(r.FormValue("next")), false)
}

func prove(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if _, err := d.proven(w, r, s); err != nil {
		return d.formFailed(w, r, s, err, showProof)
	}
	token := d.sessions.proven(s)
	if token == "" { // they logged out meanwhile
		d.toLogin(w, r)
		return nil
	}
	d.setCookie(w, token)
	return leadTo(w, r, nextPath(r.PostFormValue("next")))
}

// cameFrom returns the page that a form was sent from.
func cameFrom(d *desk, r *http.Request) string {
	u, err := url.Parse(r.Referer())
	if err != nil || u.Scheme != d.scheme() || !strings.EqualFold(u.Host, r.Host) {
		return "/"
	}
	return nextPath(u.RequestURI())
}

// notDecided records a decision that was refused.
func (d *desk) notDecided(r *http.Request, s *session, kind string, status int) {
	what := r.Pattern
	for _, part := range [...]string{"id", "ref", "name", "run"} {
		if id := r.PathValue(part); id != "" {
			what += " " + ledger.Plain(id[:min(len(id), 80)])
		}
	}
	if status != 0 {
		what += fmt.Sprintf(": %d", status)
	}
	d.onRecord(r, s, kind, what)
}

// onRecord records what a person did at the desk. If that fails it only warns: it holds all the same.
func (d *desk) onRecord(r *http.Request, s *session, kind, what string) {
	err := d.app.RecordLogin(r.Context(), d.call(s, "login"), ledger.Login{Name: s.person.Name, From: address(r), Kind: kind, What: what})
	if err != nil {
		d.warn(fmt.Sprintf("desk: %q could not be recorded: %v", eventWords(kind), err))
	}
}

// overtaken says that something has changed since it was shown, and by which event if the error knows it.
func (d *desk) overtaken(page string, err error) *refusal {
	why := &refusal{Status: http.StatusConflict, Link: page, What: "This is no longer what the page showed you. Nothing was done.", Do: "Look at it as it is now, and decide again."}
	if e, ok := errors.AsType[*ledger.OvertakenError](err); ok && e.Since.Kind != "" {
		why.Do = fmt.Sprintf("Since then: %s by %s, %s. ", eventWords(e.Since.Kind), d.nameOf(e.Since.Actor), d.set.Moment(e.Since.At)) + why.Do
	}
	return why
}

// notSent says that what was to be sent has changed since it was shown: another person sent it, and nothing
// is left to do, or something else happened.
func (d *desk) notSent(page string, err error) *refusal {
	why := d.overtaken(page, err)
	why.What = "Not sent: this is no longer what the page showed. Nothing was done."
	e, ok := errors.AsType[*ledger.OvertakenError](err)
	if !ok {
		return why
	}
	by, at := d.nameOf(e.Since.Actor), d.set.TimeOfDay(e.Since.At)
	switch ledger.BatchEvent(e.Since.Kind) {
	case ledger.SubmitIntended:
		why.What, why.Do = "Nothing was sent: "+by+" began to send it at "+at+".", "Its page will have the result."
	case ledger.SubmitAccepted:
		why.What, why.Do = "Nothing was sent: "+by+" sent it at "+at+".", "There is nothing more to do."
	case ledger.AllFinal:
		why.What, why.Do = "Nothing was sent: it was sent meanwhile, and all its payouts are final.", "There is nothing more to do."
	}
	return why
}
