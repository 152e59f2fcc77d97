package ledger_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// house is a ledger of boss, who is admin, and of mina, who may approve.
func house(t *testing.T) *people {
	p := &people{TB: t}
	p.add("root", "boss", "", ledger.RoleAdmin)
	p.add("boss", "mina", "", ledger.RoleApprove)
	p.day()
	if got := p.may("mina"); got != "[approve]" {
		t.Fatalf("mina may %s", got)
	}
	return p
}

// confirmedBy says who may confirm what a person waits for, and that nobody else may.
func (p *people) confirmedBy(name string, by ...string) {
	p.Helper()
	waits, _ := p.Find(name)
	if waits.Waits == nil {
		p.Fatalf("nothing waits for %s", name)
	}
	before := *p
	for _, other := range p.People() {
		err := p.confirm(other.Name, name, waits.Waits.Event)
		if may := slices.Contains(by, other.Name); (err == nil) != may || p.MayConfirm(other, *waits.Waits) != may {
			p.Errorf("%s confirms what %s waits for: %v", other.Name, name, err)
		}
		*p = before
	}
}

// An admin who makes another admin, and is that person too, confirms nothing by it.
func TestAnAdminMadeByAnAdminConfirmsNothing(t *testing.T) {
	p := house(t)
	if e := p.add("boss", "boss2", "", ledger.RoleAdmin); !strings.Contains(e.Detail, "held for another person") || p.may("boss2") != "[view]" {
		t.Errorf("boss2 may %s by boss alone: %s", p.may("boss2"), e.Detail)
	}
	p.add("boss", "ravi", "", ledger.RolePay)
	p.confirmedBy("ravi", "mina")
	p.confirmedBy("boss2", "mina")
	p.Roster = p.Now(p.at().Add(1000 * time.Hour))
	if p.may("ravi") != "[view]" || p.may("boss2") != "[view]" {
		t.Errorf("though nobody confirmed it, ravi may %s, boss2 %s", p.may("ravi"), p.may("boss2"))
	}
}

// Whoever is alone waits a day for each that they give: what they gave a second
// person before makes the day of another no shorter.
func TestWhoeverGotItSinceConfirmsNothing(t *testing.T) {
	p := &people{TB: t}
	p.add("root", "boss", "", ledger.RoleAdmin)
	first := p.add("boss", "boss2", "", ledger.RoleAdmin)
	p.seq += 20
	later := p.add("boss", "ravi", "", ledger.RolePay)
	for _, e := range []ledger.Event{first, later} {
		if !strings.Contains(e.Detail, "held a day") {
			t.Errorf("%s", e.Detail)
		}
	}
	p.Roster = p.Now(first.At.Add(25 * time.Hour))
	if p.may("boss2") != "[admin]" || p.may("ravi") != "[view]" {
		t.Fatalf("boss2 may %s, ravi %s", p.may("boss2"), p.may("ravi"))
	}
	p.confirmedBy("ravi")
	p.Roster = p.Now(later.At.Add(24 * time.Hour))
	if p.may("ravi") != "[pay]" {
		t.Errorf("ravi may %s after a day", p.may("ravi"))
	}
}

// Of what a system user gives who is nobody of the desk, nobody is surely another:
// it holds after a day, in which everybody sees it. Said who it was, the others are.
func TestWhoGaveAtATerminalDoesNotConfirmAtTheDesk(t *testing.T) {
	p := house(t)
	if e := p.add("root", "ravi", "", ledger.RolePay); !strings.Contains(e.Detail, "held a day") {
		t.Errorf("%s", e.Detail)
	}
	p.confirmedBy("ravi")
	p.change("boss", "boss", "root", "", ledger.RoleAdmin)
	p.confirmedBy("boss", "mina") // that boss is root
	waits, _ := p.Find("boss")
	if err := p.confirm("mina", "boss", waits.Waits.Event); err != nil {
		t.Fatal(err)
	}
	p.confirmedBy("ravi", "mina")
}

// Who gave what waits has given it still when another changes the person: neither of
// them confirms it, and a link that waits is not lost.
func TestWhatWaitsStaysWhoGaveIt(t *testing.T) {
	p := house(t)
	p.add("boss", "boss2", "", ledger.RoleAdmin)
	waits, _ := p.Find("boss2")
	if err := p.confirm("mina", "boss2", waits.Waits.Event); err != nil {
		t.Fatal(err)
	}
	p.add("boss", "ravi", "", ledger.RolePay)
	p.change("boss", "ravi", "", "new link", ledger.RolePay)
	p.change("boss2", "ravi", "", "", ledger.RoleLoad, ledger.RolePay)
	p.confirmedBy("ravi", "mina")
	ravi, _ := p.Find("ravi")
	if g := ravi.Waits; strings.Join(g.Givers(), " ") != "boss2 boss" || g.Link != "new link" {
		t.Errorf("what waits for ravi: %+v", g)
	}
	if err := p.confirm("mina", "ravi", ravi.Waits.Event); err != nil {
		t.Fatal(err)
	}
	if _, open := p.ByLink("new link", p.at().Add(23*time.Hour)); !open || p.may("ravi") != "[load pay]" {
		t.Errorf("the link is open: %t; ravi may %s", open, p.may("ravi"))
	}
	p.change("boss", "ravi", "rk", "", ledger.RoleLoad, ledger.RolePay)
	p.change("boss2", "ravi", "", "", ledger.RoleLoad)
	p.confirmedBy("ravi", "mina") // the system user, of boss
	p.change("boss2", "ravi", "rk3", "", ledger.RoleLoad)
	p.confirmedBy("ravi", "boss", "mina")
	if err := p.confirm("mina", "ravi", 1); err == nil {
		t.Error("another event was confirmed")
	}
}

// A system user is nobody's until another person says so too: till then who loaded
// as that system user is not told apart from who approves.
func TestASystemUserWaits(t *testing.T) {
	p := house(t)
	p.add("boss", "ravi", "", ledger.RoleLoad)
	e := p.change("boss", "ravi", "mk", "", ledger.RoleLoad)
	if at, is := p.At("mk"); is || p.Apart("mk", "mina") == nil || !strings.Contains(e.Detail, "held for another person") {
		t.Errorf("mk is %s by one person's word: %s", at.Name, e.Detail)
	}
	if _, err := p.try(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "mk", May: []ledger.Role{ledger.RoleView}, Actor: "boss"}); err == nil {
		t.Error("a person has the name of the system user that waits for another")
	}
	if _, err := p.try(ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: "mina", May: []ledger.Role{ledger.RoleApprove}, System: "MK", Actor: "boss"}); err == nil {
		t.Error("two people wait for one system user")
	}
	p.confirmedBy("ravi", "mina")
	ravi, _ := p.Find("ravi")
	if err := p.confirm("mina", "ravi", ravi.Waits.Event); err != nil {
		t.Fatal(err)
	}
	if at, _ := p.At("mk"); at.Name != "ravi" || p.Apart("mk", "mina") != nil || p.Apart("mk", "ravi") == nil {
		t.Errorf("mk is %q", at.Name)
	}
	p.change("boss", "ravi", "mk", "", ledger.RoleLoad) // who they are already
	if ravi, _ := p.Find("ravi"); ravi.Waits != nil {
		t.Errorf("it waits again: %+v", ravi.Waits)
	}
}

// Nobody is locked out: where there is nobody else, all holds at once; the last admin
// stays until another is; and a new link for an admin is a day away at most.
func TestNobodyIsLockedOut(t *testing.T) {
	p := &people{TB: t}
	p.add("root", "boss", "root", ledger.RoleAdmin)
	p.change("root", "boss", "root2", "forgot", ledger.RoleAdmin)
	if at, _ := p.At("root2"); at.Name != "boss" || p.may("boss") != "[admin]" {
		t.Errorf("root2 is %q, who may %s", at.Name, p.may("boss"))
	}
	if _, open := p.ByLink("forgot", p.at()); !open {
		t.Error("the link of a ledger of one waits")
	}
	if len(p.Told(p.at())) != 2 { // which system user boss is
		t.Errorf("told: %+v", p.Told(p.at()))
	}
	p.add("boss", "boss2", "", ledger.RoleAdmin)
	if _, err := p.try(ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: "boss", Actor: "boss"}); err == nil {
		t.Error("the last admin went while another waits to be one")
	}
	p.change("boss", "boss", "", "forgot again", ledger.RoleAdmin)
	if _, open := p.ByLink("forgot again", p.at()); open {
		t.Error("a link for an admin is open at once")
	}
	p.day()
	if _, open := p.ByLink("forgot again", p.at()); !open || p.may("boss2") != "[admin]" {
		t.Errorf("after a day the link is open: %t; boss2 may %s", open, p.may("boss2"))
	}
	p.must(ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: "boss", Actor: "boss"})
	p.change("boss2", "boss2", "rk", "alone again", ledger.RoleAdmin)
	if _, open := p.ByLink("alone again", p.at()); !open {
		t.Error("whoever is left alone waits")
	}
}

// What was given while admin and system users held at once, holds; what waited then is
// confirmed by whoever surely is another now. From the first that waits on, each does.
func TestWhatWasGivenBeforeAdminsWaitedHolds(t *testing.T) {
	p := &people{TB: t}
	p.add("root", "boss", "", ledger.RoleAdmin)
	old := func(kind, actor, detail string) error {
		p.seq++
		return p.Follow(ledger.Event{Seq: p.seq, At: p.at(), Actor: actor, Kind: kind, Detail: detail})
	}
	until := "; until " + t0.Add(1000*time.Hour).Format(time.RFC3339)
	for _, e := range [][3]string{
		{ledger.EventPersonAdded, "root", "mina; may approve; waits for another person; link a" + until},
		{ledger.EventPersonConfirmed, "boss", "mina; event 3"}, // who may be root
		{ledger.EventPasswordSet, "mina", "mina; link a; password x"},
		{ledger.EventPersonAdded, "boss", "boss2; may admin; system user rk; link b" + until},
		{ledger.EventPasswordSet, "boss2", "boss2; link b; password x"},
		{ledger.EventPersonChanged, "boss", "boss2; may admin; link c" + until},
		{ledger.EventPersonAdded, "boss", "ravi; may pay; waits for another person; link d" + until},
		{ledger.EventPersonAdded, "root", "eve; may pay; waits for another person; link e" + until},
	} {
		if err := old(e[0], e[1], e[2]); err != nil {
			t.Fatal(err)
		}
	}
	if at, _ := p.At("rk"); at.Name != "boss2" || p.may("boss2") != "[admin]" || p.may("mina") != "[approve]" {
		t.Errorf("rk is %q; boss2 may %s, mina %s", at.Name, p.may("boss2"), p.may("mina"))
	}
	if _, open := p.ByLink("c", p.at()); !open {
		t.Error("the link of an admin waits")
	}
	p.confirmedBy("eve")
	ravi, _ := p.Find("ravi")
	if err := p.confirm("boss2", "ravi", ravi.Waits.Event); err != nil || p.may("ravi") != "[pay]" {
		t.Errorf("%v; ravi may %s", err, p.may("ravi"))
	}
	if e := p.change("mina", "eve", "", "", ledger.RolePay); !strings.Contains(e.Detail, "held for another person") && !strings.Contains(e.Detail, "held a day") {
		t.Errorf("%s", e.Detail)
	}
	for _, detail := range []string{"kim; may admin", "kim; may load; system user kk", "kim; may pay; waits for another person", "kim; may pay; waits a day", "kim; may load; held a day"} {
		if err := old(ledger.EventPersonAdded, "boss", detail); err == nil {
			t.Errorf("%q was followed", detail)
		}
	}
}
