package app

import (
	"context"
	"errors"
	"slices"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// TwoPeople tells a new team what it has to do to be two people.
const TwoPeople = "For two-person approval give each person a login at the desk (payrun desk) or a system user other than root, then run payrun policy set two_person=true --reason TEXT."

// The roles by which people do what a use case does: one of them is enough.
var (
	loaders = []ledger.Role{ledger.RoleLoad}
	payers  = []ledger.Role{ledger.RolePay}
	trusted = []ledger.Role{ledger.RoleApprove, ledger.RolePay}
)

// decide is write for what a person decides who has one of the roles; nil where the
// ledger asks for the role itself.
func (a *App) decide(ctx context.Context, call Call, roles []ledger.Role, do func(*operation) error) error {
	return a.write(ctx, call, func(o *operation) error {
		if err := o.asLoggedIn(); err != nil {
			return err
		}
		if roles != nil {
			if err := o.may(roles...); err != nil {
				return err
			}
		}
		return do(o)
	})
}

// errNoProof is a fault of the desk: each of its decisions has a proof.
var errNoProof = errors.New("a decision at the desk without a proof of who decides")

// asLoggedIn refuses who was changed or removed since they asked at the desk.
func (o *operation) asLoggedIn() error {
	if !o.call.LoggedIn {
		return nil
	}
	if o.call.Proof == "" {
		return errNoProof
	}
	if p, ok := o.people.Find(o.call.Actor); o.call.Person.Name != "" && (!ok || !p.As(o.call.Person)) {
		return Fail(NeedsPerson, "what %s may do was changed, or they were removed, after they asked for this", ledger.Plain(o.call.Actor)). // while it waited
																			Then(Say("nothing was done; a person who may do it signs in and does it again"))
	}
	return nil
}

// may refuses who has none of the roles.
func (o *operation) may(roles ...ledger.Role) error {
	if slices.ContainsFunc(roles, func(r ledger.Role) bool { return o.people.May(o.call.Actor, r) }) {
		return nil
	}
	needs := string(roles[0])
	for _, r := range roles[1:] {
		needs += " or " + string(r)
	}
	return Fail(NeedsPerson, "%s has not the role %s: nothing was done", config.Who(o.call.Actor), needs).
		Then(Do("people", "list").Which("shows who may do what; an admin changes it"))
}

// notOneOfTwo says why a person cannot be one of two people.
func notOneOfTwo(err error) error { return Fail(NeedsPerson, "%v", err).Because(err) }
