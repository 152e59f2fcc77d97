package desk

import (
	"cmp"
	"net/http"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// policyData is what the page of the policy shows.
type policyData struct {
	app.PolicyView
	Waits []proposal
	Wrong string // why the last form was not taken
}

// proposal is one to lower the policy. May: the viewer can carry it out.
type proposal struct {
	ledger.PolicyChange
	May bool
}

func showPolicy(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.policyPage(w, r, s, http.StatusOK, "")
}

func (d *desk) policyPage(w http.ResponseWriter, r *http.Request, s *session, status int, wrong string) error {
	holds, err := d.app.Policy(r.Context(), d.call(s, "policy"))
	if err != nil {
		return err
	}
	people := visitorOf(r).look.People
	data := policyData{PolicyView: holds, Wrong: wrong}
	for _, p := range holds.Proposals {
		data.Waits = append(data.Waits, proposal{p, people.SecondPerson(p.Actor, s.person.Name) == nil && (people.May(p.Actor, ledger.RoleAdmin) || s.person.Can(ledger.RoleAdmin))})
	}
	return d.show(w, r, s, status, "policy", view{Title: "Policy", Data: data})
}

// setPolicy makes the policy stricter at once; to lower it takes the same word of
// two people, and the first is a proposal.
func setPolicy(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	req := app.PolicyRequest{Key: r.PostFormValue("key"), Value: r.PostFormValue("value"), Reason: cmp.Or(r.PostFormValue("reason"), "none given")}
	view, err := d.app.SetPolicy(r.Context(), d.decision(r, s, "policy"), req)
	switch codeOf(err) {
	case app.Usage:
		return d.policyPage(w, r, s, http.StatusUnprocessableEntity, sentence(app.Worst(err).What))
	case app.NeedsPerson:
		if len(view.Keys) == 0 {
			return refuse(http.StatusForbidden, sentence(app.Worst(err).What))
		}
		err = nil // it is proposed
	}
	if err != nil {
		return err
	}
	next := "/policy"
	if r.PostFormValue("from") == "/first" {
		next = "/first"
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}
