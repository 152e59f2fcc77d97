package desk

import (
	"context"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// second is what waits for another person, and may be agreed to by whoever looks.
type second struct {
	What, By, Link string
}

// seconds are those for whoever looks: what others were given, a laxer policy, and
// decisions about batches.
func (d *desk) seconds(ctx context.Context, call app.Call, st *standing, people ledger.Roster, s *session) (list []second, err error) {
	for _, g := range d.grants(people, s) {
		if g.May {
			list = append(list, second{"Confirm what " + g.To + " was given: " + g.What(), g.Who(), "#given"})
		}
	}
	another := func(actor string) bool { return people.Apart(actor, s.person.Name) == nil }
	if st.Proposed && lets(s.person, ledger.RoleAdmin) {
		policy, err := d.app.Policy(ctx, call)
		if err != nil {
			return nil, err
		}
		for _, p := range policy.Proposals {
			if another(p.Actor) {
				list = append(list, second{"Agree to a laxer policy, or not: " + p.Key + " = " + p.Value, ledger.Plain(p.Actor), "/policy#waits"})
			}
		}
	}
	if !st.Undecided || !may(s.person, "resolve") && !may(s.person, "retry") {
		return list, nil
	}
	decisions, err := d.app.WaitingDecisions(ctx, call)
	if err != nil {
		return nil, err
	}
	for _, p := range decisions {
		verb := "resolve"
		if p.Decision == string(ledger.DecidedNewReferences) {
			verb = "retry"
		}
		if may(s.person, verb) && another(p.Actor) {
			list = append(list, second{"Decide the same about " + ledger.ShortID(p.BatchID) + ", or not: " + ledger.Plain(p.Decision), ledger.Plain(p.Actor), "/batches/" + p.BatchID})
		}
	}
	return list, nil
}
