//go:build unix

package browsertest

import "testing"

// TestPeopleAndPolicyByKeyboard lets two admins, who have nothing but keys, say who may
// do what, and what people have to agree to: one gives, another confirms.
func TestPeopleAndPolicyByKeyboard(t *testing.T) {
	h := open(t, quick)
	meera := h.admin()
	kiran := meera.invites("kiran", "admin")
	asha := meera.invites("asha", "load")

	// what moves money waits for another than who gave it
	meera.open("/people/asha")
	meera.ticks("approve")
	meera.enter("Change")
	meera.sees("person changed by meera", "asha; may load, approve", "It waits for another admin", "Take it back")
	meera.doesNotSee("Confirm it")
	meera.look("person-waits")
	asha.isOut() // any change ends where they are logged in
	asha.logsIn()
	asha.sees("asha; may load, approve", "It waits for another admin")
	asha.doesNotSee("Confirm it", "Take it back")

	meera.enter("Take it back")
	meera.doesNotSee("It waits for another admin")
	asha.isOut()
	meera.open("/people/asha")
	meera.ticks("approve")
	meera.enter("Change")
	kiran.open("/")
	kiran.sees("Confirm what waits for asha; may load, approve")
	kiran.look("board-confirms")
	kiran.enter("Confirm it")
	kiran.sees("person confirmed by kiran")
	kiran.doesNotSee("Confirm what waits for asha")
	asha.logsIn()

	// stricter holds at once; less is proposed by one, and carried out by another
	meera.open("/policy")
	meera.sees("Off not set")
	meera.proposes("true", "as agreed")
	meera.sees("as the ledger says")
	meera.doesNotSee("Proposed, for another person")
	meera.proposes("false", "we are few")
	meera.sees("Proposed, for another person to carry out", "two_person = false by meera", "Another person has to agree")
	meera.look("policy-proposed")
	meera.proposes("false", "once more")
	meera.sees("Another person has to agree")
	meera.doesNotSee("Agree to this change")
	kiran.open("/")
	kiran.enter("Agree to a laxer policy, or not: two_person = false")
	kiran.sees("we are few")
	kiran.look("policy-to-agree")
	kiran.fills("Why", "two of us are ill")
	kiran.enter("Agree to this change")
	kiran.doesNotSee("Proposed, for another person")
	kiran.sees("Off not set")

	// a removed person is out, with the page that is open and its stream
	asha.open("/")
	kiran.open("/people/asha")
	kiran.enter("Remove asha")
	asha.isOut()
	asha.signsIn()
	asha.sees("The name or the password is not right")
	kiran.open("/people")
	kiran.doesNotSee("asha")

	kiran.open("/log?person=kiran")
	kiran.sees("person removed", "person confirmed", "policy set", "asha (at the desk, from 127.0.0.1, password")
}

// invites adds a person on the page of the people; they choose their password with the
// link that it shows, in a browser of their own.
func (p *person) invites(name string, may ...string) *person {
	p.Helper()
	p.open("/people")
	p.fills("Signs in as", name)
	for _, role := range may {
		p.ticks(role)
	}
	p.enter("Add and make a link")
	p.sees("The link for "+name, "Give it to "+name+" and no one else")
	p.look("invited")
	return p.joining(name, ask[string](p, `document.querySelector(".id code").innerText`))
}

// ticks goes to a box by Tab, and ticks it with the space bar.
func (p *person) ticks(box string) {
	p.Helper()
	p.fills(box, " ")
}

// proposes sets two_person on the page of the policy.
func (p *person) proposes(value, why string) {
	p.Helper()
	p.fills("Someone other than the planner approves each batch", map[string]string{"true": "yes", "false": "no"}[value])
	p.fills("Why", why)
	p.enter("Set it")
}

// isOut waits until the open page, which no one touches, is that of the login.
func (p *person) isOut() {
	p.Helper()
	p.until(`location.pathname === "/login"`, "is that of the login")
	p.doesNotSee("Log out")
}
