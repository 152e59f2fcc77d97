package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Role is what a person may do at the desk. Each includes to look.
type Role string

// The roles.
const (
	RoleView    Role = "view"
	RoleLoad    Role = "load"
	RoleApprove Role = "approve"
	RolePay     Role = "pay"
	RoleAdmin   Role = "admin" // people and policy; it stands alone, so that nobody gives a role to themselves and uses it
)

// Roles lists them, in the order in which they are shown.
var Roles = [...]Role{RoleView, RoleLoad, RoleApprove, RolePay, RoleAdmin}

// Person is somebody who may use the desk.
type Person struct {
	Name      string
	May       []Role    // in the order of Roles
	Added     time.Time // by event
	Removed   time.Time // zero while they may come
	Link      string    // SHA-256 of the link that sets their password once, lower-case hex; "" where none is open
	LinkUntil time.Time // from then on it opens nothing
	Password  string    // SHA-256 of what is kept of their password; "" until they chose one
	Changed   int64     // the event that changed them last: a login from before it has ended
	System    string    // the system user that they are at a terminal; "" for none
	Waits     *Grant    // what they will have, and have not yet; nil for nothing

	joined  bool      // they chose a password once
	systems []string  // every one that they ever were
	since   time.Time // when they got a role by which they confirm what others give
}

// As reports whether nothing has changed about a person since they were q.
func (p Person) As(q Person) bool { return p.Changed == q.Changed && slices.Equal(p.May, q.May) }

// Can reports whether the person may do what takes the role.
func (p Person) Can(r Role) bool {
	return p.Removed.IsZero() && (r == RoleView && len(p.May) > 0 || slices.Contains(p.May, r))
}

// PeopleError is why people cannot be changed so.
type PeopleError struct{ Why string }

func (e *PeopleError) Error() string { return e.Why }

func noPerson(format string, args ...any) error { return &PeopleError{fmt.Sprintf(format, args...)} }

// PersonChange is one person's word about who may use the desk. Its kind is that
// of its event.
type PersonChange struct {
	Kind   string // EventPersonAdded, EventPersonChanged, EventPersonRemoved, EventPersonConfirmed or EventPasswordSet
	Name   string
	First  bool      // added while there is nobody at all, else refused
	May    []Role    // of one who is added or changed
	System string    // the system user that they are from now on; "" as before
	Link   string    // SHA-256 of a one-time link, lower-case hex: a new one, or the one that sets the password; "" for none
	Until  time.Time // when a new link ends
	Kept   string    // what is kept of a new password
	Grant  int64     // the event of what is confirmed, or taken back
	Actor  string
	At     time.Time

	TakeBack bool // of one who is changed: what Grant gave waits no longer, and was never theirs

	kept  string // KeptPassword of Kept
	waits string // for what, in words; see Grant.words
	event int64  // its number; 0 before it has one
}

// Roster is who may use the desk, as the audit trail tells it, event by event.
// The zero value is that of a ledger without people. A name that was given once
// stays its person's: it is never given again.
type Roster struct {
	people []Person // the removed ones too, in the order of adding
	grants []Grant  // oldest first
	rules  rules    // of the newest change that says by which it was made
}

// Now returns the roster as it is at a moment: what was given and waits for nothing
// but time holds from its time on.
func (r Roster) Now(now time.Time) Roster {
	r = Roster{slices.Clone(r.people), slices.Clone(r.grants), r.rules}
	r.settle(now)
	return r
}

// People returns those who may use the desk, in the order of adding.
func (r Roster) People() []Person {
	return slices.DeleteFunc(slices.Clone(r.people), func(p Person) bool { return !p.Removed.IsZero() })
}

// Empty reports whether there never were people.
func (r Roster) Empty() bool { return len(r.people) == 0 }

// Find returns one of People by name.
func (r Roster) Find(name string) (Person, bool) {
	for _, p := range r.people {
		if p.Name == name && p.Removed.IsZero() {
			return p, true
		}
	}
	return Person{}, false
}

// ByLink returns whose password an open link sets. link is its SHA-256.
func (r Roster) ByLink(link string, now time.Time) (Person, bool) {
	for _, p := range r.people {
		if link != "" && p.Link == link && p.Removed.IsZero() && now.Before(p.LinkUntil) {
			return p, true
		}
	}
	return Person{}, false
}

// KeptPassword names what is kept of a password, without telling it.
func KeptPassword(kept string) string {
	sum := sha256.Sum256([]byte(kept))
	return hex.EncodeToString(sum[:])
}

// Decide returns the event that a person's word is, or a *PeopleError where the
// rules do not let it happen.
func (r Roster) Decide(c PersonChange) (Event, error) {
	if c.First && len(r.people) > 0 {
		return Event{}, noPerson("there are people already: one of them who is admin adds others")
	}
	if err := validName(c.Name); err != nil { // before it stands in words that are read back
		return Event{}, err
	}
	if err := validSystem(c.System); err != nil {
		return Event{}, err
	}
	after, err := r.after(c)
	if err != nil {
		return Event{}, err
	}
	if p, ok := after.Find(c.Name); ok && p.Waits != nil && p.Waits.Event == 0 {
		c.waits = p.Waits.words(newest)
	}
	e := Event{At: c.At, Actor: c.Actor, Kind: c.Kind, Detail: c.detail()}
	said, ok := e.personChange() // what the trail will say, and nothing else, is judged
	if !ok {
		return e, fmt.Errorf("%q is no change of people", c.Kind)
	}
	_, err = r.after(said)
	return e, err
}

// Follow takes the next event of the audit trail; those that are not about people
// change nothing. The error is that the event cannot have happened: then it is
// not followed.
func (r *Roster) Follow(e Event) error {
	c, ok := e.personChange()
	if !ok {
		return nil
	}
	c.event = e.Seq
	after, err := r.after(c)
	if err != nil {
		return fmt.Errorf("event %d: %w", e.Seq, err)
	}
	*r = after
	return nil
}

// after returns the people as a change leaves them.
func (r Roster) after(c PersonChange) (Roster, error) {
	r = r.Now(c.At)
	i, err := r.change(c)
	if err != nil {
		return Roster{}, err
	}
	r.people[i].Changed = c.event
	if g := r.people[i].Waits; g != nil && g.Event == 0 {
		g.Event = c.event
	}
	if n := len(r.grants); n > 0 && r.grants[n-1].Event == 0 {
		r.grants[n-1].Event = c.event
	}
	return r, nil
}

// change makes a change, and returns whose it is.
func (r *Roster) change(c PersonChange) (int, error) {
	i := slices.IndexFunc(r.people, func(p Person) bool { return p.Name == c.Name })
	if c.Kind == EventPersonAdded {
		return len(r.people), r.add(i, c)
	}
	if i < 0 || !r.people[i].Removed.IsZero() {
		return i, noPerson("there is nobody named %s", c.Name)
	}
	p := &r.people[i]
	switch c.Kind {
	case EventPersonChanged:
		if err := r.validChange(c); err != nil {
			return i, err
		}
		if !slices.Contains(c.May, RoleAdmin) && r.lastAdmin(*p) {
			return i, noPerson("%s is the only admin: make somebody else admin first", c.Name)
		}
		if c.TakeBack {
			if _, err := p.waitsFor(c.Grant); err != nil {
				return i, err
			}
		}
		return i, r.grant(i, *p, c)
	case EventPersonRemoved:
		if r.lastAdmin(*p) {
			return i, noPerson("%s is the only admin: make somebody else admin first", c.Name)
		}
		r.drop(p)
		p.Removed, p.Link, p.Password = c.At, "", ""
	case EventPersonConfirmed:
		return i, r.confirm(i, c)
	case EventPasswordSet:
		if q, open := r.ByLink(c.Link, c.At); !open || q.Name != c.Name {
			return i, noPerson("the link was used before, or its time is over")
		}
		p.Link, p.Password, p.joined = "", c.kept, true
	}
	return i, nil
}

// add adds a person where nobody has the name: named is whoever has it, -1 for
// nobody.
func (r *Roster) add(named int, c PersonChange) error {
	if err := validName(c.Name); err != nil {
		return err
	}
	if named >= 0 {
		return noPerson("the name %s was given before, and a name is never given twice", c.Name)
	}
	if err := r.validChange(c); err != nil {
		return err
	}
	if len(r.People()) == 0 && !slices.Contains(c.May, RoleAdmin) {
		return noPerson("the first person has to be admin: somebody has to be able to add the others")
	}
	for _, p := range r.people {
		if p.claims(c.Name) {
			return noPerson("%s is the system user of %s: as the name of another they would be one person", c.Name, p.Name)
		}
	}
	r.people = append(r.people, Person{Name: c.Name, Added: c.At})
	if err := r.grant(len(r.people)-1, Person{}, c); err != nil {
		return err
	}
	if to, gave := r.giverOf(c.Name); gave && r.rulesOf(c) >= linksEnd {
		return noPerson("the system user %s gave %s what still waits for another person, and as the name of a person it would be theirs: take another name, take that back first, or let somebody of the desk give it", c.Name, to.Name)
	}
	return nil
}

func (r *Roster) validChange(c PersonChange) error {
	if err := validRoles(c.May); err != nil || c.System == "" {
		return err
	}
	return r.freeSystem(c.Name, c.System)
}

func (r Roster) lastAdmin(p Person) bool {
	return p.Can(RoleAdmin) && !slices.ContainsFunc(r.people, func(o Person) bool { return o.Name != p.Name && o.Can(RoleAdmin) })
}

// MostName is how long a name may be.
const MostName = 40

// validName takes what nobody can mistake for another name: of other scripts'
// letters some look like these.
func validName(name string) error {
	odd := strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune(".-_", c)
	})
	if name == "" || len(name) > MostName || odd || strings.ContainsAny(name[:1], ".-_") {
		return noPerson("%q is no name for a person: up to %d of the letters a to z, digits and . - _, a letter or digit first", Plain(name), MostName)
	}
	return nil
}

func validRoles(may []Role) error {
	if len(may) == 0 {
		return noPerson("no role is given; there are %s", roleWords(Roles[:]))
	}
	for _, r := range may {
		if !slices.Contains(Roles[:], r) {
			return noPerson("there is no role %q; there are %s", Plain(string(r)), roleWords(Roles[:]))
		}
	}
	if slices.Contains(may, RoleAdmin) && len(may) > 1 {
		return noPerson("admin stands alone: whoever says who may pay neither loads, approves nor pays")
	}
	return nil
}

// OrderedRoles returns roles once each, in the order of Roles, unknown ones last.
// To look is in each of them, and named only where it is the only one.
func OrderedRoles(may []Role) []Role {
	out := slices.Clone(may)
	slices.SortFunc(out, func(a, b Role) int {
		return place(a) - place(b)
	})
	out = slices.Compact(out)
	if len(out) > 1 {
		out = slices.DeleteFunc(out, func(r Role) bool { return r == RoleView })
	}
	return out
}

func place(r Role) int {
	if i := slices.Index(Roles[:], r); i >= 0 {
		return i
	}
	return len(Roles)
}

func roleWords(roles []Role) string {
	words := make([]string, len(roles))
	for i, r := range roles {
		words[i] = string(r)
	}
	return strings.Join(words, ", ")
}

// detail says in words what the event is about; personChange reads it back.
func (c PersonChange) detail() string {
	parts := []string{c.Name}
	if len(c.May) > 0 {
		parts = append(parts, "may "+roleWords(c.May))
	}
	if c.System != "" {
		parts = append(parts, "system user "+c.System)
	}
	switch event := "event " + strconv.FormatInt(c.Grant, 10); {
	case c.TakeBack:
		parts = append(parts, "takes back "+event)
	case c.Grant != 0:
		parts = append(parts, event)
	}
	if c.waits != "" {
		parts = append(parts, c.waits)
	}
	if c.Link != "" {
		parts = append(parts, "link "+c.Link)
	}
	if !c.Until.IsZero() {
		parts = append(parts, "until "+c.Until.UTC().Format(time.RFC3339))
	}
	if c.Kept != "" {
		parts = append(parts, "password "+KeptPassword(c.Kept))
	}
	return strings.Join(parts, "; ")
}

// personChange reads back what Decide wrote.
func (e *Event) personChange() (c PersonChange, ok bool) {
	if !slices.Contains([]string{EventPersonAdded, EventPersonChanged, EventPersonRemoved, EventPersonConfirmed, EventPasswordSet}, e.Kind) {
		return c, false
	}
	parts := strings.Split(e.Detail, "; ")
	c = PersonChange{Kind: e.Kind, Name: parts[0], Actor: e.Actor, At: e.At}
	for _, part := range parts[1:] {
		if saidBy(part) != nothingWaits {
			c.waits = part
			continue
		}
		switch what, said, _ := strings.Cut(part, " "); what {
		case "may":
			for w := range strings.SplitSeq(said, ", ") {
				c.May = append(c.May, Role(w))
			}
		case "system":
			c.System = strings.TrimPrefix(said, "user ")
		case "takes":
			c.TakeBack = true
			c.Grant, _ = strconv.ParseInt(strings.TrimPrefix(said, "back event "), 10, 64)
		case "event":
			c.Grant, _ = strconv.ParseInt(said, 10, 64) // 0 is no event
		case "link":
			c.Link = said
		case "until":
			c.Until, _ = time.Parse(time.RFC3339, said) // the zero time opens nothing
		case "password":
			c.kept = said
		}
	}
	return c, true
}

// Login is the event of somebody who came to the desk, or tried to.
type Login struct {
	Name string // "" where nobody has the name that was given: it may be a password typed in the wrong field
	From string // the address they came from
	Kind string // one of LoginKinds
	What string // what they wanted to decide, or were given; "" for nothing
	At   time.Time
}

// LoginKinds are the kinds of the event of a Login. It changes nothing but the trail:
// no sheet, batch or payout, no policy, and not who may do what.
var LoginKinds = [...]string{EventLoggedIn, EventLoginRefused, EventLoggedOut, EventProofWanted, EventNotDecided, EventNumbersGiven}

// nobody is the actor of an event whose name is no person's. No person can have it.
const nobody = "(nobody)"

// Event is what the audit trail says of it.
func (l Login) Event() Event {
	name := l.Name
	if name == "" {
		name = nobody
	}
	e := Event{At: l.At, Actor: name, Kind: l.Kind, Detail: "at the desk, from " + l.From}
	if l.What != "" {
		e.Detail += ": " + l.What
	}
	return e
}
