package desk

import (
	"cmp"
	_ "embed"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// Some routes need one of two roles: to set the policy, to decide on a release, and to see full account
// numbers.
const (
	confirms ledger.Role = "admin or approve"
	trusted  ledger.Role = "approve or pay"
)

var either = map[ledger.Role][]ledger.Role{
	confirms: {ledger.RoleAdmin, ledger.RoleApprove},
	trusted:  {ledger.RoleApprove, ledger.RolePay},
}

// lets reports whether a person may use a route that needs the role.
func lets(p ledger.Person, role ledger.Role) bool {
	return p.Can(role) || slices.ContainsFunc(either[role], p.Can)
}

func showPeople(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.show(w, r, s, "people", view{Title: "People", Live: true})
}

func addPerson(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	req := app.PersonRequest{Name: r.PostFormValue("name"), May: r.PostForm["may"], Display: r.PostFormValue("display"), System: strings.TrimSpace(r.PostFormValue("system_user"))}
	got, err := d.app.AddPerson(r.Context(), d.decision(r, s, "people"), req)
	if err != nil {
		return d.formFailed(w, r, s, err, showPeople)
	}
	return d.invited(w, r, s, got)
}

// invited shows a one-time link. It is shown once, and stored only in this answer.
func (d *desk) invited(w http.ResponseWriter, r *http.Request, s *session, got app.Invited) error {
	return d.show(w, r, s, "invited", view{Title: "The link for " + got.Name, Data: struct {
		app.Invited
		URL string
	}{got, d.origin + got.Link}})
}

// personData is what the page of a person shows.
type personData struct {
	ledger.Person
	System string // the person's system user or database role for this ledger
}

// atTerminal returns the system user or database role of a person for this ledger; "" for none.
func (d *desk) atTerminal(p ledger.Person) string { return p.At(d.set.LedgerServer != "") }

// Has reports whether the role is ticked.
func (p personData) Has(r ledger.Role) bool {
	if p.Waits != nil {
		return slices.Contains(p.Waits.May, r)
	}
	return slices.Contains(p.May, r)
}

func showPerson(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	p, err := personNamed(r)
	if err != nil {
		return err
	}
	return d.show(w, r, s, "person", view{Title: p.Shown(), Live: true, Data: personData{p, d.atTerminal(p)}})
}

// personNamed returns the person of the address. It returns ledger.ErrNotFound for none.
func personNamed(r *http.Request) (ledger.Person, error) {
	p, ok := visitorOf(r).look.People.Find(r.PathValue("name"))
	if !ok {
		return p, ledger.ErrNotFound
	}
	return p, nil
}

// changePerson changes a person's roles, system user or link, or removes the person.
func changePerson(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	name, call := r.PathValue("name"), d.decision(r, s, "people")
	p, err := personNamed(r)
	if err != nil {
		return err
	}
	next := "/people"
	if r.PostFormValue("remove") != "" {
		err = d.app.RemovePerson(r.Context(), call, name)
	} else {
		req := app.PersonRequest{Name: name, May: r.PostForm["may"], NewLink: r.PostFormValue("new_link") != "", NoFactors: r.PostFormValue("reset_factors") != ""}
		if display := r.PostFormValue("display"); display != p.Display {
			req.Display = display
		}
		if system := strings.TrimSpace(r.PostFormValue("system_user")); d.set.Terminal(system) != d.atTerminal(p) {
			req.System, req.Untie = system, system == ""
		}
		var got app.Invited
		got, err = d.app.ChangePerson(r.Context(), call, req)
		if err == nil && got.Link != "" {
			return d.invited(w, r, s, got)
		}
		next = "/people/" + name
	}
	if err != nil {
		return d.formFailed(w, r, s, err, showPerson)
	}
	return leadTo(w, r, next)
}

// answerGrant confirms the rights that another admin gave a person, or takes them back.
func answerGrant(kind string) handler {
	return func(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
		call := d.decision(r, s, "people")
		if _, err := personNamed(r); err != nil {
			return err
		}
		event, _ := strconv.ParseInt(r.PostFormValue("event"), 10, 64) // 0 is no event
		err := d.app.AnswerGrant(r.Context(), call, kind, r.PathValue("name"), event)
		switch codeOf(err) {
		case "":
			return leadTo(w, r, "/")
		case app.NeedsPerson:
			return d.formFailed(w, r, s, err, showPerson)
		}
		return err
	}
}

func showPolicy(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	holds, err := d.app.Policy(r.Context(), d.call(s, "policy"))
	if err != nil {
		return err
	}
	return d.show(w, r, s, "policy", view{Title: "Policy", Data: holds})
}

// setPolicy makes the policy stricter at once. To make it laxer, two people must send the same change; the
// first one is a proposal.
func setPolicy(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	req := ledger.PolicyChange{Key: r.PostFormValue("key"), Value: r.PostFormValue("value"), Reason: cmp.Or(r.PostFormValue("reason"), "none given")}
	view, err := d.app.SetPolicy(r.Context(), d.decision(r, s, "policy"), req)
	if proposed := codeOf(err) == app.NeedsPerson && len(view.Keys) > 0; err != nil && !proposed {
		return d.formFailed(w, r, s, err, showPolicy)
	}
	next := "/policy"
	if r.PostFormValue("from") == "/first" {
		next = "/first"
	}
	return leadTo(w, r, next)
}

// example is the made-up sheet for the first day.
//
//go:embed example.csv
var example []byte

// firstDay is what the page of the first day shows: four steps, of which one is open.
type firstDay struct {
	Policy  ledger.Policy
	Safe    bool // both safeguards are on
	Loaded  bool
	Open    int           // number of the open step; 0 if all are done
	Missing []ledger.Role // roles that no person has yet
}

func showFirstDay(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	sheets, err := d.app.Sheets(r.Context(), d.call(s, "first day"))
	if err != nil {
		return err
	}
	people, policy := visitorOf(r).look.People.People(), visitorOf(r).look.Policy
	data := firstDay{Policy: policy, Safe: policy.TwoPerson && policy.SecondFactor, Loaded: len(sheets) > 0}
	data.Missing = ledger.Where([]ledger.Role{ledger.RoleLoad, ledger.RoleApprove, ledger.RolePay}, func(role ledger.Role) bool {
		return !slices.ContainsFunc(people, func(p ledger.Person) bool { return p.Can(role) })
	})
	switch {
	case len(data.Missing) > 0:
		data.Open = 2
	case !data.Safe:
		data.Open = 3
	case !data.Loaded:
		data.Open = 4
	}
	return d.show(w, r, s, "firstday", view{Title: "Set up payrun", Live: true, Data: data})
}

// giveExample sends the made-up sheet, except in production.
func giveExample(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if d.set.Environment == config.Production {
		return ledger.ErrNotFound
	}
	attach(w, "example.csv")
	_, err := w.Write(example)
	return err
}
