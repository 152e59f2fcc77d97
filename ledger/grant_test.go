package ledger_test

import (
	"fmt"
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

// opens reports whether a link opens now.
func (p *people) opens(link string) bool {
	_, open := p.ByLink(link, p.at())
	return open
}

// is names who a system user is at a terminal, "" for nobody.
func (p *people) is(system string) string {
	who, _ := p.At(system)
	return who.Name
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
	p.day()
	if _, open := p.ByLink("alone again", p.at()); !open {
		t.Error("whoever is left alone waits for more than a day")
	}
	if p.change("boss2", "boss2", "", "and again", ledger.RoleAdmin); !p.opens("and again") {
		t.Error("whoever is alone for a day waits")
	}
}

// Whoever removes everybody else is not alone by that: for a day it waits what they
// give, so that nobody is rid of who would have to confirm it. Who never came does not
// count: nobody else was there.
func TestWhoeverSendsTheOthersAwayIsNotAlone(t *testing.T) {
	p := house(t)
	p.add("boss", "ravi", "", ledger.RoleLoad)
	p.must(ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: "mina", Actor: "boss"})
	p.must(ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: "ravi", Actor: "boss"})
	e := p.change("boss", "boss", "rk", "", ledger.RoleAdmin)
	if who, is := p.At("rk"); is || p.Apart("ravi", "rk") == nil || !strings.Contains(e.Detail, "held a day") {
		t.Errorf("rk is %q at once: %s", who.Name, e.Detail)
	}
	p.day()
	if p.change("boss", "boss", "rk2", "", ledger.RoleAdmin); p.is("rk2") != "boss" {
		t.Error("a day later boss is still not alone")
	}
	p.must(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "kim", May: []ledger.Role{ledger.RolePay}, Actor: "boss"})
	p.must(ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: "kim", Actor: "boss"})
	if p.change("boss", "boss", "rk3", "", ledger.RoleAdmin); p.is("rk3") != "boss" {
		t.Error("boss waits for kim, who never came")
	}
}

// A link that one person gave is no way to be whoever gets power later: it ends when
// power is asked for, and one for who has it waits. Meanwhile everybody sees it.
func TestALinkEndsWhenPowerIsAskedFor(t *testing.T) {
	p := house(t)
	p.add("boss", "ravi", "", ledger.RoleLoad)
	confirmed := func() {
		t.Helper()
		ravi, _ := p.Find("ravi")
		if err := p.confirm("mina", "ravi", ravi.Waits.Event); err != nil {
			t.Fatal(err)
		}
	}
	p.change("boss", "ravi", "", "first", ledger.RoleLoad)
	if told := p.Told(p.at()); !p.opens("first") || len(told) == 0 || told[len(told)-1].Link != "first" || told[len(told)-1].By != "boss" {
		t.Errorf("the link opens: %t; told: %+v", p.opens("first"), told)
	}
	p.change("boss", "ravi", "", "", ledger.RolePay)
	if p.opens("first") {
		t.Error("pay is asked for, and the link given before opens")
	}
	p.change("boss", "ravi", "", "second", ledger.RolePay)
	if p.opens("second") {
		t.Error("while pay waits, a link does not")
	}
	confirmed()
	if p.opens("first") || !p.opens("second") || p.may("ravi") != "[pay]" {
		t.Errorf("ravi may %s; the first link opens: %t, the one that was confirmed with it: %t", p.may("ravi"), p.opens("first"), p.opens("second"))
	}
	p.change("boss", "ravi", "", "", ledger.RoleLoad)
	p.change("boss", "ravi", "", "third", ledger.RoleLoad)
	p.change("boss", "ravi", "", "", ledger.RolePay)
	if confirmed(); p.opens("third") || p.opens("second") {
		t.Error("pay was taken, a link given, and pay given back: the link opens")
	}
	p.change("boss", "ravi", "", "", ledger.RoleView)
	p.change("boss", "ravi", "", "fourth", ledger.RoleView)
	if p.change("boss", "ravi", "rk", "", ledger.RoleView); p.opens("fourth") {
		t.Error("a system user is asked for, and the link given before opens")
	}
	confirmed()
	if p.change("boss", "ravi", "", "fifth", ledger.RoleView); p.opens("fifth") {
		t.Error("a link for who is a system user opens at once")
	}
	p.must(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "kim", May: []ledger.Role{ledger.RoleLoad}, Link: "kim", Actor: "boss"})
	if p.change("boss", "kim", "", "", ledger.RolePay); !p.opens("kim") {
		t.Error("who has not come yet cannot any more")
	}
}

// What waits is taken back by a word of its own, and was never anybody's. What goes on
// to wait with another change is named in its event.
func TestWhatWaitsIsTakenBack(t *testing.T) {
	p := house(t)
	p.add("boss", "ravi", "", ledger.RoleLoad)
	takeBack := func(by string, event int64) (ledger.Event, error) {
		ravi, _ := p.Find("ravi")
		return p.try(ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: "ravi", May: ravi.May, TakeBack: true, Grant: event, Actor: by})
	}
	first := p.change("boss", "ravi", "mk", "", ledger.RoleLoad, ledger.RolePay)
	e := p.change("boss", "ravi", "", "", ledger.RoleLoad, ledger.RolePay)
	if want := fmt.Sprintf("held for another person, with what event %d gave: pay, system user mk", first.Seq); !strings.Contains(e.Detail, want) {
		t.Errorf("the event that goes on with it says %q, not %q", e.Detail, want)
	}
	if _, err := takeBack("boss", first.Seq); err == nil {
		t.Error("what is shown no more was taken back")
	}
	if e, err := takeBack("boss", e.Seq); err != nil || !strings.Contains(e.Detail, "takes back event") {
		t.Fatalf("%q, %v", e.Detail, err)
	}
	if ravi, _ := p.Find("ravi"); ravi.Waits != nil || p.may("ravi") != "[load]" || len(p.Told(p.at())) != 1 { // of mina
		t.Errorf("ravi may %s, and for ravi waits %+v; told: %+v", p.may("ravi"), ravi.Waits, p.Told(p.at()))
	}
	if _, err := takeBack("boss", e.Seq); err == nil {
		t.Error("it was taken back twice")
	}
	p.change("boss", "mina", "mk", "", ledger.RoleApprove) // whose it is
	mina, _ := p.Find("mina")
	if p.day(); mina.Waits == nil || p.is("mk") != "mina" {
		t.Errorf("mk is %q", p.is("mk"))
	}

	e = p.change("root", "ravi", "rk", "", ledger.RoleLoad) // for a day, as whoever root is
	if _, err := takeBack("boss", e.Seq); err != nil {
		t.Fatal(err)
	}
	if p.day(); p.is("rk") != "" {
		t.Errorf("rk is %q a day after it was taken back", p.is("rk"))
	}
}

// While something waits that a system user gave who is nobody of the desk, nobody is
// made its namesake: as if it had been the new person who gave it.
func TestNobodyIsNamedAfterWhoGaveIt(t *testing.T) {
	p := &people{TB: t}
	p.add("root", "boss", "", ledger.RoleAdmin)
	p.add("boss", "mina", "", ledger.RoleApprove)
	p.day()
	p.add("boss", "ravi", "", ledger.RoleLoad)
	p.change("BossOS", "ravi", "", "", ledger.RolePay)
	p.confirmedBy("ravi")
	add := func(by, name string, may ledger.Role) error {
		_, err := p.try(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: name, May: []ledger.Role{may}, Actor: by})
		return err
	}
	if err := add("boss", "bossos", ledger.RoleView); err == nil || !strings.Contains(err.Error(), "take another name") {
		t.Errorf("a person is named like who gave it: %v", err)
	}
	if err := add("eve", "eve", ledger.RolePay); err == nil {
		t.Error("a system user gave power to a person of their own name, and is nobody else from then on")
	}
	if err := add("eve", "eve", ledger.RoleView); err != nil {
		t.Error(err)
	}
	p.confirmedBy("ravi")
	p.day()
	if err := add("boss", "bossos", ledger.RoleView); err != nil || p.may("ravi") != "[pay]" {
		t.Errorf("when it holds: %v; ravi may %s", err, p.may("ravi"))
	}
}

// What was done by the rules before is read by them: a link that outlived the grant, a
// ledger of one by removals, a person named like who gave what waits.
func TestWhatWasHeldBeforeLinksEndedHolds(t *testing.T) {
	p := &people{TB: t}
	until := "; until " + t0.Add(1000*time.Hour).Format(time.RFC3339)
	for _, e := range [][3]string{
		{ledger.EventPersonAdded, "root", "boss; may admin"},
		{ledger.EventPersonAdded, "root", "ravi; may pay; held a day; link a" + until},
		{ledger.EventPersonAdded, "boss", "root; may view"},
		{ledger.EventPasswordSet, "ravi", "ravi; link a; password x"},
		{ledger.EventPersonChanged, "boss", "ravi; may load; link b" + until},
		{ledger.EventPersonChanged, "boss", "ravi; may load, pay; held a day"},
		{ledger.EventPasswordSet, "ravi", "ravi; link b; password y"},
		{ledger.EventPersonRemoved, "boss", "ravi"},
		{ledger.EventPersonRemoved, "boss", "root"},
		{ledger.EventPersonChanged, "boss", "boss; may admin; system user rk"},
	} {
		p.seq++
		if err := p.Follow(ledger.Event{Seq: p.seq, At: p.at(), Actor: e[1], Kind: e[0], Detail: e[2]}); err != nil {
			t.Fatal(err)
		}
	}
	if p.is("rk") != "boss" {
		t.Errorf("rk is %q", p.is("rk"))
	}
	if e := p.change("boss", "boss", "rk2", "", ledger.RoleAdmin); !strings.Contains(e.Detail, "withheld a day") {
		t.Errorf("from now on it says %q", e.Detail)
	}
	p.seq++
	if err := p.Follow(ledger.Event{Seq: p.seq, At: p.at(), Actor: "boss", Kind: ledger.EventPersonChanged, Detail: "boss; may admin; system user rk3; held a day"}); err == nil {
		t.Error("by the rules before, after those of today")
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
