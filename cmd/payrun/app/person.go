package app

import (
	"context"
	"errors"
	"slices"

	"payrun/ledger"
)

// systemPerson refuses a name that was only given, where two people have to
// agree: there a person is who the system says it is, or a login. Whatever needs
// a second person asks this first, for the first person as for the second.
func (c Call) systemPerson() error {
	if c.ActorBy == "" {
		return nil
	}
	return Fail(Usage, "two people have to agree on this, so a person is a system user of their own: %s is not taken", c.ActorBy).
		Then(Say("leave %s out, and run it as the person that you are; nothing was done", c.ActorBy))
}

// whoActs finds out who asks. At a terminal it is the person of the desk who the
// system user is, where somebody said so; then all is recorded in their name, so
// that they are not two people by coming two ways.
func (o *operation) whoActs(ctx context.Context) error {
	people, err := o.store.Roster(ctx)
	if err != nil {
		return err
	}
	o.people = people.Now(o.env.Now())
	if o.call.LoggedIn || o.call.ActorBy != "" {
		return nil
	}
	if p, ok := o.people.At(o.call.Actor); ok {
		o.call.Actor, o.somebody = p.Name, true
	}
	return nil
}

// decide is write for what a person decides: for whose word it counts whether they
// are another one.
func (a *App) decide(ctx context.Context, call Call, do func(*operation) error) error {
	return a.write(ctx, call, func(o *operation) error {
		if err := o.isSomebody(); err != nil {
			return err
		}
		return do(o)
	})
}

// errNoProof is a fault of the desk: each of its decisions has a proof.
var errNoProof = errors.New("a decision at the desk without a proof of who decides")

// maySayWho is isSomebody for changes of people. Until somebody has said which of them
// a system user is, whoever may write the ledger may say it: else nobody could.
func (o *operation) maySayWho() error {
	known := slices.ContainsFunc(o.people.People(), func(p ledger.Person) bool { return p.System != "" })
	if !known && !o.call.LoggedIn {
		return nil
	}
	return o.isSomebody()
}

// isSomebody refuses a decision of a system user who may be anybody of the desk,
// where two people have to agree.
func (o *operation) isSomebody() error {
	if o.call.LoggedIn {
		if o.call.Proof == "" {
			return errNoProof
		}
		if p, ok := o.people.Find(o.call.Actor); o.call.Person.Name != "" && (!ok || !p.As(o.call.Person)) {
			return Fail(NeedsPerson, "what %s may do was changed, or they were removed, after they asked for this", ledger.Plain(o.call.Actor)). // while it waited
																				Then(Say("nothing was done; who may do it logs in and asks for it anew"))
		}
		return nil
	}
	if o.somebody || !o.policy.TwoPerson || o.people.Empty() {
		return nil
	}
	user := ledger.Plain(o.call.Actor)
	return Fail(Usage, "two people have to agree here, and nobody has said which person of the desk the system user %s is; nothing was done", user).
		Then(Do("people", "change", "NAME", "--system-user", user).First("whoever is a system user already, or an admin at the desk, says it:"))
}
