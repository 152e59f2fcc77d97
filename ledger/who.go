package ledger

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// SamePerson reports whether two names of actors are one person's. Case and
// surrounding spaces make no second person. Where there are people of the desk,
// Roster.Apart knows more.
func SamePerson(a, b string) bool {
	return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b))
}

// ErrNotApart: two names of actors are one person's, or may be.
var ErrNotApart = errors.New("not surely two people")

// notApart is ErrNotApart with why.
type notApart struct{ why string }

func (e notApart) Error() string { return e.why }
func (e notApart) Unwrap() error { return ErrNotApart }

// At returns the person who a system user is at a terminal.
func (r Roster) At(systemUser string) (Person, bool) {
	for _, p := range r.people {
		if p.System != "" && SamePerson(p.System, systemUser) && p.Removed.IsZero() {
			return p, true
		}
	}
	return Person{}, false
}

// Same reports whether two names of actors are surely one person's: by name, or
// because one person is, or ever was, both at a terminal.
func (r Roster) Same(a, b string) bool {
	if SamePerson(a, b) {
		return true
	}
	of, _ := r.whose(a)
	return slices.ContainsFunc(of, func(name string) bool {
		others, _ := r.whose(b)
		return slices.Contains(others, name)
	})
}

// Apart returns nil where two names of actors are surely two people's, and
// ErrNotApart with what is missing where not. Two system users are two people
// unless one person was both. A system user who is nobody of the desk may be
// anybody of the desk.
func (r Roster) Apart(a, b string) error {
	if r.Same(a, b) {
		return notApart{fmt.Sprintf("%s and %s are the same person", a, b)}
	}
	of, named := r.whose(a)
	others, named2 := r.whose(b)
	switch {
	case named && len(others) == 0:
		a, b = b, a
	case named2 && len(of) == 0:
	default:
		return nil
	}
	return notApart{fmt.Sprintf("nobody has said which person of the desk the system user %s is (payrun people change NAME --system-user %s)", a, a)}
}

// whose returns the people that an actor is, or was: by name, and as the system
// user that they are at a terminal. named: it is the name of one of them.
func (r Roster) whose(actor string) (people []string, named bool) {
	for _, p := range r.people {
		own := SamePerson(p.Name, actor)
		if named = named || own; own || slices.ContainsFunc(p.systems, func(s string) bool { return SamePerson(s, actor) }) {
			people = append(people, p.Name)
		}
	}
	return people, named
}

// claims reports whether a system user is the person's, or ever was, or waits to be.
func (p Person) claims(system string) bool {
	return slices.ContainsFunc(p.systems, func(s string) bool { return SamePerson(s, system) }) || p.Waits != nil && SamePerson(p.Waits.System, system)
}

// isAt makes a system user the person's; "" leaves it.
func (p *Person) isAt(system string) {
	if system != "" {
		p.System, p.systems = system, append(slices.Clone(p.systems), system)
	}
}

// mostSystem is how long the name of a system user may be.
const mostSystem = 100

// validSystem takes what can be the name of a system user, or "".
func validSystem(system string) error {
	if strings.TrimSpace(system) != system || len(system) > mostSystem || strings.Contains(system, ";") || Plain(system) != system {
		return noPerson("%q is no system user", Plain(system))
	}
	return nil
}

// freeSystem takes a system user that nobody else of the desk is, or ever was: else
// one human at a terminal could be two people, one after the other.
func (r Roster) freeSystem(name, system string) error {
	for _, p := range r.people {
		switch {
		case p.Name == name:
		case SamePerson(p.Name, system):
			return noPerson("%s is the name of another person of the desk", system)
		case p.claims(system):
			return noPerson("the system user %s is %s, or was: a system user is one person, and is never given to another", system, p.Name)
		}
	}
	return nil
}
