package desk

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// For some routes either of two roles is enough: to confirm what another gave (whom
// they may confirm it of, is for the ledger to say), to decide what nothing else tells,
// and to see account numbers in full.
const (
	confirms ledger.Role = "admin or approve"
	trusted  ledger.Role = "approve or pay"
)

var either = map[ledger.Role][]ledger.Role{
	confirms: {ledger.RoleAdmin, ledger.RoleApprove},
	trusted:  {ledger.RoleApprove, ledger.RolePay},
}

// lets reports whether a person may use a route of a role.
func lets(p ledger.Person, role ledger.Role) bool {
	return p.Can(role) || slices.ContainsFunc(either[role], p.Can)
}

// grant is one that everybody sees. May: whoever looks may confirm it.
type grant struct {
	ledger.Grant
	Waiting, May bool
	Back         bool // whoever looks may take it back
}

func (d *desk) grants(people ledger.Roster, s *session) (list []grant) {
	for _, g := range people.Told(d.now()) {
		p, _ := people.Find(g.To)
		waits := p.Waits != nil && p.Waits.Event == g.Event
		list = append(list, grant{g, waits, waits && people.MayConfirm(s.person, g), waits && lets(s.person, ledger.RoleAdmin)})
	}
	slices.Reverse(list) // newest first
	return list
}

// What words what is given.
func (g grant) What() string {
	var parts []string
	for _, r := range g.Gives {
		parts = append(parts, "the role "+string(r))
	}
	if g.Link != "" {
		parts = append(parts, "a new link to choose a password")
	}
	if g.System != "" {
		parts = append(parts, "the system user "+ledger.Plain(g.System))
	}
	return strings.Join(parts, ", ")
}

// Who words by whose word it is.
func (g grant) Who() string { return ledger.Plain(strings.Join(g.Givers(), " and ")) }

// peopleData is what the page of the people shows.
type peopleData struct {
	People []ledger.Person
	Roles  []ledger.Role
	Wrong  string
	Name   string // typed, and not taken
	System string
	May    []string
}

// Has reports whether a role is ticked.
func (p peopleData) Has(r ledger.Role) bool { return slices.Contains(p.May, string(r)) }

func showPeople(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.peoplePage(w, r, s, http.StatusOK, peopleData{})
}

func (d *desk) peoplePage(w http.ResponseWriter, r *http.Request, s *session, status int, data peopleData) error {
	people, err := d.app.People(r.Context(), d.call(s, "people"))
	if err != nil {
		return err
	}
	data.People, data.Roles = people.People(), ledger.Roles[:]
	return d.show(w, r, s, status, "people", view{Title: "People", Live: true, Data: data})
}

// rolesIn are the roles of a form: a field each, or several in one.
func rolesIn(r *http.Request) (may []string) {
	for _, field := range r.PostForm["may"] {
		for word := range strings.SplitSeq(field, ",") {
			if word = strings.TrimSpace(word); word != "" {
				may = append(may, word)
			}
		}
	}
	return may
}

func addPerson(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	req := app.PersonRequest{Name: r.PostFormValue("name"), May: rolesIn(r), System: strings.TrimSpace(r.PostFormValue("system_user"))}
	got, err := d.app.AddPerson(r.Context(), d.decision(r, s, "people"), req)
	if codeOf(err) == app.Usage {
		return d.peoplePage(w, r, s, http.StatusUnprocessableEntity, peopleData{Wrong: sentence(app.Worst(err).What), Name: req.Name, System: req.System, May: req.May})
	}
	if err != nil {
		return err
	}
	return d.invited(w, r, s, got)
}

// invited shows a one-time link, once: it is kept nowhere but in the answer to the
// form.
func (d *desk) invited(w http.ResponseWriter, r *http.Request, s *session, got app.Invited) error {
	return d.show(w, r, s, http.StatusOK, "invited", view{Title: "The link for " + got.Name, Data: struct {
		app.Invited
		URL  string
		Link bool // it is the link that waits, not only roles
	}{got, d.origin + got.Link, got.Waits != nil && got.Waits.Link != ""}})
}

// personData is what the page of a person shows.
type personData struct {
	ledger.Person
	Roles []ledger.Role
	Waits *grant
	Wrong string
}

// SystemUser is the one they are, or will be.
func (p personData) SystemUser() string {
	if p.Waits != nil && p.Waits.System != "" {
		return p.Waits.System
	}
	return p.System
}

// Has reports whether a role is ticked: those that wait are too.
func (p personData) Has(r ledger.Role) bool {
	if p.Waits != nil {
		return slices.Contains(p.Waits.Grant.May, r)
	}
	return slices.Contains(p.May, r)
}

func showPerson(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.personPage(w, r, s, http.StatusOK, "")
}

func (d *desk) personPage(w http.ResponseWriter, r *http.Request, s *session, status int, wrong string) error {
	p, people, err := d.personNamed(r, d.call(s, "people"))
	if err != nil {
		return err
	}
	data := personData{Person: p, Roles: ledger.Roles[:], Wrong: wrong}
	if p.Waits != nil {
		data.Waits = &grant{*p.Waits, true, people.MayConfirm(s.person, *p.Waits), true}
	}
	return d.show(w, r, s, status, "person", view{Title: p.Name, Live: true, Data: data})
}

// personNamed is who an address is about, among all; ledger.ErrNotFound for nobody.
func (d *desk) personNamed(r *http.Request, call app.Call) (p ledger.Person, people ledger.Roster, err error) {
	if people, err = d.app.People(r.Context(), call); err != nil {
		return p, people, err
	}
	p, ok := people.Find(r.PathValue("name"))
	if !ok {
		err = ledger.ErrNotFound
	}
	return p, people, err
}

// changePerson gives a person other roles, another system user or a new link, takes
// back what waits for them, or removes them.
func changePerson(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	name, call := r.PathValue("name"), d.decision(r, s, "people")
	p, _, err := d.personNamed(r, call)
	if err != nil {
		return err
	}
	next := "/people"
	if r.PostFormValue("remove") != "" {
		err = d.app.RemovePerson(r.Context(), call, name)
	} else if shown := r.PostFormValue("take_back"); shown != "" {
		if p.Waits == nil || shown != strconv.FormatInt(p.Waits.Event, 10) {
			d.refuse(w, r, s, http.StatusConflict, "What waits for "+name+" is not what was shown any more. Nothing was taken back: look at it again.")
			return nil
		}
		_, err = d.app.ChangePerson(r.Context(), call, app.PersonRequest{Name: name, TakeBack: true, Event: p.Waits.Event})
		next = "/people/" + name
	} else {
		req := app.PersonRequest{Name: name, May: rolesIn(r), NewLink: r.PostFormValue("new_link") != ""}
		if system := strings.TrimSpace(r.PostFormValue("system_user")); system != p.System && (p.Waits == nil || system != p.Waits.System) {
			req.System = system
		}
		var got app.Invited
		got, err = d.app.ChangePerson(r.Context(), call, req)
		if err == nil && got.Link != "" {
			return d.invited(w, r, s, got)
		}
		next = "/people/" + name
	}
	if codeOf(err) == app.Usage {
		return d.personPage(w, r, s, http.StatusUnprocessableEntity, sentence(app.Worst(err).What))
	}
	if err != nil {
		return err
	}
	http.Redirect(w, r, next, http.StatusSeeOther)
	return nil
}

// confirmPerson lets hold what another gave a person.
func confirmPerson(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	name, call := r.PathValue("name"), d.decision(r, s, "people")
	p, people, err := d.personNamed(r, call)
	if err != nil {
		return err
	}
	if p.Waits == nil {
		d.refuse(w, r, s, http.StatusConflict, "Nothing that was given to "+name+" waits. Nothing was confirmed: look at it again.")
		return nil
	}
	if !people.MayConfirm(s.person, *p.Waits) {
		d.refuse(w, r, s, http.StatusForbidden, "What "+grant{Grant: *p.Waits}.Who()+" gave "+name+" is confirmed by another person: who surely neither gave it nor gets it, and could have confirmed it when it was given.")
		return nil
	}
	shown := r.PostFormValue("event")
	if shown != strconv.FormatInt(p.Waits.Event, 10) {
		d.refuse(w, r, s, http.StatusConflict, "What was given to "+name+" is not what was shown any more. Nothing was confirmed: look at it again.")
		return nil
	}
	if err := d.app.ConfirmPerson(r.Context(), call, name, p.Waits.Event); err != nil {
		return err
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
	return nil
}
