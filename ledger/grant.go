package ledger

import (
	"slices"
	"strconv"
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
// another person, where there is any but who gets it. A new link of whoever has joined
// is one too: where it holds at once, everybody is told.
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

	open  time.Duration // how long the link is from then on
	still string        // what goes on to wait though its change does not ask for it, in words
}

// Givers are all by whose word it is, who gave last first.
func (g Grant) Givers() []string { return append([]string{g.By}, g.With...) }

// words say what it waits for, as its event does.
func (g Grant) words(r rules) string {
	words := r.word() + " a day"
	if g.From.IsZero() {
		words = r.word() + " for another person"
	}
	if r >= linksEnd {
		words += g.still
	}
	return words
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
	linksEnd                  // whoever asks for power for somebody ends their open link; and a removal is no way to be alone

	newest = linksEnd
)

// word is that of an event which says that something waits by these rules.
func (r rules) word() string {
	return [...]string{nothingWaits: "", moneyWaits: "waits", powerWaits: "held", linksEnd: "withheld"}[r]
}

// rulesOf are the rules that a change is judged by: today's, before it is an event.
func (r *Roster) rulesOf(c PersonChange) rules {
	if c.event == 0 {
		return newest
	}
	return max(r.rules, saidBy(c.waits))
}

// saidBy returns the rules by which words say that something waits; nothingWaits
// where they do not.
func saidBy(words string) rules {
	word, _, _ := strings.Cut(words, " ")
	for r := newest; r > nothingWaits; r-- {
		if word == r.word() {
			return r
		}
	}
	return nothingWaits
}

// power is what nobody has by one person's word alone.
func (r rules) power() []Role {
	switch r {
	case nothingWaits:
		return nil
	case moneyWaits:
		return []Role{RoleApprove, RolePay}
	}
	return []Role{RoleApprove, RolePay, RoleAdmin}
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
	claims := rules >= powerWaits && !slices.Contains(before.systems, g.System) && g.System != ""
	if !claims {
		p.isAt(g.System)
	}
	waits, words := len(g.Gives) > 0 || g.Link != "" || claims, ""
	switch {
	case !waits || r.alone(c.At, rules):
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
	joined := before.Password != ""
	switch {
	case words == "" && joined && c.Link != "":
		g.Link, g.open = c.Link, c.Until.Sub(c.At)
	case words != "" && joined && rules >= linksEnd:
		p.Link = "" // whoever made it could be them by it, once they have the power
	}
	if words != "" || g.System != "" || g.Link != "" { // to be told
		r.grants = append(r.grants, g)
	}
	if p.Waits = &g; words == "" {
		r.holds(i, c.At, "")
	} else {
		r.rules = rules
	}
	return nil
}

// alone reports whether nobody is there to see what one person gives, nor was within
// the time that it would wait: who sends everybody away is not alone by that.
func (r *Roster) alone(now time.Time, by rules) bool {
	return by >= powerWaits && len(r.People()) == 1 && (by < linksEnd || !slices.ContainsFunc(r.people, func(p Person) bool {
		return p.joined && !p.Removed.IsZero() && now.Sub(p.Removed) < grantWaits
	}))
}

// grants returns what of a change is not only the word of who makes it, or is not to
// be: with what waited before and still does, and by whose word.
func (r rules) grants(before Person, c PersonChange) Grant {
	g := Grant{By: c.Actor, To: c.Name, At: c.At, May: c.May, System: c.System}
	_, g.Gives = r.given(before.May, c.May)
	if was := before.Waits; was != nil && r >= powerWaits && !c.TakeBack {
		g.goOn(*was, c)
	}
	if c.Link != "" && r.linkWaits(before, g) {
		g.Link, g.open = c.Link, c.Until.Sub(c.At)
	}
	return g
}

// linkWaits reports whether a new link is as much as the power of the person whose it
// is: how they were, and what they are given.
func (r rules) linkWaits(before Person, g Grant) bool {
	system := r >= linksEnd && before.Password != "" && (before.System != "" || g.System != "")
	return before.Name != "" && (system || r.moves(slices.Concat(before.May, g.May)))
}

// goOn takes from what waited before what a change leaves.
func (g *Grant) goOn(was Grant, c PersonChange) {
	var still []string
	for _, m := range g.Gives {
		if slices.Contains(was.Gives, m) {
			still = append(still, string(m))
		}
	}
	if c.Link == "" && was.Link != "" {
		g.Link, g.open, still = was.Link, was.open, append(still, "link")
	}
	if c.System == "" {
		g.System = was.System
	}
	if g.System != "" && g.System == was.System {
		still = append(still, "system user "+g.System)
	}
	if len(still) > 0 {
		g.With = slices.DeleteFunc(was.Givers(), func(name string) bool { return name == g.By })
		g.still = ", with what event " + strconv.FormatInt(was.Event, 10) + " gave: " + strings.Join(still, ", ")
	}
}

// waitsFor returns what waits for a person, where it is what an event gave.
func (p Person) waitsFor(event int64) (*Grant, error) {
	if g := p.Waits; g != nil && g.Event == event {
		return g, nil
	}
	return nil, noPerson("nothing that was given to %s waits for this: look at it again", p.Name)
}

// giverOf returns the person for whom something waits that somebody of that name gave.
func (r Roster) giverOf(name string) (to Person, ok bool) {
	i := slices.IndexFunc(r.people, func(p Person) bool {
		return p.Waits != nil && slices.ContainsFunc(p.Waits.Givers(), func(giver string) bool { return SamePerson(giver, name) })
	})
	if i < 0 {
		return Person{}, false
	}
	return r.people[i], true
}

// MayConfirm reports whether a person may confirm what others gave a third: who
// surely is none of them, and could have done so when it was given.
func (r Roster) MayConfirm(p Person, g Grant) bool { return r.mayConfirm(p, g, newest) }

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
	g, err := r.people[i].waitsFor(c.Grant)
	if err != nil {
		return err
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
