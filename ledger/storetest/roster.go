package storetest

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"payrun/ledger"
)

var rosters = []Check{
	{"who may use the desk is what the audit trail says", theRosterIsItsEvents},
	{"a person is one person, at the desk and at a terminal", onePersonIsNotTwo},
	{"a link sets a password once and in its time, and the password is no part of the trail", aLinkWorksOnce},
}

// aDay is how many minutes what one person gives waits, where nobody confirms it.
const aDay = 24 * 60

// sameRoster compares two by all that they tell.
func sameRoster(a, b ledger.Roster) bool {
	return cmp.Equal(a.People(), b.People(), cmpopts.IgnoreUnexported(ledger.Person{}, ledger.Grant{}))
}

func added(name string, at time.Time, may ...ledger.Role) ledger.PersonChange {
	return ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: name, May: may, Link: hash("link of " + name), Until: at.Add(time.Hour), Actor: asha, At: at}
}

func theRosterIsItsEvents(t testing.TB, o Opener) {
	d := begin(t, o)
	changed := func(name string, may ...ledger.Role) ledger.PersonChange {
		return ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: name, May: may, Actor: asha, At: minute(5)}
	}
	removed := func(name string) ledger.PersonChange {
		return ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: name, Actor: asha, At: minute(6 + aDay)}
	}
	for i, c := range []struct {
		change ledger.PersonChange
		takes  bool
	}{
		{added("ravi", minute(1), ledger.RoleLoad), false}, // the first is admin
		{added("asha", minute(1), ledger.RoleAdmin), true},
		{added("asha", minute(2), ledger.RoleView), false},
		{added("Ravi", minute(2), ledger.RoleView), false},
		{added("..", minute(2), ledger.RoleView), false},
		{added("ravi; may admin", minute(2), ledger.RoleView), false},
		{added(strings.Repeat("a", 41), minute(2), ledger.RoleView), false},
		{added(strings.Repeat("a", 40), minute(2), ledger.RoleView), true},
		{added("ravi", minute(2), "root"), false},
		{added("ravi", minute(2)), false},
		{added("ravi", minute(2), ledger.RolePay, ledger.RoleAdmin), false},
		{added("ravi", minute(2), ledger.RoleLoad, ledger.RolePay), true},
		{changed("asha", ledger.RoleView), false}, // the only admin
		{removed("asha"), false},
		{changed("ravi", ledger.RoleAdmin), true},
		{ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: "asha", Actor: asha, At: minute(6)}, false}, // ravi is not yet
		{removed("asha"), true},
		{removed("asha"), false},
		{added("asha", minute(7+aDay), ledger.RoleView), false}, // never again
		{changed("mina", ledger.RoleView), false},
		{ledger.PersonChange{Kind: ledger.EventPersonAdded, First: true, Name: "mina", May: []ledger.Role{ledger.RoleAdmin}, Actor: "mina", At: minute(8 + aDay)}, false},
	} {
		before := d.world()
		err := d.ChangePeople(d.ctx, c.change)
		if (err == nil) != c.takes {
			d.Errorf("%d: %v; taken: %v", i, err, c.takes)
		}
		if _, words := errors.AsType[*ledger.PeopleError](err); !c.takes && !words {
			d.Errorf("%d: %v is not said to the person", i, err)
		}
		if err != nil {
			d.is(before, "a refused change, %d", i)
		}
	}
	d.reopen()
	roster, err := d.Roster(d.ctx)
	if err != nil {
		d.Fatal(err)
	}
	var names []string
	for _, p := range roster.People() {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{strings.Repeat("a", 40), "ravi"}, names); diff != "" {
		d.Errorf("the people (-want +got):\n%s", diff)
	}
	if p, _ := roster.Find("ravi"); !p.Can(ledger.RoleAdmin) || p.Can(ledger.RolePay) || !p.Can(ledger.RoleView) {
		d.Errorf("ravi is %+v", p)
	}
	d.whole()
}

func aLinkWorksOnce(t testing.TB, o Opener) {
	d := begin(t, o)
	if err := d.ChangePeople(d.ctx, added("asha", minute(1), ledger.RoleAdmin)); err != nil {
		d.Fatal(err)
	}
	const kept = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"
	join := func(link string, at time.Time) error {
		return d.ChangePeople(d.ctx, ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: "asha", Link: link, Kept: kept, Actor: "asha", At: at})
	}
	if err := join(hash("another"), minute(2)); err == nil {
		d.Error("another link set the password")
	}
	if err := join(hash("link of asha"), minute(61)); err == nil {
		d.Error("the link set the password when its hour was over")
	}
	if err := join(hash("link of asha"), minute(60)); err != nil {
		d.Error(err)
	}
	if err := join(hash("link of asha"), minute(60)); err == nil {
		d.Error("the link set a second password")
	}
	roster, err := d.Roster(d.ctx)
	if err != nil {
		d.Fatal(err)
	}
	p, _ := roster.Find("asha")
	if got, err := d.Password(d.ctx, p); err != nil || got != kept {
		d.Errorf("what is kept is %q, %v", got, err)
	}
	if err := d.RecordLogin(d.ctx, ledger.Login{From: "127.0.0.1", Kind: ledger.EventLoginRefused, At: minute(62)}); err != nil {
		d.Error(err)
	}
	for _, e := range d.world().Events {
		if strings.Contains(e.Detail, "argon2id") || e.Kind == ledger.EventLoginRefused && e.Actor != "(nobody)" {
			d.Errorf("the trail says %+v", e)
		}
	}
	d.whole()
}

// R2: whoever planned a batch does not approve it by another name of theirs, nor
// lower the policy alone; and where nobody knows whose name it is, nobody approves.
func onePersonIsNotTwo(t testing.TB, o Opener) {
	st := tell(t, o) // asha planned it, at a terminal
	approve := func(actor string, at time.Time) error {
		return st.Approve(st.ctx, ledger.Approving{Approval: approval(actor, st.planned, hash("x"), at)})
	}
	changes := func(list ...ledger.PersonChange) {
		st.Helper()
		if err := st.ChangePeople(st.ctx, list...); err != nil {
			st.Fatal(err)
		}
	}
	boss := added("boss", minute(20), ledger.RoleAdmin)
	mina := added("mina", minute(20), ledger.RoleLoad)
	changes(boss, mina)
	before := st.world()
	for name, actor := range map[string]string{"a person, of who was nobody's": "mina", "another, in capitals": "BOSS"} {
		if err := approve(actor, minute(21)); !errors.Is(err, ledger.ErrTransition) {
			st.Errorf("%s: %v", name, err)
		}
	}
	st.is(before, "who may be the planner approves")
	is := func(name, system string, at int) {
		st.Helper()
		changes(ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: name, May: []ledger.Role{ledger.RoleLoad}, System: system, Actor: "boss", At: minute(at)})
	}
	is("mina", asha, 22)
	if err := approve("mina", minute(23+aDay)); !errors.Is(err, ledger.ErrTransition) {
		st.Errorf("who was asha at the terminal: %v", err)
	}
	is("mina", "mina.k", 23+aDay)
	if err := approve("mina.k", minute(24+2*aDay)); !errors.Is(err, ledger.ErrTransition) {
		st.Errorf("who once was asha at the terminal: %v", err)
	}
	for _, other := range []string{"boss", ravi} { // a person, and a system user as ever
		if err := approve(other, minute(25+2*aDay)); err != nil {
			st.Errorf("%s: %v", other, err)
		}
	}
	for _, c := range []struct{ actor, kind string }{{"x", ledger.EventPolicySet}, {asha, ledger.EventPolicyProposed}, {"mina", ledger.EventPolicyProposed}, {"mina.k", ledger.EventPolicyProposed}, {"boss", ledger.EventPolicySet}} {
		value := "false"
		if c.actor == "x" {
			value = "true"
		}
		e, err := st.SetPolicy(st.ctx, change(c.actor, "two_person", value, minute(26+2*aDay)))
		if err != nil || e.Kind != c.kind {
			st.Errorf("%s: %+v, %v", c.actor, e, err)
		}
	}
	st.whole()
}
