package ledger

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// Role is what a person may do. Each includes reading.
type Role string

// The roles.
const (
	RoleView    Role = "view"
	RoleLoad    Role = "load"
	RoleApprove Role = "approve"
	RolePay     Role = "pay"
	RoleAdmin   Role = "admin" // people and policy; cannot be combined with another role
)

// Roles lists them, in the order of display.
var Roles = [...]Role{RoleView, RoleLoad, RoleApprove, RolePay, RoleAdmin}

// powers are the roles that another admin confirms, and that need a second factor if the policy
// requires it.
var powers = []Role{RoleApprove, RolePay, RoleAdmin}

// Person is a person on the roster.
type Person struct {
	Name      string
	Display   string    // how pages name them; "" for Name
	May       []Role    // in the order of Roles
	Added     time.Time // time of the event
	Removed   time.Time // zero while they are on the roster
	Link      string    // SHA-256 of the link that sets their password once, lower-case hex; "" if none is open
	LinkUntil time.Time // end of validity of the link
	Password  string    // KeptPassword of their password; "" until they chose one
	Factors   []Factor  // in addition to the password, in the order of adding
	Changed   int64     // the event that changed them last: earlier logins have ended
	Terminals []string  // their actors at a terminal: at most one system user and one database role
	Waits     *PersonChange

	terminals []string // all terminal actors that they ever had
}

// Factor is a second factor: a person signs in with it in addition to the password.
type Factor struct {
	Kind  FactorKind
	Label string    // the person's own name for it
	Name  string    // SHA-256 of the stored record
	Added time.Time // time of the event
}

// FactorKind is the kind of a factor.
type FactorKind string

// The kinds of factors.
const (
	FactorTOTP    FactorKind = "totp"    // an app that shows codes
	FactorPasskey FactorKind = "passkey" // a key of a device, for this desk only
)

// mostFactors is the maximum number of factors of a person.
const mostFactors = 8

// Shown returns the name of a person on pages.
func (p Person) Shown() string {
	if p.Display == "" {
		return p.Name
	}
	return p.Display + " (" + p.Name + ")"
}

// Shown returns the name of an actor on pages: that of their person, also after a removal; "" if
// the actor has no person, or the person no display name.
func (r Users) Shown(actor string) string {
	if p := r.ever(actor); p != nil && p.Display != "" {
		return p.Shown()
	}
	return ""
}

// Has reports whether one of the person's factors is of a kind.
func (p Person) Has(kind FactorKind) bool {
	return slices.ContainsFunc(p.Factors, func(f Factor) bool { return f.Kind == kind })
}

// As reports whether the person has not changed since q was read.
func (p Person) As(q Person) bool { return p.Changed == q.Changed }

// Can reports whether the person has the role.
func (p Person) Can(r Role) bool {
	return p.Removed.IsZero() && (r == RoleView && len(p.May) > 0 || slices.Contains(p.May, r))
}

// acts reports whether the person can log in, or work at a terminal.
func (p Person) acts() bool { return p.Password != "" || len(p.Terminals) > 0 }

// At returns the person's actor at a terminal of a ledger on a server, or in a file; "" for none.
func (p Person) At(server bool) string {
	kind := kernelUser
	if server {
		kind = dbRole
	}
	actor, _ := First(p.Terminals, func(actor string) bool { return kindOf(actor) == kind })
	return actor
}

// Powerful reports whether the person has the role approve, pay or admin.
func (p Person) Powerful() bool {
	return slices.ContainsFunc(powers, p.Can)
}

// PeopleError says why a change of people, or a person's decision about a statement, is refused.
// NeedsPerson: another person may make it, or the same person later.
type PeopleError struct {
	Why         string
	NeedsPerson bool
}

func (e *PeopleError) Error() string { return e.Why }

func noPerson(format string, args ...any) error {
	return &PeopleError{Why: fmt.Sprintf(format, args...)}
}

func notThey(format string, args ...any) error {
	return &PeopleError{Why: fmt.Sprintf(format, args...), NeedsPerson: true}
}

// PersonChange is one person's change of the roster. Its JSON is the detail of its event; Kind
// is the kind of the event.
type PersonChange struct {
	Name         string     `json:"name"`
	First        bool       `json:"first,omitempty"`      // added while there are no people, else refused
	May          []Role     `json:"may,omitempty"`        // all roles that an added or changed person has afterwards
	Terminal     string     `json:"terminal,omitempty"`   // their new terminal actor, instead of one of its kind; "" for no change
	Untie        bool       `json:"untie,omitempty"`      // their terminal actors are removed
	Link         string     `json:"link,omitempty"`       // SHA-256 of a one-time link, lower-case hex: a new one, or the one that sets the password
	Until        time.Time  `json:"until,omitzero"`       // when a new link ends
	Password     string     `json:"password,omitempty"`   // KeptPassword of a new password
	Display      string     `json:"display,omitempty"`    // their new name on pages; "" for no change
	Factor       FactorKind `json:"factor,omitempty"`     // of an added factor
	Label        string     `json:"label,omitempty"`      // of the factor
	Secret       string     `json:"secret,omitempty"`     // KeptPassword of the added or removed factor
	NoFactors    bool       `json:"no_factors,omitempty"` // all their factors are removed
	PendingGrant int64      `json:"grant,omitempty"`      // the event that is confirmed, or withdrawn

	Kind   string    `json:"-"` // one of PeopleKinds
	Actor  string    `json:"-"`
	At     time.Time `json:"-"`
	Stored string    `json:"-"` // the stored record of a new password or factor
	Event  int64     `json:"-"` // its number; 0 until it has one

	Gives []Role `json:"-"` // of May: the new roles
}

// PeopleKinds are the kinds of the events of the roster.
var PeopleKinds = [...]string{EventPersonAdded, EventPersonChanged, EventPersonRemoved, EventPersonConfirmed, EventGrantTakenBack, EventPasswordSet, EventFactorAdded, EventFactorRemoved}

const (
	afterAdmin = 72 * time.Hour     // after an admin was removed, new powers are refused for this long
	recentFor  = 7 * 24 * time.Hour // a change stays on the first page for this long
)

// Users says who may do what, built from the audit trail event by event. A ledger without people
// has the zero value. A name is never given twice.
type Users struct {
	people  []Person       // including removed ones, in the order of adding
	changes []PersonChange // all but passwords and factors, oldest first
	ended   time.Time      // when an admin was last removed
}

// People returns the people on the roster, in the order of adding.
func (r Users) People() []Person {
	return slices.DeleteFunc(slices.Clone(r.people), func(p Person) bool { return !p.Removed.IsZero() })
}

// Empty reports whether there were never any people.
func (r Users) Empty() bool { return len(r.people) == 0 }

// Find returns one of People by name.
func (r Users) Find(name string) (Person, bool) {
	return r.first(func(p Person) bool { return p.Name == name })
}

// ByLink returns the person whose password an open link sets. link is its SHA-256.
func (r Users) ByLink(link string, now time.Time) (Person, bool) {
	return r.first(func(p Person) bool { return link != "" && p.Link == link && now.Before(p.LinkUntil) })
}

// first returns the first of People for whom is returns true.
func (r Users) first(is func(Person) bool) (Person, bool) {
	return First(r.people, func(p Person) bool { return p.Removed.IsZero() && is(p) })
}

// RecentChanges returns the changes of the last week and those that wait, oldest first.
func (r Users) RecentChanges(now time.Time) []PersonChange {
	return slices.DeleteFunc(slices.Clone(r.changes), func(c PersonChange) bool {
		return now.Sub(c.At) >= recentFor && !r.Waiting(c)
	})
}

// Waiting reports whether a change waits for another admin.
func (r Users) Waiting(c PersonChange) bool {
	p, ok := r.Find(c.Name)
	return ok && p.Waits != nil && p.Waits.Event == c.Event
}

// MayConfirm returns nil if an actor may confirm a waiting change; else the reason.
func (r Users) MayConfirm(actor string, c PersonChange) error {
	if p, ok := r.Who(actor); !ok || !p.Can(RoleAdmin) || r.SecondPerson(c.Actor, actor) != nil {
		return notThey("what %s gave %s waits for another admin", c.Actor, c.Name)
	}
	return nil
}

// Admins returns the people who can give roles.
func (r Users) Admins() []Person {
	return slices.DeleteFunc(r.People(), func(p Person) bool { return !p.Can(RoleAdmin) || !p.acts() })
}

// Administered reports whether an admin can act in this ledger: at a terminal of a server or of a
// file, or with a password if the ledger has passwords (an imported one has none). It is true if
// there is no admin.
func (r Users) Administered(server, passwords bool) bool {
	admins := r.Admins()
	return len(admins) == 0 || slices.ContainsFunc(admins, func(p Person) bool { return passwords && p.Password != "" || p.At(server) != "" })
}

// KeptPassword returns the SHA-256 of the stored record of a password or factor, lower-case hex.
// It identifies the record without revealing it.
func KeptPassword(kept string) string {
	return Digest(sha256.Sum256([]byte(kept))).String()
}

// Decide returns the event of a person's decision, or a *PeopleError if the rules forbid it.
func (r Users) Decide(c PersonChange) (Event, error) {
	switch {
	case c.Stored != "" && c.Kind == EventFactorAdded:
		c.Secret = KeptPassword(c.Stored)
	case c.Stored != "":
		c.Password = KeptPassword(c.Stored)
	}
	e := Event{At: c.At, Actor: c.Actor, Kind: c.Kind, Detail: jsonText(c)}
	return e, r.Replay(e) // r is a copy
}

// Replay takes the next event of the audit trail and ignores events that are not about people.
// If the event cannot have happened, it returns an error and changes nothing.
func (r *Users) Replay(e Event) error {
	if !slices.Contains(PeopleKinds[:], e.Kind) {
		return nil
	}
	c, err := e.PersonChange()
	if err != nil {
		return err
	}
	after := Users{slices.Clone(r.people), slices.Clip(r.changes), r.ended}
	if err := after.change(c); err != nil {
		return err
	}
	*r = after
	return nil
}

// PersonChange reads back an event that Decide wrote.
func (e *Event) PersonChange() (c PersonChange, err error) {
	in := json.NewDecoder(bytes.NewReader([]byte(e.Detail)))
	in.DisallowUnknownFields()
	if err := in.Decode(&c); err != nil {
		return c, fmt.Errorf("event %d says nothing about people: %w", e.Seq, err)
	}
	c.Kind, c.Actor, c.At, c.Event = e.Kind, e.Actor, e.At, e.Seq
	return c, nil
}

// Words describes a change for people.
func (c PersonChange) Words() string {
	parts := phrases{c.Name}
	parts.add(len(c.May) > 0, "may "+roleWords(c.May))
	parts.add(c.Display != "", "shown as "+c.Display)
	parts.add(c.Terminal != "", atTerminal(c.Terminal))
	parts.add(c.Untie, "no system user")
	parts.add(c.Link != "" && c.Kind != EventPasswordSet, "a link to choose a password")
	parts.add(c.NoFactors, "no second factor, until they add another")
	parts.add(c.Factor != "", strings.TrimSpace(string(c.Factor)+" "+c.Label))
	parts.add(c.PendingGrant != 0, fmt.Sprintf("event %d", c.PendingGrant))
	return strings.Join(parts, "; ")
}

// change applies a change.
func (r *Users) change(c PersonChange) error {
	switch c.Kind {
	case EventPasswordSet:
		return r.setPassword(c)
	case EventFactorAdded, EventFactorRemoved:
		return r.setFactor(c)
	}
	if !(c.First && r.Empty()) && !r.May(c.Actor, RoleAdmin) {
		return notThey("%s is no admin: an admin says who may do what", Plain(c.Actor))
	}
	if c.Kind == EventPersonAdded {
		if err := r.add(c); err != nil {
			return err
		}
	}
	i := slices.IndexFunc(r.people, func(p Person) bool { return p.Name == c.Name && p.Removed.IsZero() })
	if i < 0 {
		return noPerson("there is no person named %s", Plain(c.Name))
	}
	p := &r.people[i]
	var err error
	switch c.Kind {
	case EventPersonRemoved:
		err = r.remove(p, c.At)
	case EventPersonConfirmed:
		err = r.confirm(p, c)
	case EventGrantTakenBack:
		_, err = p.waitsFor(c.PendingGrant)
		p.Waits = nil
	default:
		err = r.give(p, &c)
	}
	p.Changed = c.Event
	r.changes = append(r.changes, c)
	return err
}

func (r *Users) setPassword(c PersonChange) error {
	q, open := r.ByLink(c.Link, c.At)
	if own, ok := r.Find(c.Name); c.Link == "" && ok && own.Password != "" && c.Actor == c.Name {
		q, open = own, true // they change their own password, and know the old one
	}
	if !open || q.Name != c.Name || c.Password == "" {
		return noPerson("the link was used before, or its time is over")
	}
	p := r.ever(c.Name)
	p.Link, p.Password, p.Changed = "", c.Password, c.Event
	return nil
}

// setFactor adds or removes a factor of the person who asks for it.
func (r *Users) setFactor(c PersonChange) error {
	q, ok := r.Find(c.Name)
	if !ok || q.Password == "" || c.Actor != c.Name {
		return noPerson("people add and remove second factors of their own, once they have a password")
	}
	p := r.ever(c.Name)
	has := slices.IndexFunc(p.Factors, func(f Factor) bool { return f.Name == c.Secret })
	switch {
	case c.Kind == EventFactorRemoved && has < 0:
		return noPerson("you have no such second factor: look at it again")
	case c.Kind == EventFactorRemoved:
		p.Factors = slices.Delete(slices.Clone(p.Factors), has, has+1)
	case c.Factor != FactorTOTP && c.Factor != FactorPasskey || c.Secret == "" || has >= 0 || len(c.Label) > MostName || c.Label != Plain(c.Label):
		return noPerson("that is no second factor")
	case len(p.Factors) >= mostFactors:
		return noPerson("you have %d second factors: remove one first", mostFactors)
	default:
		p.Factors = append(slices.Clone(p.Factors), Factor{c.Factor, c.Label, c.Secret, c.At})
	}
	p.Changed = c.Event
	return nil
}

// add adds a person without roles.
func (r *Users) add(c PersonChange) error {
	if err := validName(c.Name); err != nil {
		return err
	}
	switch {
	case c.First && len(r.people) > 0:
		return noPerson("there are people already: one of them who is admin adds others")
	case slices.ContainsFunc(r.people, func(p Person) bool { return p.Name == c.Name }):
		return noPerson("the name %s was given before, and a name is never given twice", c.Name)
	case len(r.People()) == 0 && !slices.Contains(c.May, RoleAdmin):
		return noPerson("the first person has to be admin, to be able to add the others: payrun people add NAME --may admin, or the link of payrun desk")
	}
	r.people = append(r.people, Person{Name: c.Name, Added: c.At})
	return nil
}

// give applies a change to a person. Roles that it removes are gone at once. If another admin has
// to confirm the rest, it waits, and replaces an earlier waiting change.
func (r *Users) give(p *Person, c *PersonChange) error {
	if err := r.validGift(p, *c); err != nil {
		return err
	}
	takes := without(p.May, c.May)
	c.Gives = without(c.May, p.May)
	ties := c.Untie || c.Terminal != "" && !slices.Contains(p.Terminals, c.Terminal)
	power := slices.ContainsFunc(c.Gives, func(r Role) bool { return slices.Contains(powers, r) })
	if power || ties || (c.Link != "" || c.NoFactors) && p.Powerful() {
		if err := r.afterAdmin(c.At); err != nil {
			return err
		}
		if len(r.Admins()) > 1 {
			err := r.loses(p, slices.Contains(takes, RoleAdmin), c.At)
			p.May, p.Waits = without(p.May, takes), c
			return err
		}
	}
	return r.holds(p, c)
}

// holds applies the whole change.
func (r *Users) holds(p *Person, c *PersonChange) error {
	if err := r.loses(p, !slices.Contains(c.May, RoleAdmin) || c.Untie && p.Password == "", c.At); err != nil {
		return err
	}
	p.May, p.Waits = c.May, nil
	if c.Display != "" {
		p.Display = c.Display
	}
	if c.NoFactors {
		p.Factors = nil
	}
	if c.Link != "" {
		p.Link, p.LinkUntil = c.Link, c.Until
	}
	if c.Untie {
		p.Terminals = nil
	}
	if c.Terminal != "" {
		others := slices.DeleteFunc(slices.Clone(p.Terminals), func(actor string) bool { return kindOf(actor) == kindOf(c.Terminal) })
		p.Terminals, p.terminals = append(others, c.Terminal), append(slices.Clone(p.terminals), c.Terminal)
	}
	return nil
}

// loses protects the last admin. goes: after the change the person is no admin, or cannot act.
func (r *Users) loses(p *Person, goes bool, at time.Time) error {
	if !goes || !p.Can(RoleAdmin) {
		return nil
	}
	if !slices.ContainsFunc(r.People(), func(o Person) bool { return o.Name != p.Name && o.Can(RoleAdmin) && (o.acts() || !p.acts()) }) {
		return noPerson("%s is the only admin: make another person admin first", p.Name)
	}
	if p.acts() {
		r.ended = at
	}
	return nil
}

func (r *Users) remove(p *Person, at time.Time) error {
	if err := r.loses(p, true, at); err != nil {
		return err
	}
	p.Removed, p.Link, p.Password, p.Factors, p.Waits = at, "", "", nil, nil
	return nil
}

func (r *Users) confirm(p *Person, c PersonChange) error {
	waits, err := p.waitsFor(c.PendingGrant)
	if err != nil {
		return err
	}
	if err := r.MayConfirm(c.Actor, *waits); err != nil {
		return err
	}
	if err := r.afterAdmin(c.At); err != nil {
		return err
	}
	held := *waits
	if err := r.validGift(p, held); err != nil {
		return err
	}
	held.Until = held.Until.Add(c.At.Sub(held.At)) // the link stays open for its full time
	return r.holds(p, &held)
}

// afterAdmin refuses new powers for three days after an admin was removed.
func (r *Users) afterAdmin(now time.Time) error {
	if until := r.ended.Add(afterAdmin); !r.ended.IsZero() && now.Before(until) {
		return notThey("an admin was removed: until %s no person can get approve, pay or admin, a new link for one who has these, or another system user", momentWords(until))
	}
	return nil
}

// waitsFor returns the waiting change of a person, if it is the one in the given event.
func (p Person) waitsFor(event int64) (*PersonChange, error) {
	if p.Waits == nil || p.Waits.Event != event {
		return nil, noPerson("nothing that was given to %s waits for this: look at it again", p.Name)
	}
	return p.Waits, nil
}

func (r *Users) validGift(p *Person, c PersonChange) error {
	if err := r.validDisplay(p.Name, c.Display); err != nil {
		return err
	}
	if err := validRoles(c.May); err != nil || c.Terminal == "" {
		return err
	}
	if kind := kindOf(c.Terminal); kind != kernelUser && kind != dbRole || kind == c.Terminal || c.Terminal == root {
		return noPerson("%s is no system user and no database role that can be one person's: root is every user, and a superuser every role", Plain(c.Terminal))
	}
	if was := r.ever(c.Terminal); was != nil && was.Name != p.Name {
		return noPerson("%s is %s, or was: it is one person, and is never given to another", atTerminal(c.Terminal), was.Name)
	}
	return nil
}

// without returns the roles of a that are not in b.
func without(a, b []Role) []Role {
	return slices.DeleteFunc(slices.Clone(a), func(r Role) bool { return slices.Contains(b, r) })
}

// MostName is the maximum length of a name.
const MostName = 40

// validName accepts only ASCII names, because some letters of other scripts look like ASCII ones.
func validName(name string) error {
	odd := strings.ContainsFunc(name, func(c rune) bool {
		return (c < 'a' || c > 'z') && (c < '0' || c > '9') && !strings.ContainsRune(".-_", c)
	})
	if name == "" || len(name) > MostName || odd || strings.ContainsAny(name[:1], ".-_") {
		return noPerson("%q is no name for a person: up to %d of the letters a to z, digits and . - _, a letter or digit first", Plain(name), MostName)
	}
	return nil
}

// mostDisplay is the maximum length of a name on pages, in characters.
const mostDisplay = 60

// validDisplay accepts a printable name that no other person has.
func (r *Users) validDisplay(name, display string) error {
	odd := strings.ContainsFunc(display, func(c rune) bool { return !unicode.IsPrint(c) || strings.ContainsRune("()<>", c) })
	if odd || display != strings.Join(strings.Fields(display), " ") || utf8.RuneCountInString(display) > mostDisplay {
		return noPerson("%q cannot be shown as a name: up to %d characters that print, without brackets", Plain(display), mostDisplay)
	}
	for _, other := range r.people {
		if display != "" && other.Name != name && (strings.EqualFold(other.Display, display) || strings.EqualFold(other.Name, display)) {
			return noPerson("%s is the name of another person", display)
		}
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
		return noPerson("admin cannot be combined: the person who gives roles neither loads, approves nor pays")
	}
	return nil
}

// OrderedRoles returns each role once, in the order of Roles, unknown ones first. Every role
// includes view, so view is listed only if it is the only one.
func OrderedRoles(may []Role) []Role {
	out := slices.Clone(may)
	slices.SortFunc(out, func(a, b Role) int { return slices.Index(Roles[:], a) - slices.Index(Roles[:], b) })
	out = slices.Compact(out)
	if len(out) > 1 {
		out = slices.DeleteFunc(out, func(r Role) bool { return r == RoleView })
	}
	return out
}

func roleWords(roles []Role) string {
	return strings.Join(ListOf(roles, func(r Role) string { return string(r) }), ", ")
}

// Login is an attempt to sign in at the desk, or an event of a session there.
type Login struct {
	Name string // "" if the given name is unknown: it may be a password typed in the wrong field
	From string // the address they came from
	Kind string // one of LoginKinds
	What string // what they wanted to decide, or received; "" for nothing
	At   time.Time
}

// LoginKinds are the kinds of the event of a Login. Such an event changes only the trail: no
// sheet, batch or payout, no policy, and no roles.
var LoginKinds = [...]string{EventLoggedIn, EventLoginRefused, EventLoggedOut, EventProofWanted, EventNotDecided, EventNumbersGiven}

// nobody is the actor of an event with an unknown name. No person can have this name.
const nobody = "(nobody)"

// Event returns its audit event.
func (l Login) Event() Event {
	return Event{At: l.At, Actor: cmp.Or(l.Name, nobody), Kind: l.Kind, Detail: jsonText(loginNote{l.From, l.What})}
}
