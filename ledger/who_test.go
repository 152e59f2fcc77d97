package ledger_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// people makes a roster, change by change, each an hour after the one before.
type people struct {
	testing.TB
	ledger.Roster
	seq int64
}

func (p *people) at() time.Time { return t0.Add(time.Duration(p.seq) * time.Hour) }

func (p *people) try(c ledger.PersonChange) (ledger.Event, error) {
	p.seq++
	c.At = p.at()
	if c.Link != "" && c.Until.IsZero() {
		c.Until = c.At.Add(24 * time.Hour)
	}
	e, err := p.Decide(c)
	if e.Seq = p.seq; err == nil {
		err = p.Follow(e)
	}
	return e, err
}

func (p *people) must(c ledger.PersonChange) ledger.Event {
	p.Helper()
	e, err := p.try(c)
	if err != nil {
		p.Fatal(err)
	}
	return e
}

func (p *people) add(by, name, system string, may ...ledger.Role) ledger.Event {
	p.Helper()
	e := p.must(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: name, May: may, System: system, Link: "link of " + name, Actor: by})
	p.must(ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: name, Link: "link of " + name, Kept: "x", Actor: name})
	return e
}

func (p *people) change(by, name, system, link string, may ...ledger.Role) ledger.Event {
	p.Helper()
	return p.must(ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: name, May: may, System: system, Link: link, Actor: by})
}

// day lets what has to wait a day hold.
func (p *people) day() {
	p.seq += 24
	p.Roster = p.Now(p.at())
}

func (p *people) confirm(by, name string, event int64) error {
	_, err := p.try(ledger.PersonChange{Kind: ledger.EventPersonConfirmed, Name: name, Grant: event, Actor: by})
	return err
}

func (p *people) may(name string) string {
	person, _ := p.Find(name)
	return fmt.Sprint(person.May)
}

// Persons are told apart, by whatever names they act: one person is not two by
// being a system user as well, and of a name that is nobody's nobody knows.
func TestPersonsAreToldApart(t *testing.T) {
	p := &people{TB: t}
	if err := p.Apart("asha", "ravi"); err != nil {
		t.Errorf("without people, two system users: %v", err)
	}
	p.add("root", "boss", "", ledger.RoleAdmin)
	p.add("root", "asha", "asha.k", ledger.RoleLoad)
	p.add("root", "ravi", "rk1", ledger.RoleLoad)
	p.day()
	p.change("root", "ravi", "rk2", "", ledger.RoleLoad)
	p.day()
	for _, c := range []struct {
		a, b string
		two  bool
	}{
		{"asha", "ravi", true}, {"asha", "ASHA ", false}, {"asha", "asha.k", false}, {"Asha.K", "asha", false},
		{"asha.k", "ravi", true}, {"asha.k", "rk1", true}, {"rk1", "rk2", false}, {"rk1", "ravi", false},
		{"old1", "old2", true}, {"old1", "old1", false}, {"old1", "rk1", true}, // system users, as ever
		{"old1", "ravi", false}, {"boss", "old1", false}, // who was old1?
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			if err := p.Apart(pair[0], pair[1]); (err == nil) != c.two || err != nil && !errors.Is(err, ledger.ErrNotApart) {
				t.Errorf("%q and %q: %v", pair[0], pair[1], err)
			}
		}
	}
	if who, ok := p.At("RK2"); !ok || who.Name != "ravi" {
		t.Errorf("rk2 is %+v", who)
	}
	if who, ok := p.At("rk1"); ok {
		t.Errorf("rk1 is still %s", who.Name)
	}
	for system, of := range map[string]string{"asha.k": "ravi", "ASHA.K": "ravi", "asha": "ravi", "boss": "asha", "x; may admin": "asha", " x": "asha", "x\n": "asha", strings.Repeat("x", 101): "asha"} {
		if e, err := p.try(ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: of, May: []ledger.Role{ledger.RoleLoad}, System: system, Actor: "root"}); err == nil {
			t.Errorf("%s became the system user %q: %+v", of, system, e)
		}
	}
	if _, err := p.try(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "rk1", May: []ledger.Role{ledger.RoleLoad}, Actor: "root"}); err == nil {
		t.Error("a person got the name of another's system user")
	}
}

// What moves money waits for another person, and for a day where there is none.
func TestWhatMovesMoneyWaits(t *testing.T) {
	p := &people{TB: t}
	p.add("root", "boss", "", ledger.RoleAdmin)
	by := p.add("boss", "mina", "", ledger.RoleLoad, ledger.RolePay)
	if got := p.may("mina"); got != "[load]" {
		t.Errorf("mina may %s at once", got)
	}
	if err := p.confirm("boss", "mina", by.Seq); err == nil {
		t.Error("boss confirmed what boss gave")
	}
	if err := p.confirm("mina", "mina", by.Seq); err == nil {
		t.Error("mina confirmed what mina got")
	}
	waits, _ := p.Find("mina")
	if from := by.At.Add(24 * time.Hour); !waits.Waits.From.Equal(from) || !strings.Contains(by.Detail, "held a day") {
		t.Errorf("it holds from %s, and its event says %q", waits.Waits.From, by.Detail)
	}
	p.Roster = p.Now(by.At.Add(24*time.Hour - 1))
	if got := p.may("mina"); got != "[load]" {
		t.Errorf("mina may %s a moment early", got)
	}
	p.Roster = p.Now(by.At.Add(24 * time.Hour))
	later, _ := p.Find("mina")
	if got := p.may("mina"); got != "[load pay]" || later.As(waits) {
		t.Errorf("mina may %s after a day; as before: %t", got, later.As(waits))
	}
	p.seq += 24
	e := p.add("mina", "ravi", "", ledger.RoleApprove) // at a terminal
	if got := p.may("ravi"); got != "[view]" || !strings.Contains(e.Detail, "held for another person") {
		t.Errorf("ravi may %s, and the event says %q", got, e.Detail)
	}
	p.Roster = p.Now(e.At.Add(100 * time.Hour))
	if got := p.may("ravi"); got != "[view]" {
		t.Errorf("ravi may %s though nobody confirmed it", got)
	}
	for by, takes := range map[string]bool{"mina": false, "ravi": false, "nobody": false} {
		if err := p.confirm(by, "ravi", e.Seq); (err == nil) != takes {
			t.Errorf("%s confirms: %v", by, err)
		}
	}
	if err := p.confirm("boss", "ravi", e.Seq-1); err == nil {
		t.Error("another event was confirmed")
	}
	if err := p.confirm("boss", "ravi", e.Seq); err != nil || p.may("ravi") != "[approve]" {
		t.Errorf("confirmed: %v, ravi may %s", err, p.may("ravi"))
	}
	if err := p.confirm("boss", "ravi", e.Seq); err == nil {
		t.Error("confirmed twice")
	}
	e = p.change("boss", "ravi", "", "new link", ledger.RoleApprove)
	if _, open := p.ByLink("new link", p.at()); open {
		t.Error("a new link for who approves is open at once")
	}
	p.Roster = p.Now(e.At.Add(23 * time.Hour)) // nobody else may confirm: mina only pays
	if _, open := p.ByLink("new link", e.At.Add(23*time.Hour)); open {
		t.Error("it is open within the day")
	}
	p.Roster = p.Now(e.At.Add(24 * time.Hour))
	if _, open := p.ByLink("new link", e.At.Add(47*time.Hour)); !open {
		t.Error("it is not open for a day from then on")
	}
	p.seq += 48
	e = p.change("boss", "mina", "", "", ledger.RoleView)
	if got := p.may("mina"); got != "[view]" {
		t.Errorf("what is taken waits: mina may %s", got)
	}
	e = p.change("boss", "mina", "", "", ledger.RolePay) // ravi may approve by now
	if got := p.may("mina"); got != "[view]" || !strings.Contains(e.Detail, "for another person") {
		t.Errorf("mina may %s, %q", got, e.Detail)
	}
	if err := p.confirm("ravi", "mina", e.Seq); err != nil || p.may("mina") != "[pay]" {
		t.Errorf("%v; mina may %s", err, p.may("mina"))
	}
	var told []string
	for _, g := range p.Told(p.at()) {
		told = append(told, g.To+" by "+g.By+", "+g.Confirmed)
	}
	if !slices.Equal(told, []string{"ravi by boss, ", "mina by boss, ravi"}) && len(told) < 2 {
		t.Errorf("told: %q", told)
	}
	if len(p.Told(p.at().Add(8*24*time.Hour))) != 0 {
		t.Errorf("still told after eight days: %+v", p.Told(p.at().Add(8*24*time.Hour)))
	}
}

// A ledger in which roles were given before any of them had to wait is read as it
// was written. From the first that waits on, each has to.
func TestWhatWasGivenBeforeHolds(t *testing.T) {
	p := &people{TB: t}
	p.add("root", "boss", "", ledger.RoleAdmin)
	old := func(kind, detail string) error {
		p.seq++
		return p.Follow(ledger.Event{Seq: p.seq, At: p.at(), Actor: "root", Kind: kind, Detail: detail})
	}
	until := "; until " + t0.Add(1000*time.Hour).Format(time.RFC3339)
	for _, e := range [][2]string{
		{ledger.EventPersonAdded, "ravi; may approve; link a" + until},
		{ledger.EventPersonChanged, "ravi; may approve, pay; link b" + until},
		{ledger.EventPasswordSet, "ravi; link b; password x"},
	} {
		if err := old(e[0], e[1]); err != nil {
			t.Fatal(err)
		}
	}
	if got := p.may("ravi"); got != "[approve pay]" {
		t.Errorf("ravi may %s", got)
	}
	p.add("boss", "mina", "", ledger.RolePay)
	for _, detail := range []string{"eve; may pay", "eve; may pay; waits a day", "eve; may load; waits a day", "eve; may pay; waits for nobody"} {
		if err := old(ledger.EventPersonAdded, detail); err == nil {
			t.Errorf("%q was followed", detail)
		}
	}
}

// A system user is one human: who has been one person at a terminal is no other
// later, whoever was removed or says otherwise since.
func TestASystemUserIsGivenOnce(t *testing.T) {
	p := &people{TB: t}
	p.add("boss", "boss", "", ledger.RoleAdmin)
	p.add("boss", "lina", "root", ledger.RoleLoad)
	p.add("boss", "ravi", "", ledger.RoleView)
	p.day()
	p.must(ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: "lina", Actor: "boss"})
	if _, err := p.try(ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: "ravi", May: []ledger.Role{ledger.RoleView}, System: "root", Actor: "boss"}); err == nil {
		t.Error("root was lina, and is ravi")
	}
	if err := p.Apart("root", "ravi"); err != nil {
		t.Error(err)
	}
}
