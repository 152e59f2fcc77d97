package ledger

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// An actor identifies the person of an event: the login at the desk, or the kernel's user id at a
// terminal. Names of system users are labels, and are never compared. On a ledger of several
// machines, where one person may have several user ids, it is the database role that logged in.
const (
	kernelUser = "uid:"       // a user id
	mappedUser = "mapped:"    // a user id in a process whose uid_map is not the identity
	dbRole     = "db:"        // a role of the database
	superRole  = "superuser:" // a role of the database that can be every role, or make roles
)

// UID returns the actor of a system user.
func UID(id int) string { return kernelUser + strconv.Itoa(id) }

// MappedUID returns the actor of a process in a user namespace. It chose its id
// itself, so it is never one of two people.
func MappedUID(id int) string { return mappedUser + strconv.Itoa(id) }

// DatabaseRole returns the actor of a role that logged in to the ledger's database.
func DatabaseRole(name string, super bool) string {
	if super {
		return superRole + Plain(name)
	}
	return dbRole + Plain(name)
}

// UserID returns the user id of a system user.
func UserID(actor string) (id string, ok bool) { return strings.CutPrefix(actor, kernelUser) }

// AtTerminal reports whether an actor is a person at a terminal, not a login of the desk.
func AtTerminal(actor string) bool {
	return slices.Contains([]string{kernelUser, mappedUser, dbRole, superRole}, kindOf(actor))
}

// kindOf returns the prefix of an actor: one of the constants above for a person at a terminal.
func kindOf(actor string) string { return actor[:strings.Index(actor, ":")+1] }

// root can act as every system user.
var root = UID(0)

// ErrNotApart: two actors are or may be one person, or one of them may not decide.
var ErrNotApart = errors.New("not surely two people")

// because is an error with its reason as its text.
type because struct {
	why string
	is  error
}

func (e because) Error() string { return e.why }
func (e because) Unwrap() error { return e.is }

// notApart returns ErrNotApart with the reason.
func notApart(format string, args ...any) error {
	return because{fmt.Sprintf(format, args...), ErrNotApart}
}

// SecondPerson returns nil if two actors are two people, else ErrNotApart with the reason. Every
// decision that needs two people calls it.
func (r Users) SecondPerson(first, second string) error {
	if err := cmp.Or(r.Counts(first), r.Counts(second)); err != nil {
		return err
	}
	switch {
	case r.Same(first, second):
		return notApart("%s and %s are the same person", first, second)
	case r.Empty() && AtTerminal(first) && AtTerminal(second) && kindOf(first) != kindOf(second):
		return notApart("%s and %s may be the same person: the ledger was on one machine before, or is now", first, second)
	}
	return nil
}

// Counts returns nil if an actor can be one of two people, else ErrNotApart with the reason.
func (r Users) Counts(actor string) error {
	switch kind := kindOf(actor); {
	case kind == mappedUser:
		return notApart("payrun runs in a user namespace, or /proc does not show that it does not: there a user id says nothing about who runs it; decide outside of it, or at the desk (payrun desk)")
	case actor == root:
		return notApart("root (uid 0) can be every user, so it is never one of two people; decide as a user of your own, or at the desk (payrun desk)")
	case kind == superRole:
		return notApart("the database role %s is a superuser or may make roles, so it can be every role and is never one of two people; log in with a role of your own, or decide at the desk (payrun desk)", strings.TrimPrefix(actor, superRole))
	case AtTerminal(actor) && !r.Empty() && r.ever(actor) == nil:
		return notApart("%s belongs to no person on record, so it is never one of two people; an admin ties it: payrun people change NAME --system-user %s", atTerminal(actor), actor)
	}
	return nil
}

// atTerminal describes an actor at a terminal.
func atTerminal(actor string) string {
	if kindOf(actor) == dbRole {
		return "the database role " + actor
	}
	return "the system user " + actor
}

// MayRelease returns nil if an actor can be one of the two people of a release or of a decision
// about statements: they count as one of two people, and have the role pay or approve.
func (r Users) MayRelease(actor string) error {
	if err := r.Counts(actor); err != nil {
		return err
	}
	if _, now := r.Who(actor); !now && r.ever(actor) != nil {
		return notApart("%s was removed", actor)
	}
	if !r.May(actor, RolePay) && !r.May(actor, RoleApprove) {
		return notApart("%s has not the role pay or approve", actor)
	}
	return nil
}

// Same reports whether two actors are one person: they are equal, or belong or ever belonged to
// the same person.
func (r Users) Same(a, b string) bool {
	one, other := r.ever(a), r.ever(b)
	return a == b || one != nil && other != nil && one.Name == other.Name
}

// Among reports whether one of some actors is the same person as an actor.
func (r Users) Among(some []string, actor string) bool {
	return slices.ContainsFunc(some, func(one string) bool { return r.Same(one, actor) })
}

// ever returns the person that an actor is, or was; nil for an unknown actor.
func (r Users) ever(actor string) *Person {
	i := slices.IndexFunc(r.people, func(p Person) bool { return p.Name == actor || slices.Contains(p.terminals, actor) })
	if i < 0 {
		return nil
	}
	return &r.people[i]
}

// Who returns the person that an actor is now.
func (r Users) Who(actor string) (Person, bool) {
	return r.first(func(p Person) bool { return p.Name == actor || slices.Contains(p.Terminals, actor) })
}

// May reports whether an actor may do what needs a role. If no people are recorded, every actor
// may do everything. Otherwise an unknown actor may do everything but approve, and may administer
// only while no admin can act.
func (r Users) May(actor string, role Role) bool {
	if p, ok := r.Who(actor); ok {
		return p.Can(role)
	}
	switch {
	case len(r.people) == 0:
		return true
	case role == RoleAdmin:
		return len(r.Admins()) == 0
	}
	return role != RoleApprove
}

// two reports whether two of the actors are two people. err is the reason if not; nil if there is
// only one actor.
func (r Users) two(actors []string) (err error, found bool) {
	for i, first := range actors {
		for _, second := range actors[i+1:] {
			if err = r.SecondPerson(first, second); err == nil {
				return nil, true
			}
		}
	}
	return err, false
}
