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
	{"second factors are their person's, kept with the passwords, and no part of the trail", factorsAreOnesOwn},
	{"a link sets a password once and in its time, and the password is no part of the trail", aLinkWorksOnce},
}

// sameRoster compares the people in a and b, without unexported fields.
func sameRoster(a, b ledger.Users) bool {
	return cmp.Equal(a.People(), b.People(), cmpopts.IgnoreUnexported(ledger.Person{}))
}

// terminal is a system user who changes people while there is no admin.
const terminal = "uid:1001"

func added(name string, at time.Time, may ...ledger.Role) ledger.PersonChange {
	return ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: name, May: may, Link: hash("link of " + name), Until: at.Add(time.Hour), Actor: terminal, At: at}
}

func theRosterIsItsEvents(t testing.TB, o Opener) {
	d := begin(t, o)
	changed := func(name string, may ...ledger.Role) ledger.PersonChange {
		return ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: name, May: may, Actor: terminal, At: minute(5)}
	}
	removed := func(name string) ledger.PersonChange {
		return ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: name, Actor: terminal, At: minute(6)}
	}
	for i, c := range []struct {
		change ledger.PersonChange
		takes  bool
	}{
		{added("ravi", minute(1), ledger.RoleLoad), false}, // the first person must be admin
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
		{removed("asha"), true},
		{removed("asha"), false},
		{added("asha", minute(7), ledger.RoleView), false}, // a name is never given twice
		{changed("mina", ledger.RoleView), false},
		{ledger.PersonChange{Kind: ledger.EventPersonAdded, First: true, Name: "mina", May: []ledger.Role{ledger.RoleAdmin}, Actor: "mina", At: minute(8)}, false},
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
	roster, _, err := d.UsersAndPolicy(d.ctx)
	d.must(err)
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
	d.must(d.ChangePeople(d.ctx, added("asha", minute(1), ledger.RoleAdmin)))
	const kept = "$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA"
	join := func(link string, at time.Time) error {
		return d.ChangePeople(d.ctx, ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: "asha", Link: link, Stored: kept, Actor: "asha", At: at})
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
	roster, _, err := d.UsersAndPolicy(d.ctx)
	d.must(err)
	p, _ := roster.Find("asha")
	if got, err := d.StoredSecret(d.ctx, p, p.Password); err != nil || got != kept {
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

// The person who planned a batch cannot approve it as another actor, and cannot make the policy laxer
// alone.
func onePersonIsNotTwo(t testing.TB, o Opener) {
	d := begin(t, o)
	changes := func(list ...ledger.PersonChange) {
		d.Helper()
		d.must(d.ChangePeople(d.ctx, list...))
	}
	id := d.load("nov", 1, 1)[0].ID // by asha
	boss := added("boss", minute(20), ledger.RoleAdmin)
	boss.Terminal = terminal
	changes(boss)
	as := func(name string, may ledger.Role) ledger.PersonChange {
		c := added(name, minute(21), may)
		c.Actor = "boss"
		return c
	}
	mina := as("mina", ledger.RoleApprove)
	mina.Terminal = "uid:1002"
	changes(as(asha, ledger.RoleApprove), mina, as(ravi, ledger.RoleApprove), as("lila", ledger.RoleLoad))
	tie := ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: asha, May: []ledger.Role{ledger.RoleApprove}, Terminal: "uid:1003", Actor: "boss", At: minute(22)}
	changes(tie)
	before := d.world()
	for name, actor := range map[string]string{"who planned it": asha, "at a terminal": "uid:1003", "who has no role": "lila", "a user who is nobody": "uid:1004", "root": ledger.UID(0)} {
		if err := d.Approve(d.ctx, ledger.Approving{Approval: approval(actor, id, hash("x"), minute(23))}); !errors.Is(err, ledger.ErrTransition) || !errors.Is(err, ledger.ErrNotApart) {
			d.Errorf("%s: %v", name, err)
		}
	}
	d.is(before, "who is not another approves")
	for _, other := range []string{ravi, "uid:1002"} {
		if err := d.Approve(d.ctx, ledger.Approving{Approval: approval(other, id, hash("x"), minute(24))}); err != nil {
			d.Errorf("%s: %v", other, err)
		}
	}
	for _, c := range []struct{ actor, value, kind string }{
		{"boss", "true", ledger.EventPolicySet}, {"uid:1003", "false", ledger.EventPolicyProposed}, {asha, "false", ledger.EventPolicyProposed},
		{ravi, "false", ledger.EventPolicyProposed}, {"boss", "false", ledger.EventPolicySet},
	} {
		e, err := d.SetPolicy(d.ctx, change(c.actor, "two_person", c.value, minute(26)))
		if err != nil || e.Kind != c.kind {
			d.Errorf("%s: %+v, %v", c.actor, e, err)
		}
	}
	d.whole()
}

func factorsAreOnesOwn(t testing.TB, o Opener) {
	d := begin(t, o)
	const kept, key = "$totp$JBSWY3DPEHPK3PXP", `$passkey${"site":"localhost"}`
	link := hash("link of boss")
	boss := added("boss", minute(20), ledger.RoleAdmin)
	boss.First, boss.Link, boss.Until = true, link, minute(30)
	fails := func(err error, what string) {
		if _, ok := errors.AsType[*ledger.PeopleError](err); !ok {
			d.Errorf("%s: %v", what, err)
		}
	}
	add := func(actor, kept string) error {
		return d.ChangePeople(d.ctx, ledger.PersonChange{Kind: ledger.EventFactorAdded, Name: "boss", Factor: ledger.FactorTOTP, Label: "phone", Stored: kept, Actor: actor, At: minute(22)})
	}
	d.must(d.ChangePeople(d.ctx, boss))
	fails(add("boss", kept), "before the password")
	d.must(d.ChangePeople(d.ctx, ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: "boss", Link: link, Stored: keptPassword, Actor: "boss", At: minute(21)}))
	fails(add("ravi", kept), "by another")
	d.must(errors.Join(add("boss", kept), add("boss", key)))
	fails(d.ChangePeople(d.ctx, ledger.PersonChange{Kind: ledger.EventFactorRemoved, Name: "boss", Secret: hash("other"), Actor: "boss", At: minute(23)}), "one that is not theirs")
	d.reopen()
	roster, _, err := d.UsersAndPolicy(d.ctx)
	p, _ := roster.Find("boss")
	if err != nil || len(p.Factors) != 2 || p.Factors[0].Label != "phone" {
		d.Fatalf("%+v, %v", p, err)
	}
	for i, want := range []string{kept, key} {
		if got, err := d.StoredSecret(d.ctx, p, p.Factors[i].Name); err != nil || got != want {
			d.Errorf("kept is %q, %v", got, err)
		}
	}
	if err := d.Events(d.ctx, func(e ledger.Event) error {
		if strings.Contains(e.Detail, "JBSWY3DP") || strings.Contains(e.Detail, "localhost") {
			d.Errorf("the trail tells %s", e.Detail)
		}
		return nil
	}); err != nil {
		d.Error(err)
	}
	reset := ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: "boss", May: []ledger.Role{ledger.RoleAdmin}, NoFactors: true, Actor: "boss", At: minute(24)}
	if err := errors.Join(d.ChangePeople(d.ctx, ledger.PersonChange{Kind: ledger.EventFactorRemoved, Name: "boss", Secret: p.Factors[0].Name, Actor: "boss", At: minute(23)}), d.ChangePeople(d.ctx, reset)); err != nil {
		d.Error(err)
	}
	roster, _, err = d.UsersAndPolicy(d.ctx)
	if p, _ := roster.Find("boss"); err != nil || len(p.Factors) > 0 {
		d.Errorf("%+v, %v", p, err)
	}
	d.whole()
}
