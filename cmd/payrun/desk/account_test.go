package desk

import (
	"testing"
	"time"

	"payrun/ledger"
)

// People change their own password, by the one before, and are out everywhere else.
func TestPeopleChangeTheirPassword(t *testing.T) {
	h := build(t)
	ravi, other := h.loader(), h.comesIn("ravi")
	const next = "walks to the river"
	is(t, ravi.get("/account"), 200, "<h1>Your account</h1>", "Sign out elsewhere", "127.0.0.1 (this browser)")
	is(t, ravi.decide("/account/password", "new", next, "new_again", next), 422, "Type the password that you have now")
	is(t, ravi.decide("/account/password", "password", "wrong wrong wrong", "new", next, "new_again", next), 403, "The password is not right", "<h1>Your account</h1>")
	is(t, ravi.decide("/account/password", "password", password, "new", next, "new_again", "another"), 422, "not the same")
	for secret, why := range map[string]string{"x4!k": "at least 12", "Sunshine2024!": "one of the most used", "ravi-ravi-12": "a name of yours", "winterwinter": "only repeats"} {
		p := ravi.decide("/account/password", "password", password, "new", secret, "new_again", secret)
		is(t, p, 422, why)
		isNot(t, p, secret)
	}
	n := len(h.events())
	is(t, ravi.decide("/account/password", "password", password, "new", next, "new_again", next), 303)
	eventSays(t, h.events()[n], "\n"+ledger.EventPasswordSet+" by ravi\n", "password with it\n")
	is(t, ravi.get("/account"), 200)
	is(t, other.get("/"), 303)
	is(t, other.post("/login", "name", "ravi", "password", password), 401)
	is(t, other.post("/login", "name", "ravi", "password", next), 303)
	h.isWhole()
}

// A person sees where they are signed in, and when they were before, and ends the others.
func TestPeopleEndTheirOtherSessions(t *testing.T) {
	h, boss := withAdmin(t)
	is(t, boss.get("/account"), 200, "this is the first")
	h.at = h.at.Add(time.Hour)
	one, two := h.browser(), h.browser()
	two.from = "192.0.2.9:1"
	for _, b := range []*browser{one, two} {
		is(t, b.post("/login", "name", "boss", "password", password), 303)
	}
	is(t, one.get("/"), 200, "Your last sign-in: ", "at the desk, from 127.0.0.1")
	is(t, two.get("/account"), 200, "192.0.2.9 (this browser)", "127.0.0.1", "Sign out elsewhere")
	h.at = h.at.Add(6 * time.Minute)
	isNot(t, one.get("/"), "Your last sign-in: ")
	is(t, one.decide("/account/sessions/end"), 403, "type your password again")
	is(t, two.get("/"), 200)
	n := len(h.events())
	is(t, one.decide("/account/sessions/end", "password", password), 303)
	eventSays(t, h.events()[n], "\n"+ledger.EventLoggedOut+" by boss\n", "elsewhere, 1 login\nproof: ")
	is(t, two.get("/"), 303)
	isNot(t, one.get("/account"), "Sign out elsewhere")
}
