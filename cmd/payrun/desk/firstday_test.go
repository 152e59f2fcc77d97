package desk

import (
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
)

// The first day is led through: each step opens when the one before it is done, and the
// page says what waits for another admin before the first person is added.
func TestTheFirstDayIsLedThrough(t *testing.T) {
	h := build(t)
	b := h.browser()
	leads(t, b.post("/first/"+h.first.Token, "name", "boss", "password", password, "password_again", password), 303, "/first")
	now := func(step string, words ...string) {
		t.Helper()
		p := b.get("/first")
		is(t, p, 200, words...)
		if _, open, _ := strings.Cut(p.body, `aria-current="step"`); !strings.HasPrefix(open, `><h2>`+step) || strings.Count(p.body, `aria-current="step"`) != 1 {
			t.Errorf("another step is open than %s", step)
		}
	}
	now("Your team", "load, approve, pay still missing", "You are the only admin, so what you give applies at once", "Checks a sheet and approves it. Never their own.")
	is(t, b.decide("/people", "name", "mona", "may", "admin"), 200) // no admin yet: she has not chosen a password
	is(t, b.get("/people"), 200, "You are the only admin")
	is(t, b.decide("/people", "name", "asha", "may", "load,pay", "display", "Asha  Rao"), 200, "Nothing waits", "Go on with the set-up")
	is(t, b.decide("/people", "name", "ravi", "may", "approve", "display", "asha rao"), 422, "the name of another person")
	is(t, b.decide("/people", "name", "ravi", "may", "approve", "display", "Ravi Menon"), 200)
	now("Safeguards", "Asha Rao (asha)", "Ask for a second person", "To take it back needs two people")
	for _, key := range []string{"two_person", "second_factor"} {
		leads(t, b.decide("/policy", "key", key, "value", "true", "reason", "set up", "from", "/first"), 303, "/first")
	}
	b.addsApp(t)
	now("Try a payday", "made-up sheet of 12 payouts", "Both on")
	sheet := b.get("/first/example.csv")
	is(t, sheet, 200, "TRY/12")
	h.loadText("nov.csv", sheet.body, app.SheetOptions{})
	is(t, b.get("/first"), 200, "A sheet is loaded")
	h.at = h.at.Add(time.Minute)
	h.invite("mina", "admin")
	is(t, b.get("/people"), 200, "Another admin confirms approve, pay and admin")
}

// People are named on pages as they are known, with the name they sign in as.
func TestPeopleHaveNames(t *testing.T) {
	h, boss := withAdmin(t)
	got := need(h.app.AddPerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "ravi", May: []string{"view"}, Display: "Ravi Menon"}))(t)
	ravi := h.browser()
	is(t, ravi.post(got.Link, "password", password, "password_again", password), 303)
	is(t, ravi.get("/"), 200, "<span>Ravi Menon</span>")
	is(t, boss.get("/people"), 200, "Ravi Menon (ravi)")
	is(t, boss.get("/log"), 200, "Ravi Menon (ravi)")
	is(t, boss.decide("/people/ravi", "may", "view", "display", "R. Menon <b>"), 422, "cannot be shown as a name")
	is(t, boss.decide("/people/ravi", "may", "view", "display", "boss"), 422, "the name of another person")
	is(t, boss.decide("/people/ravi", "may", "view", "display", "R. Menon"), 303)
	is(t, boss.get("/log"), 200, "R. Menon (ravi)")
	is(t, boss.get("/"), 200, "shown as R. Menon")
}
