package desk

import (
	_ "embed"
	"net/http"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// example is the made-up sheet of the first day.
//
//go:embed example.csv
var example []byte

// firstDay is what the page of the first day shows: four steps, of which one is open.
type firstDay struct {
	Me      ledger.Person
	People  []ledger.Person
	Admins  int
	Team    bool // a person can load, approve and pay
	TwoOn   bool
	FactOn  bool
	Loaded  bool
	Open    int           // the number of the open step; 0: all are done
	Missing []ledger.Role // that no person has yet
}

func showFirstDay(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	policy, err := d.app.Policy(r.Context(), d.call(s, "first day"))
	if err != nil {
		return err
	}
	sheets, err := d.app.Sheets(r.Context(), d.call(s, "first day"))
	if err != nil {
		return err
	}
	people := visitorOf(r).look.People.People()
	data := firstDay{Me: s.person, People: people, Admins: admins(people), Loaded: len(sheets) > 0}
	for _, role := range [...]ledger.Role{ledger.RoleLoad, ledger.RoleApprove, ledger.RolePay} {
		has := false
		for _, p := range people {
			has = has || p.Can(role)
		}
		if !has {
			data.Missing = append(data.Missing, role)
		}
	}
	data.Team = len(data.Missing) == 0
	data.TwoOn, data.FactOn = holds(policy, ledger.PolicyTwoPerson), holds(policy, ledger.PolicySecondFactor)
	switch {
	case !data.Team:
		data.Open = 2
	case !data.TwoOn || !data.FactOn:
		data.Open = 3
	case !data.Loaded:
		data.Open = 4
	}
	return d.show(w, r, s, http.StatusOK, "firstday", view{Title: "Set up payrun", Live: true, Data: data})
}

// holds reports whether a rule that is on or off is on.
func holds(policy app.PolicyView, key string) bool {
	for _, k := range policy.Keys {
		if k.Key == key {
			return k.Holds == "true"
		}
	}
	return false
}

// giveExample gives the made-up sheet, where no money moves.
func giveExample(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if d.set.Environment == config.Production {
		return ledger.ErrNotFound
	}
	w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	w.Header().Set("Content-Disposition", `attachment; filename="example.csv"`)
	_, err := w.Write(example)
	return err
}
