package desk

import (
	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// pendingConfirmation waits for another person, who may be the viewer.
type pendingConfirmation struct {
	What, By, Link string
}

// pendingConfirmations are those for the viewer: what others were given, a laxer policy, and decisions
// about batches.
func pendingConfirmations(st app.Overview, changes []peopleChange, people ledger.Users, me ledger.Person) (list []pendingConfirmation) {
	for _, c := range changes {
		if c.May {
			list = append(list, pendingConfirmation{"Confirm what waits for " + c.Words(), c.Actor, "#given"})
		}
	}
	add := func(actor, what, link string) {
		if people.SecondPerson(actor, me.Name) == nil {
			list = append(list, pendingConfirmation{what, actor, link})
		}
	}
	for _, p := range st.Proposals {
		if lets(me, confirms) {
			add(p.Actor, "Agree to a laxer policy, or not: "+p.Key+" = "+p.Value, "/policy#waits")
		}
	}
	for _, p := range st.Releases {
		if may(me, "resolve") {
			add(p.Actor, "Say the same about "+ledger.ShortID(p.BatchID)+", or not: "+string(p.As), "/batches/"+p.BatchID)
		}
	}
	return list
}
