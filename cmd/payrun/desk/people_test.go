package desk

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// link is the one-time link that a page shows.
func link(t *testing.T, p page) string {
	t.Helper()
	m := regexp.MustCompile(`http://127\.0\.0\.1:8660(/join/[A-Za-z0-9_-]{43})<`).FindStringSubmatch(p.body)
	if m == nil {
		t.Fatalf("no link: %s\n%s", p.Status, p.body)
	}
	return m[1]
}

// The people are changed at the desk as they are at a terminal.
func TestPeopleAreChangedAtTheDesk(t *testing.T) {
	h := build(t)
	b := h.admin()
	is(t, b.get("/people"), 200, "boss", `name="may" value="approve"`)
	is(t, b.decide("/people", "name", "the boss", "may", "load"), 422, "no name for a person", `value="the boss"`, `value="load" checked`)
	is(t, b.decide("/people", "name", "ravi"), 422, "No role is given")
	p := b.decide("/people", "name", "Ravi", "may", "load,view", "system_user", "rk")
	is(t, p, 200, "ravi")
	ravi := h.browser()
	is(t, ravi.post(link(t, p), "password", password, "password_again", password), 303)
	is(t, ravi.get("/people"), 403, "needs the role admin")
	is(t, ravi.get("/people/boss"), 403)
	is(t, ravi.get("/policy"), 403)
	if p := ravi.get("/"); strings.Contains(p.body, "/people") || strings.Contains(p.body, "/policy") {
		t.Error("the board leads ravi to pages that are not for them")
	}
	is(t, b.get("/people"), 200, "waits: system user rk", "load")
	is(t, b.get("/people/ravi"), 200, `value="load" checked`, `value="rk"`, "boss gave ravi the system user rk")
	is(t, b.get("/people/nobody"), 404)
	is(t, b.decide("/people/nobody", "may", "load"), 404)
	is(t, b.decide("/people/ravi", "may", "view", "system_user", "rk"), 303)
	is(t, ravi.get("/"), 303) // L1: out, and in again with other roles
	is(t, ravi.post("/login", "name", "ravi", "password", password), 303)
	isNot(t, ravi.get("/"), "Take it back")
	back := regexp.MustCompile(`name="take_back" value="(\d+)"><button>Take it back`).FindStringSubmatch(b.get("/").body)
	if back == nil {
		t.Fatal("boss has no form to take it back")
	}
	is(t, ravi.decide("/people/ravi", "take_back", back[1]), 403, "needs the role admin")
	is(t, b.decide("/people/ravi", "take_back", "1"), 409, "Nothing was taken back")
	is(t, b.decide("/people/ravi", "take_back", back[1]), 303)
	is(t, b.decide("/people/ravi", "take_back", back[1]), 409)
	is(t, ravi.get("/"), 303)
	isNot(t, b.get("/people/ravi"), `value="rk"`)
	is(t, ravi.post("/login", "name", "ravi", "password", password), 303)
	p = b.decide("/people/ravi", "new_link", "yes")
	is(t, b.get("/"), 200, "boss gave ravi a new link to choose a password", "It held at once")
	is(t, ravi.get("/"), 303)
	is(t, ravi.post(link(t, p), "password", "another long one", "password_again", "another long one"), 303)
	is(t, ravi.get("/"), 200, "boss gave ravi a new link to choose a password")
	p = b.decide("/people/ravi", "new_link", "yes") // and then power: it is closed
	is(t, b.decide("/people/ravi", "may", "pay"), 303)
	is(t, h.browser().post(link(t, p), "password", password, "password_again", password), 401)
	is(t, b.decide("/people/boss", "remove", "yes"), 422, "the only admin")
	is(t, b.decide("/people/ravi", "remove", "yes"), 303)
	is(t, ravi.get("/"), 303)
	is(t, b.get("/people/ravi"), 404)
	for _, e := range h.events() {
		if strings.HasPrefix(e.Kind, "person_") && e.Kind != ledger.EventPersonAdded && (e.Actor != "boss" || !strings.Contains(e.Proof, "from 127.0.0.1")) {
			t.Errorf("on record: %+v", e)
		}
	}
}

// What moves money is confirmed by another person, on whose board it stands; and on
// everybody's for a week.
func TestAnotherPersonConfirms(t *testing.T) {
	h := build(t)
	boss := h.admin()
	mina := h.invite("mina", "approve")
	p := boss.decide("/people", "name", "ravi", "may", "pay")
	is(t, p, 200, "Another person who is admin or may approve confirms it")
	ravi := h.browser()
	is(t, ravi.post(link(t, p), "password", password, "password_again", password), 303)
	is(t, ravi.get("/"), 200, "boss gave ravi the role pay", "It waits until another person who is admin or may approve, and did when it was given")
	for _, b := range []*browser{ravi, boss} {
		if p := b.get("/"); strings.Contains(p.body, "/people/ravi/confirm") {
			t.Error("the form stands where it is refused")
		}
	}
	is(t, ravi.decide("/people/ravi/confirm"), 403, "needs the role admin or approve")
	is(t, boss.decide("/people/ravi/confirm"), 403, "another person")
	is(t, mina.decide("/people/nobody/confirm"), 404)
	const notice = `<a href="#given"><b>Confirm what ravi was given: the role pay</b> by boss</a>`
	is(t, mina.get("/"), 200, "For you", notice)
	isNot(t, boss.get("/"), notice)
	isNot(t, ravi.get("/"), notice)
	m := regexp.MustCompile(`action="/people/ravi/confirm".*?name="event" value="(\d+)"`).FindStringSubmatch(strings.ReplaceAll(mina.get("/").body, "\n", ""))
	if m == nil {
		t.Fatal("mina has no form to confirm it")
	}
	is(t, mina.decide("/people/ravi/confirm", "event", "1"), 409, "not what was shown")
	is(t, mina.decide("/people/ravi/confirm", "event", m[1]), 303)
	is(t, mina.decide("/people/ravi/confirm", "event", m[1]), 409)
	is(t, ravi.get("/"), 303) // a role more: they log in again
	roster, err := h.app.People(t.Context(), app.Call{})
	if got, _ := roster.Find("ravi"); err != nil || !got.Can(ledger.RolePay) {
		t.Errorf("ravi is %+v, %v", got, err)
	}
	h.at = h.at.Add(6 * 24 * time.Hour)
	is(t, mina.post("/login", "name", "mina", "password", password), 303)
	is(t, mina.get("/"), 200, "boss gave ravi the role pay", "mina confirmed it")
	h.at = h.at.Add(2 * 24 * time.Hour)
	is(t, mina.post("/login", "name", "mina", "password", password), 303)
	if p := mina.get("/"); strings.Contains(p.body, "gave ravi") {
		t.Error("it is told after eight days")
	}
	if problems, err := h.app.Verify(t.Context(), app.Call{}, ""); err != nil || len(problems) > 0 {
		t.Errorf("the ledger: %v, %v", problems, err)
	}
}

// Where there is nobody to confirm it, it holds after a day, and whoever has it by
// then logs in again.
func TestWhereNobodyConfirmsItWaitsADay(t *testing.T) {
	h := build(t)
	boss := h.admin()
	p := boss.decide("/people", "name", "ravi", "may", "pay")
	is(t, p, 200, "There is nobody yet who could confirm it")
	ravi := h.browser()
	h.at = h.at.Add(23 * time.Hour)
	is(t, ravi.post(link(t, p), "password", password, "password_again", password), 303)
	for range 2 {
		h.at = h.at.Add(29 * time.Minute)
		is(t, ravi.get("/"), 200, "It holds from")
	}
	h.at = h.at.Add(2 * time.Minute)
	is(t, ravi.get("/"), 303)
	is(t, ravi.post("/login", "name", "ravi", "password", password), 303)
	is(t, ravi.get("/"), 200, "Nobody could confirm it: it holds since")
}

// The policy: stricter at once, less by two people.
func TestThePolicyIsLoweredByTwo(t *testing.T) {
	h := build(t)
	boss, mina := h.admin(), h.invite("mina", "admin")
	is(t, boss.decide("/policy", twoPerson...), 303)
	is(t, boss.decide("/policy", "key", "nosuch", "value", "1", "reason", "x"), 422, "nosuch")
	lower := []string{"key", "two_person", "value", "false", "reason", "ravi is ill"}
	is(t, boss.decide("/policy", lower...), 303)
	is(t, boss.get("/policy"), 200, "two_person = false", "somebody else has to agree")
	is(t, boss.decide("/policy", lower...), 303)
	const notice = `<a href="/policy#waits"><b>Agree to a laxer policy, or not: two_person = false</b> by boss</a>`
	is(t, mina.get("/"), 200, "For you", notice)
	isNot(t, boss.get("/"), notice)
	p := mina.get("/policy")
	is(t, p, 200, "ravi is ill", "Agree: it is to be so")
	holds := func() bool {
		v, err := h.app.Policy(t.Context(), app.Call{})
		if err != nil {
			t.Fatal(err)
		}
		return v.Keys[0].Holds == "true"
	}
	if !holds() {
		t.Fatal("one person lowered the policy")
	}
	is(t, mina.decide("/policy", lower...), 303)
	if holds() {
		t.Error("two people did not lower it")
	}
}
