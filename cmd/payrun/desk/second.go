package desk

import (
	"context"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

// second is what waits for another person, and may be agreed to by whoever looks.
type second struct {
	What, By, Link string
}

// seconds are those for whoever looks: what others were given, a laxer policy, and
// decisions about batches.
func (d *desk) seconds(ctx context.Context, call app.Call, st app.Overview, people ledger.Roster, s *session) (list []second, err error) {
	for _, c := range d.peopleChanges(people, s) {
		if c.May {
			list = append(list, second{"Confirm what waits for " + c.Words(), config.Who(c.Actor), "#given"})
		}
	}
	another := func(actor string) bool { return people.SecondPerson(actor, s.person.Name) == nil }
	if st.Proposed && lets(s.person, confirms) {
		policy, err := d.app.Policy(ctx, call)
		if err != nil {
			return nil, err
		}
		for _, p := range policy.Proposals {
			if another(p.Actor) {
				list = append(list, second{"Agree to a laxer policy, or not: " + p.Key + " = " + p.Value, ledger.Plain(config.Who(p.Actor)), "/policy#waits"})
			}
		}
	}
	if !st.Undecided || !may(s.person, "resolve") {
		return list, nil
	}
	releases, err := d.app.WaitingReleases(ctx, call)
	if err != nil {
		return nil, err
	}
	for _, p := range releases {
		if another(p.Actor) {
			list = append(list, second{"Say the same about " + ledger.ShortID(p.BatchID) + ", or not: " + string(p.As), ledger.Plain(config.Who(p.Actor)), "/batches/" + p.BatchID})
		}
	}
	return list, nil
}
