package threeway

import "payrun/ledger"

// WholeUnclear is Shown.Unclear from all that there is in the ledger.
func (m *Matcher) WholeUnclear(payout []Asked, readings []ledger.KeptStatement) []Line {
	a := around{set: m.set, readings: readings, intended: map[ledger.AttemptKey]int32{}}
	for _, at := range payout {
		if !at.Intended.IsZero() {
			a.intended[at.Key()] = dayOf(at.Intended, m.set.Zone)
		}
	}
	m.matchWeak()
	m.matchAmounts()
	return a.unclear(m)
}
