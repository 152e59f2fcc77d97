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
	ledger.Users
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
		err = p.Replay(e)
	}
	return e, err
}

func (p *people) must(c ledger.PersonChange) int64 {
	p.Helper()
	e, err := p.try(c)
	if err != nil {
		p.Fatal(err)
	}
	return e.Seq
}

// add adds a person, who chooses a password where the link is open.
func (p *people) add(by, name string, may ...ledger.Role) int64 {
	p.Helper()
	event := p.must(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: name, May: may, Link: "link of " + name, Actor: by})
	if _, open := p.ByLink("link of "+name, p.at()); open {
		p.joins(name, "link of "+name)
	}
	return event
}

func (p *people) joins(name, link string) {
	p.Helper()
	p.must(ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: name, Link: link, Stored: "x", Actor: name})
}

func changed(by, name string, may ...ledger.Role) ledger.PersonChange {
	return ledger.PersonChange{Kind: ledger.EventPersonChanged, Name: name, May: may, Actor: by}
}

func tied(by, name, terminal string, may ...ledger.Role) ledger.PersonChange {
	c := changed(by, name, may...)
	c.Terminal = terminal
	return c
}

func removed(by, name string) ledger.PersonChange {
	return ledger.PersonChange{Kind: ledger.EventPersonRemoved, Name: name, Actor: by}
}

func (p *people) confirm(by, name string, event int64) error {
	_, err := p.try(ledger.PersonChange{Kind: ledger.EventPersonConfirmed, Name: name, PendingGrant: event, Actor: by})
	return err
}

func (p *people) refused(c ledger.PersonChange, why string) {
	p.Helper()
	if _, err := p.try(c); err == nil || !strings.Contains(err.Error(), why) {
		p.Errorf("%+v: %v, want %q", c, err, why)
	}
}

func (p *people) may(name string) string {
	person, _ := p.Find(name)
	return fmt.Sprint(person.May)
}

const ashaAt, raviAt, cronAt = "uid:1001", "uid:1002", "uid:999"

// rosterOfTwo is one of asha, who is uid:1001 at a terminal, and of ravi and the admin
// boss, who are at the desk only.
func rosterOfTwo(t testing.TB) *people {
	p := &people{TB: t}
	p.add(ashaAt, "boss", ledger.RoleAdmin)
	p.add("boss", "asha", ledger.RoleLoad)
	p.add("boss", "ravi", ledger.RoleApprove)
	p.must(tied("boss", "asha", ashaAt, ledger.RoleLoad))
	return p
}

func TestTwoPeopleAreTwo(t *testing.T) {
	two, none := rosterOfTwo(t).Users, ledger.Users{}
	for name, c := range map[string]struct {
		people ledger.Users
		a, b   string
		why    string // "" where they are two
	}{
		"two uids":                              {none, ashaAt, raviAt, ""},
		"two logins":                            {two, "asha", "ravi", ""},
		"a uid and a login":                     {two, ashaAt, "ravi", ""},
		"a uid twice":                           {none, ashaAt, ashaAt, "are the same person"},
		"a login twice":                         {two, "ravi", "ravi", "are the same person"},
		"a uid and its login":                   {two, ashaAt, "asha", "are the same person"},
		"root":                                  {none, "uid:0", ashaAt, "root (uid 0)"},
		"root, with people":                     {two, "uid:0", "ravi", "root (uid 0)"},
		"a user namespace":                      {none, ledger.MappedUID(1002), ashaAt, "user namespace"},
		"a user namespace with somebody's uid":  {two, ledger.MappedUID(1001), "ravi", "user namespace"},
		"a uid that is nobody's, and a login":   {two, cronAt, "ravi", "belongs to no person"},
		"a uid that is nobody's, and another's": {two, cronAt, ashaAt, "belongs to no person"},
		"two database roles":                    {none, "db:asha", "db:ravi", ""},
		"a database role twice":                 {none, "db:asha", "db:asha", "are the same person"},
		"a role and a uid from before a move":   {none, "db:asha", raviAt, "may be the same person"},
		"a role that is nobody's, and a login":  {two, "db:asha", "ravi", "the database role db:asha belongs to no person"},
		"a superuser of the database":           {none, ledger.DatabaseRole("asha", true), "db:ravi", "asha is a superuser"},
		"a superuser, with people":              {two, ledger.DatabaseRole("asha", true), "ravi", "asha is a superuser"},
	} {
		for _, pair := range [][2]string{{c.a, c.b}, {c.b, c.a}} {
			err := c.people.SecondPerson(pair[0], pair[1])
			if (err == nil) != (c.why == "") || err != nil && (!errors.Is(err, ledger.ErrNotApart) || !strings.Contains(err.Error(), c.why)) {
				t.Errorf("%s: %q and %q: %v", name, pair[0], pair[1], err)
			}
		}
	}
}

// A person has at most one system user and one database role, and stays who they ever were.
func TestAPersonIsAUserAndARole(t *testing.T) {
	p := rosterOfTwo(t)
	for _, step := range []struct {
		tie  string // "" for untie
		want []string
	}{{"db:asha", []string{ashaAt, "db:asha"}}, {cronAt, []string{"db:asha", cronAt}}, {"", nil}} {
		c := tied("boss", "asha", step.tie, ledger.RoleLoad)
		c.Untie = step.tie == ""
		p.must(c)
		got, _ := p.Find("asha")
		if !slices.Equal(got.Terminals, step.want) {
			t.Errorf("%q: %q, want %q", step.tie, got.Terminals, step.want)
		}
	}
	for _, at := range []string{ashaAt, cronAt, "db:asha"} {
		if !p.Same("asha", at) {
			t.Errorf("%s is no longer asha", at)
		}
		if _, now := p.Who(at); now {
			t.Errorf("%s acts for asha", at)
		}
	}
}

func TestARoleIsOfThePerson(t *testing.T) {
	two, none := rosterOfTwo(t).Users, ledger.Users{}
	for _, c := range []struct {
		people ledger.Users
		actor  string
		may    string // the roles
	}{
		{none, cronAt, "view load approve pay admin"},
		{none, "uid:0", "view load approve pay admin"},
		{two, cronAt, "view load pay"},
		{two, "uid:0", "view load pay"},
		{two, ashaAt, "view load"},
		{two, "asha", "view load"},
		{two, "ravi", "view approve"},
		{two, "boss", "view admin"},
	} {
		var may []string
		for _, r := range ledger.Roles {
			if c.people.May(c.actor, r) {
				may = append(may, string(r))
			}
		}
		if got := strings.Join(may, " "); got != c.may {
			t.Errorf("%s may %q, want %q", c.actor, got, c.may)
		}
	}
}

// A person and a system user who were ever one stay one, and no system user is given
// to another person.
func TestWhoWasTiedStaysOnePerson(t *testing.T) {
	p := rosterOfTwo(t)
	p.refused(tied("boss", "ravi", ashaAt, ledger.RoleApprove), "is asha, or was")
	p.must(tied("boss", "asha", raviAt, ledger.RoleLoad))
	for _, pair := range [][2]string{{ashaAt, "asha"}, {ashaAt, raviAt}} {
		if p.SecondPerson(pair[0], pair[1]) == nil {
			t.Errorf("%q are two people", pair)
		}
	}
	untie := changed("boss", "asha", ledger.RoleLoad)
	untie.Untie = true
	p.must(untie)
	p.must(removed("boss", "asha"))
	if p.SecondPerson(ashaAt, "asha") == nil {
		t.Error("asha is two people since she was removed")
	}
	if _, ok := p.Who(raviAt); ok || p.May(raviAt, ledger.RoleApprove) {
		t.Error("a system user is somebody who was removed")
	}
	p.refused(tied("boss", "ravi", raviAt, ledger.RoleApprove), "is asha, or was")
	for _, terminal := range []string{"uid:0", "asha", "mapped:5", "uid:"} {
		p.refused(tied("boss", "ravi", terminal, ledger.RoleApprove), "system user")
	}
}

// With one admin everything holds at once.
func TestOneAdminGivesAlone(t *testing.T) {
	p := &people{TB: t}
	p.refused(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "ravi", May: []ledger.Role{ledger.RoleLoad}, Actor: ashaAt}, "has to be admin")
	p.add(ashaAt, "boss", ledger.RoleAdmin)
	p.add("boss", "mina", ledger.RoleApprove, ledger.RolePay)
	p.must(tied("boss", "mina", ashaAt, ledger.RolePay))
	if got := p.may("mina"); got != "[pay]" {
		t.Errorf("mina may %s", got)
	}
	p.add("boss", "kiran", ledger.RoleAdmin)
	for _, by := range []string{"mina", "ravi", cronAt, "uid:0", ashaAt} {
		p.refused(changed(by, "mina", ledger.RoleLoad), "is no admin")
		p.refused(removed(by, "mina"), "is no admin")
	}
}

// Where there are two admins, another one confirms power, a new link for who has it,
// and a system user.
func TestAnotherAdminConfirms(t *testing.T) {
	link := changed("boss", "mina", ledger.RolePay)
	link.Link = "new link"
	untie := changed("boss", "asha", ledger.RoleLoad)
	untie.Untie = true
	loads := changed("boss", "asha", ledger.RoleLoad)
	loads.Link = "link of a loader"
	for name, c := range map[string]struct {
		change ledger.PersonChange
		waits  bool
	}{
		"a role":                      {changed("boss", "asha", ledger.RoleApprove), true},
		"admin":                       {changed("boss", "mina", ledger.RoleAdmin), true},
		"a link for who has power":    {link, true},
		"a system user":               {tied("boss", "mina", raviAt, ledger.RolePay), true},
		"none any more":               {untie, true},
		"the same system user":        {tied("boss", "asha", ashaAt, ledger.RoleView), false},
		"a link for who has no power": {loads, false},
		"to look":                     {changed("boss", "mina", ledger.RoleView), false},
	} {
		p := rosterOfTwo(t)
		p.add("boss", "mina", ledger.RolePay)
		p.add("boss", "kiran", ledger.RoleAdmin)
		before, _ := p.Find(c.change.Name)
		event := p.must(c.change)
		after, _ := p.Find(c.change.Name)
		if (after.Waits != nil) != c.waits || c.waits && (after.Link != before.Link || !slices.Equal(after.Terminals, before.Terminals)) {
			t.Errorf("%s: waits: %t; before %+v, after %+v", name, after.Waits != nil, before, after)
		}
		if !c.waits {
			continue
		}
		for _, by := range []string{"boss", "mina", "asha", "uid:0", ashaAt, ledger.MappedUID(1001)} {
			if err := p.confirm(by, c.change.Name, event); err == nil {
				t.Errorf("%s: confirmed by %s", name, by)
			}
		}
		if err := p.confirm("kiran", c.change.Name, event+1); err == nil {
			t.Errorf("%s: another event was confirmed", name)
		}
		if err := p.confirm("kiran", c.change.Name, event); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		after, _ = p.Find(c.change.Name)
		if !slices.Equal(after.May, c.change.May) || after.Waits != nil || c.change.Link != "" && after.Link != c.change.Link || c.change.Terminal != "" && !slices.Contains(after.Terminals, c.change.Terminal) || c.change.Untie && len(after.Terminals) > 0 {
			t.Errorf("%s: confirmed: %+v", name, after)
		}
		if err := p.confirm("kiran", c.change.Name, event); err == nil {
			t.Errorf("%s: confirmed twice", name)
		}
	}
}

// Nothing of what waits holds, but what it takes away; the next change takes its place.
func TestWhatWaitsHoldsNothing(t *testing.T) {
	p := &people{TB: t}
	p.add(ashaAt, "boss", ledger.RoleAdmin)
	p.add("boss", "kiran", ledger.RoleAdmin)
	event := p.add("boss", "mina", ledger.RoleLoad, ledger.RolePay)
	if _, open := p.ByLink("link of mina", p.at()); open || p.may("mina") != "[]" {
		t.Errorf("the link is open: %t; mina may %s", open, p.may("mina"))
	}
	p.seq += 30 // hours: the link is as long open as it was to be
	if err := p.confirm("kiran", "mina", event); err != nil || p.may("mina") != "[load pay]" {
		t.Errorf("mina may %s, %v", p.may("mina"), err)
	}
	p.joins("mina", "link of mina")
	event = p.must(changed("kiran", "mina", ledger.RoleApprove))
	if got := p.may("mina"); got != "[]" {
		t.Errorf("what is taken away waits: mina may %s", got)
	}
	p.must(changed("boss", "mina", ledger.RoleView))
	if err := p.confirm("boss", "mina", event); err == nil || p.may("mina") != "[view]" {
		t.Errorf("what was replaced: %v, mina may %s", err, p.may("mina"))
	}
	event = p.must(changed("kiran", "mina", ledger.RolePay))
	back := ledger.PersonChange{Kind: ledger.EventGrantTakenBack, Name: "mina", PendingGrant: event, Actor: "kiran"}
	p.refused(ledger.PersonChange{Kind: back.Kind, Name: "mina", PendingGrant: event - 1, Actor: "kiran"}, "look at it again")
	p.must(back)
	p.refused(back, "look at it again")
	if err := p.confirm("boss", "mina", event); err == nil {
		t.Error("what was taken back was confirmed")
	}
}

// A person who removes an admin to be the only one gives nothing for three days.
func TestAfterAnAdminNothingIsGiven(t *testing.T) {
	for name, end := range map[string]ledger.PersonChange{"removed": removed("boss", "kiran"), "another role": changed("boss", "kiran", ledger.RoleView)} {
		p := rosterOfTwo(t)
		p.add("boss", "kiran", ledger.RoleAdmin)
		waits := p.must(changed("kiran", "ravi", ledger.RoleApprove, ledger.RolePay))
		p.must(end)
		if err := p.confirm("boss", "ravi", waits); err == nil {
			t.Errorf("%s: what kiran gave was confirmed", name)
		}
		for _, c := range []ledger.PersonChange{changed("boss", "asha", ledger.RolePay), tied("boss", "ravi", raviAt, ledger.RoleApprove)} {
			p.refused(c, "an admin was removed")
		}
		p.must(changed("boss", "ravi", ledger.RoleView))
		p.add("boss", "dev", ledger.RoleLoad)
		p.seq += 72
		p.must(changed("boss", "asha", ledger.RolePay))
		if got := p.may("asha"); got != "[pay]" {
			t.Errorf("%s: asha may %s", name, got)
		}
	}
}

// There is always an admin who can act; until the first can, every user may say who
// may do what.
func TestTheLastAdminStays(t *testing.T) {
	p := &people{TB: t}
	p.must(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "boss", May: []ledger.Role{ledger.RoleAdmin}, Actor: ashaAt})
	link := changed(raviAt, "boss", ledger.RoleAdmin)
	link.Link = "another"
	p.must(link) // the first was lost
	p.joins("boss", "another")
	p.refused(changed(ashaAt, "boss", ledger.RoleAdmin), "is no admin")
	p.refused(removed("boss", "boss"), "the only admin")
	p.refused(changed("boss", "boss", ledger.RoleView), "the only admin")
	invited := ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "kiran", May: []ledger.Role{ledger.RoleAdmin}, Link: "k", Actor: "boss"}
	p.must(invited)
	p.refused(removed("boss", "boss"), "the only admin") // kiran has no password yet
	p.must(removed("boss", "kiran"))
	p.add("boss", "mina", ledger.RolePay) // and nothing waits for that
	q := &people{TB: t}
	first := ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "boss", May: []ledger.Role{ledger.RoleAdmin}, Terminal: ashaAt, Actor: ashaAt}
	q.must(first)
	untie := changed(ashaAt, "boss", ledger.RoleAdmin)
	untie.Untie = true
	q.refused(untie, "the only admin")
}

// Everyone is notified for a week, and of what waits as long as it does.
func TestChangesAreToldForAWeek(t *testing.T) {
	p := &people{TB: t}
	p.add(ashaAt, "boss", ledger.RoleAdmin)
	p.add("boss", "kiran", ledger.RoleAdmin)
	waits := p.must(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "mina", May: []ledger.Role{ledger.RolePay}, Actor: "boss"})
	p.must(removed("kiran", "kiran"))
	if got := p.RecentChanges(p.at()); len(got) != 4 {
		t.Errorf("told: %+v", got)
	}
	if got := p.RecentChanges(p.at().Add(8 * 24 * time.Hour)); len(got) != 1 || got[0].Event != waits {
		t.Errorf("told after eight days: %+v", got)
	}
}

// What an event says is what Decide wrote; nothing else is followed.
func TestAPeopleEventThatCannotHaveHappened(t *testing.T) {
	p := rosterOfTwo(t)
	for kind, details := range map[string][]string{
		ledger.EventPersonAdded: {"", "asha; may admin", `{"name":"eve"}`, `{"name":"eve","may":["root"]}`, `{"name":"eve","may":["pay","admin"]}`, `{"name":"asha","may":["pay"]}`,
			`{"name":"Eve","may":["pay"]}`, `{"name":"eve; may","may":["pay"]}`, `{"name":"eve","may":["pay"],"waits":false}`, `{"name":"eve","first":true,"may":["admin"]}`, `{"name":"` + strings.Repeat("e", 41) + `","may":["pay"]}`},
		ledger.EventPersonChanged:   {`{"name":"eve","may":["pay"]}`, `{"name":"asha"}`},
		ledger.EventPersonConfirmed: {`{"name":"asha","grant":1}`},
		ledger.EventPasswordSet:     {`{"name":"asha","link":"x","password":"y"}`, `{"name":"asha","password":"y"}`},
	} {
		for _, detail := range details {
			if err := p.Replay(ledger.Event{Seq: 99, At: p.at(), Actor: "boss", Kind: kind, Detail: detail}); err == nil {
				t.Errorf("%s %q was followed", kind, detail)
			}
		}
	}
	if err := p.Replay(ledger.Event{Seq: 99, At: p.at(), Actor: "boss", Kind: ledger.EventPersonAdded, Detail: `{"name":"eve","may":["load"]}`}); err != nil {
		t.Errorf("the right one: %v", err)
	}
}

func TestWhatEventsSayInWords(t *testing.T) {
	p := &people{TB: t}
	e, err := p.try(ledger.PersonChange{Kind: ledger.EventPersonAdded, Name: "boss", May: []ledger.Role{ledger.RoleAdmin}, Link: "l", Terminal: ashaAt, Actor: ashaAt})
	if want := "boss; may admin; the system user uid:1001; a link to choose a password"; err != nil || e.Words() != want {
		t.Errorf("%q, %v; want %q", e.Words(), err, want)
	}
	e, err = ledger.PolicyTrail{}.Decide(says("boss", "two_person", "true", 0), p.Users)
	if err != nil || !strings.HasPrefix(e.Words(), "two_person = true: as agreed") {
		t.Errorf("%q, %v", e.Words(), err)
	}
	release := ledger.ReleaseApproval{PayoutID: 7, As: ledger.ReleasePaid, Reason: "it is on the statement", Ticket: "mail 4711", Evidence: ledger.ReleaseEvidence{Attempts: []ledger.AttemptShown{{WireRef: "VEN-001"}}}.JSON()}
	for want, e := range map[string]ledger.Event{
		"VEN-001 paid: it is on the statement; bank ticket mail 4711": release.Event(ledger.Batch{}),
		"amount = Net Pay; ifsc = IFS; header h":                      {Kind: ledger.EventColumnsKept, Detail: `{"columns":{"amount":"Net Pay","ifsc":"IFS"},"header":"h"}`},
		"1 payout of ₹10.00; attempt 1":                               {Kind: ledger.EventPlanned, Detail: `{"payouts":1,"total":"10.00","attempt":1}`},
		"payload x":                                                   {Kind: ledger.EventApproved, Detail: "payload x"},
	} {
		if e.Words() != want {
			t.Errorf("%q, want %q", e.Words(), want)
		}
	}
}

// Who has a password may set another; no one sets one for another person, or without a
// link where they have none.
func TestAPersonSetsAnotherPassword(t *testing.T) {
	p := &people{TB: t}
	p.must(ledger.PersonChange{Kind: ledger.EventPersonAdded, First: true, Name: "boss", May: []ledger.Role{ledger.RoleAdmin}, Link: "link", Actor: "boss"})
	for _, c := range []struct {
		what, link, actor, stored string
		taken                     bool
	}{
		{"without a link and without a password before", "", "boss", "one", false},
		{"by the link", "link", "boss", "one", true},
		{"by another person", "", "ravi", "one", false},
		{"by who has one", "", "boss", "two", true},
	} {
		_, err := p.try(ledger.PersonChange{Kind: ledger.EventPasswordSet, Name: "boss", Link: c.link, Stored: c.stored, Actor: c.actor})
		if (err == nil) != c.taken {
			t.Errorf("%s: %v", c.what, err)
		}
	}
	if boss, _ := p.Find("boss"); boss.Password != ledger.KeptPassword("two") || boss.Changed != p.seq {
		t.Errorf("%+v", boss)
	}
}
