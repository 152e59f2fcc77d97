package ledger

import (
	"slices"
	"time"
)

// How long a grant waits where nobody can confirm it, and is told to everybody.
const (
	grantWaits = 24 * time.Hour
	grantTold  = 7 * 24 * time.Hour
)

// Grant is one person's word by which money may move: that somebody may approve or
// pay, has a new link who may, or is a system user. The first two wait for another
// person.
type Grant struct {
	Event     int64  // that gives it
	By, To    string // who gives, and who gets
	At        time.Time
	Gives     []Role    // RoleApprove, RolePay, or none
	May       []Role    // all that they may do then
	Link      string    // SHA-256 of a new link, lower-case hex; "" for none
	System    string    // the system user that they are from now on; "" as before. It does not wait.
	From      time.Time // since when it holds, or from when it will; zero while it waits for another person
	Confirmed string    // by whom; "" while nobody did, or nobody had to

	open time.Duration // how long the link is from then on
}

// words say what it waits for, as its event does.
func (g Grant) words() string {
	if g.From.IsZero() {
		return "for another person"
	}
	return "a day"
}

// Waits reports whether it does not hold yet.
func (g Grant) Waits(now time.Time) bool { return g.From.IsZero() || now.Before(g.From) }

// byWhichMoneyMoves are the roles that nobody has by one person's word alone.
var byWhichMoneyMoves = []Role{RoleApprove, RolePay}

// given splits the roles that a change gives: those that hold at once, and those
// that wait for another person.
func given(before, after []Role) (now, later []Role) {
	for _, r := range after {
		if slices.Contains(byWhichMoneyMoves, r) && !slices.Contains(before, r) {
			later = append(later, r)
		} else {
			now = append(now, r)
		}
	}
	if len(now) == 0 {
		now = []Role{RoleView}
	}
	return now, later
}

// grant decides what of a change of people[i] waits, once the change itself is
// made there. before is how they were; the zero Person where they are new. What was
// given before anything had to wait, held at once.
func (r *Roster) grant(i int, before Person, c PersonChange) error {
	p := &r.people[i]
	g := Grant{By: c.Actor, To: c.Name, At: c.At, May: c.May, System: c.System}
	p.May, g.Gives = given(before.May, c.May)
	moves := slices.ContainsFunc(append(before.May, c.May...), func(r Role) bool { return slices.Contains(byWhichMoneyMoves, r) })
	switch {
	case c.Link == "":
	case before.Name != "" && moves:
		g.Link, g.open = c.Link, c.Until.Sub(c.At)
	default:
		p.Link, p.LinkUntil = c.Link, c.Until
	}
	p.Waits = nil
	waits := len(g.Gives) > 0 || g.Link != ""
	switch {
	case !waits:
		g.From = c.At
	case !slices.ContainsFunc(r.people, func(o Person) bool { return o.Password != "" && r.MayConfirm(o, g) }):
		g.From = c.At.Add(grantWaits)
	}
	switch {
	case waits && c.event != 0 && c.waits == "" && !r.waits:
		if p.May = c.May; c.Link != "" {
			p.Link, p.LinkUntil = c.Link, c.Until
		}
		return nil
	case waits && c.event != 0 && c.waits != g.words(), !waits && c.waits != "":
		return noPerson("what was given to %s waits %s, not %q", c.Name, g.words(), c.waits)
	case waits:
		r.waits, p.Waits = true, &g
	}
	if waits || c.System != "" {
		r.grants = append(r.grants, g)
	}
	return nil
}

// MayConfirm reports whether a person may confirm what another gave a third.
func (r Roster) MayConfirm(p Person, g Grant) bool {
	return (p.Can(RoleAdmin) || p.Can(RoleApprove)) && p.Name != g.To && !r.Same(p.Name, g.By)
}

// Told returns the grants of the last seven days, and those that wait, oldest first.
func (r Roster) Told(now time.Time) []Grant {
	return slices.DeleteFunc(slices.Clone(r.grants), func(g Grant) bool {
		p, ok := r.Find(g.To)
		over := !ok || p.Waits == nil || p.Waits.Event != g.Event
		return over && (now.Sub(g.At) >= grantTold || g.From.IsZero())
	})
}

// confirm lets what waits hold.
func (r *Roster) confirm(i int, c PersonChange) error {
	g := r.people[i].Waits
	if g == nil || g.Event != c.Grant {
		return noPerson("nothing that was given to %s waits for this: look at it again", c.Name)
	}
	if by, ok := r.Find(c.Actor); !ok || !r.MayConfirm(by, *g) {
		return noPerson("what %s gave %s is confirmed by another person who is admin or may approve", g.By, g.To)
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

func (r *Roster) holds(i int, from time.Time, by string) {
	p := &r.people[i]
	g := *p.Waits
	g.From, g.Confirmed = from, by
	p.May, p.Waits = g.May, nil
	if g.Link != "" {
		p.Link, p.LinkUntil = g.Link, from.Add(g.open)
	}
	for j := range r.grants {
		if r.grants[j].Event == g.Event {
			r.grants[j] = g
		}
	}
}
