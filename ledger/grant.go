package ledger

import (
	"slices"
	"strings"
	"time"
)

// How long a grant waits where nobody can confirm it, and is told to everybody.
const (
	grantWaits = 24 * time.Hour
	grantTold  = 7 * 24 * time.Hour
)

// Grant is one person's word by which somebody has power: that they may approve or
// pay, are admin, have a new link who may or is, or are a system user. It waits for
// another person, where there is any but who gets it.
type Grant struct {
	Event     int64    // that gives it
	By, To    string   // who gives, and who gets
	With      []string // whose words before By's it holds too: they waited when By changed what To gets
	At        time.Time
	Gives     []Role    // RoleApprove, RolePay, RoleAdmin, or none
	May       []Role    // all that they may do then
	Link      string    // SHA-256 of a new link, lower-case hex; "" for none
	System    string    // the system user that they are then; "" as before
	From      time.Time // since when it holds, or from when it will; zero while it waits for another person
	Confirmed string    // by whom; "" while nobody did, or nobody had to

	open time.Duration // how long the link is from then on
}

// Givers are all by whose word it is, who gave last first.
func (g Grant) Givers() []string { return append([]string{g.By}, g.With...) }

// words say what it waits for, as its event does.
func (g Grant) words(r rules) string {
	if g.From.IsZero() {
		return r.word() + " for another person"
	}
	return r.word() + " a day"
}

// Waits reports whether it does not hold yet.
func (g Grant) Waits(now time.Time) bool { return g.From.IsZero() || now.Before(g.From) }

// rules are those by which a change of people was made. They grew stricter: from the
// first event on that was made by some, nothing is made by laxer ones.
type rules int

const (
	nothingWaits rules = iota // what one person gives holds at once
	moneyWaits                // to approve, to pay, and a new link for who may, wait
	powerWaits                // admin waits too, and a system user; and another person surely is one
)

// word is that of an event which says that something waits by these rules.
func (r rules) word() string {
	if r == powerWaits {
		return "held"
	}
	return "waits"
}

// rulesOf are the rules that a change is judged by: today's, before it is an event.
func (r *Roster) rulesOf(c PersonChange) rules {
	switch word, _, _ := strings.Cut(c.waits, " "); {
	case c.event == 0 || word == powerWaits.word():
		return powerWaits
	case word == moneyWaits.word():
		return max(r.rules, moneyWaits)
	}
	return r.rules
}

// power is what nobody has by one person's word alone.
func (r rules) power() []Role {
	return [...][]Role{nothingWaits: nil, moneyWaits: {RoleApprove, RolePay}, powerWaits: {RoleApprove, RolePay, RoleAdmin}}[r]
}

// moves reports whether one of the roles is power.
func (r rules) moves(may []Role) bool {
	return slices.ContainsFunc(may, func(m Role) bool { return slices.Contains(r.power(), m) })
}

// given splits the roles that a change gives: those that hold at once, and those
// that wait for another person.
func (r rules) given(before, after []Role) (now, later []Role) {
	for _, m := range after {
		if slices.Contains(r.power(), m) && !slices.Contains(before, m) {
			later = append(later, m)
		} else {
			now = append(now, m)
		}
	}
	if len(now) == 0 {
		now = []Role{RoleView}
	}
	return now, later
}

// grant makes of a change of people[i] what holds at once, and lets the rest wait.
// before is how they were; the zero Person where they are new.
func (r *Roster) grant(i int, before Person, c PersonChange) error {
	p, rules := &r.people[i], r.rulesOf(c)
	g := rules.grants(before, c)
	r.drop(p) // what of it goes on to wait, is in g
	now, _ := rules.given(before.May, c.May)
	p.may(now, c.At)
	if c.Link != g.Link && c.Link != "" {
		p.Link, p.LinkUntil = c.Link, c.Until
	}
	claims := rules == powerWaits && !slices.Contains(before.systems, g.System) && g.System != ""
	if !claims {
		p.isAt(g.System)
	}
	waits, words := len(g.Gives) > 0 || g.Link != "" || claims, ""
	alone := len(r.People()) == 1 && rules == powerWaits
	switch {
	case !waits || alone:
		g.From = c.At
	case !slices.ContainsFunc(r.people, func(o Person) bool { return o.Password != "" && r.mayConfirm(o, g, rules) }):
		g.From = c.At.Add(grantWaits)
		fallthrough
	default:
		words = g.words(rules)
	}
	if c.event != 0 && c.waits != words {
		return noPerson("what was given to %s is to be %q, not %q", c.Name, words, c.waits)
	}
	if words != "" || g.System != "" { // to be told
		r.grants = append(r.grants, g)
	}
	if p.Waits = &g; words == "" {
		r.holds(i, c.At, "")
	} else {
		r.rules = rules
	}
	return nil
}

// grants returns what of a change is not only the word of who makes it, or is not to
// be: with what waited before and still does, and by whose word.
func (r rules) grants(before Person, c PersonChange) Grant {
	g := Grant{By: c.Actor, To: c.Name, At: c.At, May: c.May, System: c.System}
	_, g.Gives = r.given(before.May, c.May)
	if c.Link != "" && before.Name != "" && r.moves(slices.Concat(before.May, c.May)) {
		g.Link, g.open = c.Link, c.Until.Sub(c.At)
	}
	was := before.Waits
	if was == nil || r < powerWaits {
		return g
	}
	still := slices.ContainsFunc(g.Gives, func(m Role) bool { return slices.Contains(was.Gives, m) })
	if c.Link == "" && was.Link != "" {
		g.Link, g.open, still = was.Link, was.open, true
	}
	if c.System == "" {
		g.System = was.System
	}
	if still = still || g.System != "" && g.System == was.System; still {
		g.With = slices.DeleteFunc(was.Givers(), func(name string) bool { return name == g.By })
	}
	return g
}

// MayConfirm reports whether a person may confirm what others gave a third: who
// surely is none of them, and could have done so when it was given.
func (r Roster) MayConfirm(p Person, g Grant) bool { return r.mayConfirm(p, g, powerWaits) }

func (r Roster) mayConfirm(p Person, g Grant, by rules) bool {
	switch {
	case !p.confirms() || p.Name == g.To:
		return false
	case by < powerWaits:
		return !r.Same(p.Name, g.By)
	}
	return !p.since.After(g.At) && !slices.ContainsFunc(g.Givers(), func(giver string) bool { return r.Apart(p.Name, giver) != nil })
}

// confirms reports whether the person has a role by which they confirm.
func (p Person) confirms() bool { return p.Can(RoleAdmin) || p.Can(RoleApprove) }

// may gives a person roles, from a time on.
func (p *Person) may(roles []Role, from time.Time) {
	before := p.confirms()
	if p.May = roles; !before {
		p.since = from
	}
}

// Told returns the grants of the last seven days, and those that wait, oldest first.
func (r Roster) Told(now time.Time) []Grant {
	return slices.DeleteFunc(slices.Clone(r.grants), func(g Grant) bool {
		p, ok := r.Find(g.To)
		waits := ok && p.Waits != nil && p.Waits.Event == g.Event
		return !waits && now.Sub(g.At) >= grantTold
	})
}

// drop ends what a person waits for.
func (r *Roster) drop(p *Person) {
	if p.Waits != nil {
		r.grants = slices.DeleteFunc(r.grants, func(g Grant) bool { return g.Event == p.Waits.Event })
		p.Waits = nil
	}
}

// confirm lets what waits hold.
func (r *Roster) confirm(i int, c PersonChange) error {
	g := r.people[i].Waits
	if g == nil || g.Event != c.Grant {
		return noPerson("nothing that was given to %s waits for this: look at it again", c.Name)
	}
	if by, ok := r.Find(c.Actor); !ok || !r.mayConfirm(by, *g, r.rulesOf(c)) {
		return noPerson("what %s gave %s is confirmed by another person who is admin or may approve, and could when it was given", strings.Join(g.Givers(), " and "), g.To)
	}
	r.holds(i, c.At, c.Actor)
	return nil
}

// settle lets hold what nobody had to confirm and has waited long enough.
func (r *Roster) settle(now time.Time) {
	for i := range r.people {
		if g := r.people[i].Waits; g != nil && r.people[i].Removed.IsZero() && !g.Waits(now) {
			r.holds(i, g.From, "")
		}
	}
}

// holds lets what a person waits for hold.
func (r *Roster) holds(i int, from time.Time, by string) {
	p := &r.people[i]
	g := *p.Waits
	p.Waits, g.From, g.Confirmed = nil, from, by
	p.may(g.May, from)
	if g.Link != "" {
		p.Link, p.LinkUntil = g.Link, from.Add(g.open)
	}
	p.isAt(g.System)
	for j := range r.grants {
		if r.grants[j].Event == g.Event {
			r.grants[j] = g
		}
	}
}
