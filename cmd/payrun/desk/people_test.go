package desk

import (
	"fmt"
	"html"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// link is the one-time link that a page shows.
func link(t *testing.T, p page) string {
	t.Helper()
	return p.part(t, `http://127\.0\.0\.1:8660(/join/[A-Za-z0-9_-]{43})<`)
}

// event is the number in the form of a page that answers what waits for a person.
func event(t *testing.T, p page, action string) string {
	t.Helper()
	return p.part(t, `(?s)action="`+action+`".*?name="event" value="(\d+)"`)
}

// The people are changed at the desk as they are at a terminal.
func TestPeopleAreChangedAtTheDesk(t *testing.T) {
	h, b := withAdmin(t)
	is(t, b.get("/people"), 200, "boss", `name="may" value="approve"`)
	is(t, b.decide("/people", "name", "the boss", "may", "load"), 422, "no name for a person", `value="the boss"`, `value="load" checked`)
	is(t, b.decide("/people", "name", "ravi"), 422, "No role is given")
	is(t, b.decide("/people", "name", "ravi", "may", "load", "system_user", "nobody-has-this-name"), 422, "This system has no user")
	is(t, b.decide("/people", "name", "ravi", "may", "load", "system_user", "0"), 422, "root is every user")
	p := b.decide("/people", "name", "Ravi", "may", "load,view", "system_user", "61007")
	is(t, p, 200, "ravi")
	ravi := h.browser()
	is(t, ravi.post(link(t, p), "password", password, "password_again", password), 303)
	is(t, ravi.get("/people"), 403, "needs the role admin")
	is(t, ravi.get("/people/boss"), 403)
	is(t, ravi.get("/policy"), 403)
	isNot(t, ravi.get("/"), "/people", "/policy") // which are not for them
	is(t, b.get("/people"), 200, "uid:61007", "load")
	is(t, b.get("/people/ravi"), 200, `value="load" checked`, `value="uid:61007"`)
	is(t, b.get("/people/nobody"), 404)
	is(t, b.decide("/people/nobody", "may", "load"), 404)
	is(t, b.decide("/people/ravi", "may", "view", "system_user", "61007"), 303)
	is(t, ravi.get("/"), 303) // L1: out, and in again with other roles
	is(t, ravi.post("/login", "name", "ravi", "password", password), 303)
	is(t, ravi.get("/"), 200, "person changed", "boss", "ravi; may view")
	is(t, b.decide("/people/ravi", "may", "view", "system_user", ""), 303)
	isNot(t, b.get("/people/ravi"), `value="uid:61007"`)
	is(t, ravi.get("/"), 303)
	is(t, ravi.post("/login", "name", "ravi", "password", password), 303)
	p = b.decide("/people/ravi", "new_link", "yes")
	is(t, ravi.get("/"), 303)
	is(t, ravi.post(link(t, p), "password", "another long one", "password_again", "another long one"), 303)
	is(t, ravi.get("/"), 200, "a link to choose a password")
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

// A new team reads what to do to be two people, until it has them.
func TestTheBoardTellsANewTeamHowToBeTwo(t *testing.T) {
	h, boss := withAdmin(t)
	is(t, boss.get("/"), 200, html.EscapeString(app.TwoPeople(config.Settings{})))
	h.invite("mina", "pay")
	isNot(t, boss.get("/"), html.EscapeString(app.TwoPeople(config.Settings{})))
}

// Where there are two admins another one confirms what gives power; on everybody's
// board for a week.
func TestAnotherAdminConfirms(t *testing.T) {
	h, boss := withAdmin(t)
	mina := h.invite("mina", "admin")
	meera := h.invite("meera", "view")
	p := boss.decide("/people", "name", "ravi", "may", "pay")
	is(t, p, 200, "Another admin confirms it")
	path := link(t, p)
	ravi := h.browser()
	is(t, ravi.post(path, "password", password, "password_again", password), 401)
	is(t, meera.get("/"), 200, "person added", "ravi; may pay", "It waits for another admin")
	for _, b := range []*browser{meera, boss} {
		isNot(t, b.get("/"), "/people/ravi/confirm")
	}
	isNot(t, meera.get("/"), "/people/ravi/take-back")
	is(t, meera.decide("/people/ravi/confirm"), 403, "needs the role admin")
	is(t, meera.decide("/people/ravi/take-back"), 403, "needs the role admin")
	id := event(t, mina.get("/"), "/people/ravi/confirm")
	is(t, boss.decide("/people/ravi/confirm", "event", id), 403, "waits for another admin")
	is(t, mina.decide("/people/nobody/confirm"), 404)
	const notice = `<a href="#given">Confirm what waits for ravi; may pay; a link to choose a password</a> <small>by boss</small>`
	is(t, mina.get("/"), 200, "1 thing waits for you", notice)
	isNot(t, boss.get("/"), notice)
	is(t, mina.decide("/people/ravi/confirm", "event", "1"), 409, "look at it again")
	is(t, mina.decide("/people/ravi/confirm", "event", id), 303)
	is(t, mina.decide("/people/ravi/confirm", "event", id), 409)
	is(t, ravi.post(path, "password", password, "password_again", password), 303)
	is(t, ravi.get("/"), 200, "person confirmed")
	same(t, "ravi may pay", h.who("ravi").Can(ledger.RolePay), true)
	is(t, boss.decide("/people/ravi", "may", "approve"), 303)
	id = event(t, boss.get("/"), "/people/ravi/take-back")
	is(t, boss.decide("/people/ravi/take-back", "event", "1"), 409)
	is(t, boss.decide("/people/ravi/take-back", "event", id), 303)
	isNot(t, mina.get("/"), "/people/ravi/confirm")
	h.at = h.at.Add(8 * 24 * time.Hour)
	is(t, mina.post("/login", "name", "mina", "password", password), 303)
	isNot(t, mina.get("/"), "ravi; may")
	h.isWhole()
}

// The same request of another admin confirms what waits, at a terminal too.
func TestTheSameRequestConfirms(t *testing.T) {
	h, _ := withAdmin(t)
	h.invite("mina", "admin")
	h.invite("ravi", "load")
	for _, req := range []app.PersonRequest{
		{Name: "ravi", May: []string{"pay"}}, {Name: "ravi", System: "61007"}, {Name: "ravi", NewLink: true}, {Name: "ravi", Untie: true},
	} {
		ask := func(who string) app.Invited {
			return need(h.app.ChangePerson(t.Context(), h.asked(who), req))(t)
		}
		for _, what := range []string{"nothing waits", "boss confirmed what boss gave"} {
			if got := ask("boss"); got.Waits == nil {
				t.Errorf("%+v: %s: %+v", req, what, got)
			}
		}
		if got := ask("mina"); got.Waits != nil || got.Link != "" {
			t.Errorf("%+v: it waits still: %+v", req, got)
		}
	}
	h.has(ledger.EventPersonConfirmed, 4)
}

// The policy: stricter at once, less by two people, of whom one is admin.
func TestThePolicyIsLoweredByTwo(t *testing.T) {
	h := build(t)
	boss, mina, ravi := h.admin(), h.invite("mina", "approve"), h.invite("ravi", "pay")
	is(t, boss.decide("/policy", twoPerson...), 303)
	is(t, boss.decide("/policy", "key", "nosuch", "value", "1", "reason", "x"), 422, "nosuch")
	is(t, mina.decide("/policy", "key", "confirm_above", "value", "5", "reason", "x"), 403, "is no admin")
	lower := []string{"key", "two_person", "value", "false", "reason", "ravi is ill"}
	is(t, ravi.decide("/policy", lower...), 403)
	is(t, boss.decide("/policy", lower...), 303)
	is(t, boss.get("/policy"), 200, "two_person = false", "Another person has to agree")
	is(t, boss.decide("/policy", lower...), 303)
	const notice = `<a href="/policy#waits">Agree to a laxer policy, or not: two_person = false</a> <small>by boss</small>`
	is(t, mina.get("/"), 200, "2 things wait for you", notice)
	isNot(t, boss.get("/"), notice)
	p := mina.get("/policy")
	is(t, p, 200, "ravi is ill", "Agree to this change")
	holds := func() string { return need(h.app.Policy(t.Context(), app.Call{}))(t).Keys[0].Holds }
	same(t, "by one person", holds(), "true")
	is(t, mina.decide("/policy", lower...), 303)
	same(t, "by two people it still holds", holds() == "true", false)
}

// One of the two is an admin: what an approver proposed waits for an admin, and not for another approver.
func TestAnApproversProposalIsForAnAdmin(t *testing.T) {
	h := build(t)
	boss, mina, lata := h.admin(), h.invite("mina", "approve"), h.invite("lata", "approve")
	is(t, boss.decide("/policy", twoPerson...), 303)
	is(t, mina.decide("/policy", "key", "two_person", "value", "false", "reason", "ravi is ill"), 303)
	is(t, boss.get("/"), 200, "Agree to a laxer policy, or not")
	is(t, boss.get("/policy"), 200, "Agree to this change")
	isNot(t, lata.get("/"), "Agree to a laxer policy")
	is(t, lata.get("/policy"), 200, "Another person has to agree")
	is(t, boss.decide("/people/mina", "may", "load"), 303) // then her proposal does not count
	isNot(t, boss.get("/"), "Agree to a laxer policy")
	is(t, boss.get("/policy"), 200, "Another person has to agree")
}

// asked is what a person of the desk asks for, with their proof.
func (h *house) asked(name string) app.Call {
	return app.Call{Actor: name, LoggedIn: true, Proof: "of a test"}
}

func refused(t *testing.T, err error, code app.Code, words string) {
	t.Helper()
	if e := app.Worst(err); e == nil || e.Code != code || !strings.Contains(err.Error(), words) {
		t.Errorf("%v, want %s: %q", err, code, words)
	}
}

// atTerminal is someone at a terminal, who is no one of the desk until they are tied.
const atTerminal = "uid:61001"

// R2: no one loads at a terminal and approves at the desk, or the other way round; and
// who can be none of two people decides nothing that takes two.
func TestNobodyIsTwoByComingTwoWays(t *testing.T) {
	h := build(t)
	h.adminWho("approve")
	h.invite("mina", "load", "approve")
	need(h.app.ChangePerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "mina", System: "61001"}))(t)
	need(h.app.SetPolicy(t.Context(), h.asked("boss"), ledger.PolicyChange{Key: ledger.PolicyTwoPerson, Value: "true", Reason: "as agreed"}))(t)
	need(h.app.Load(t.Context(), app.Call{Actor: atTerminal}, []string{h.file("nov.csv", sheetOf("INV/1"))}, app.SheetOptions{}))(t)
	approve := h.approving(h.batches()[0].ID)
	n := len(h.events())
	for actor, words := range map[string]string{
		atTerminal:             "planned it, and cannot approve it", // mina, at the terminal
		"uid:61002":            "belongs to no person on record",
		ledger.UID(0):          "root (uid 0)",
		ledger.MappedUID(1002): "user namespace",
	} {
		_, err := h.app.Approve(t.Context(), app.Call{Actor: actor}, approve)
		refused(t, err, app.NeedsPerson, words)
	}
	_, err := h.app.Approve(t.Context(), h.asked("mina"), approve)
	refused(t, err, app.NeedsPerson, "planned it, and cannot approve it")
	_, err = h.app.Approve(t.Context(), h.asked("boss"), approve)
	refused(t, err, app.NeedsPerson, "does not have the role approve")
	_, err = h.app.Initiate(t.Context(), app.Call{Actor: atTerminal}, app.InitiateRequest{Batches: []string{approve.ReviewedBatches.Batches[0].BatchID}}) // mina does not pay
	refused(t, err, app.NeedsPerson, "does not have the role pay")
	if _, err := h.app.Approve(t.Context(), app.Call{Actor: "ravi", LoggedIn: true}, approve); !strings.Contains(fmt.Sprint(err), "without a proof") {
		t.Errorf("without a proof: %v", err)
	}
	_, err = h.app.ChangePerson(t.Context(), app.Call{Actor: "uid:61002"}, app.PersonRequest{Name: "ravi", System: "61002"})
	refused(t, err, app.NeedsPerson, "is no admin")
	h.recorded(n)
	need(h.app.Approve(t.Context(), h.asked("ravi"), approve))(t)
	eventSays(t, h.last(), "\n"+ledger.EventApproved+" by ravi\n", "\nproof: of a test\n")
	h.isWhole()
}

// Who was removed, or may no longer, while their decision waited for the ledger,
// decides nothing.
func TestADecisionOfWhoIsGoneIsNone(t *testing.T) {
	h := build(t, "INV/1").twoPeople()
	call := h.asked("meera")
	call.Person = h.who("meera")
	req := h.approving(h.batches()[0].ID)
	fine(t, h.app.RemovePerson(t.Context(), h.asked("boss"), "meera"))
	_, err := h.app.Approve(t.Context(), call, req)
	refused(t, err, app.NeedsPerson, "changed, or they were removed")
	j := &job{task: task{Verb: "initiate", Page: "/batches/x"}, jobs: h.jobs}
	if why := h.wrong(j, nil, err); why == nil || !strings.Contains(why.What, "What meera may do was changed, or they were removed") || !strings.HasPrefix(why.Do, "Nothing was done") {
		t.Errorf("its page says %+v", why) // nothing of the batch
	}
	call = h.asked("asha")
	call.Person = h.who("asha")
	up := need(h.uploads.Bring("asha", "nov.csv", strings.NewReader(sheetOf("INV/2"))))(t)
	seen := need(h.uploads.Review(t.Context(), call, up.ID, app.Part{}))(t)
	need(h.app.ChangePerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "asha", May: []string{"view"}}))(t)
	up, err = h.uploads.Load(t.Context(), call, up.ID, app.Agreed{SHA256: seen.Sheet.Sheet.SHA256, Plan: seen.Plan})
	refused(t, err, app.NeedsPerson, "changed, or they were removed")
	same(t, "the sheet that was loaded", up.SheetID, "")
}
