package threeway

import "payrun/ledger"

// matches is what was found of each attempt: a byte for the first of a payout, as
// their numbers follow one another.
type matches struct {
	from  int64 // the number of the first payout
	first []match
	other map[ledger.AttemptKey]match // further attempts, and what lies far from the others
}

// match is the Reason, and matched where the statement tells the same as the others.
type match uint8

const (
	matched match = 1 << 7
	// mostGap is how many numbers of payouts may be left out before the next.
	mostGap = 1 << 16
)

func (m *matches) set(of ledger.AttemptKey, found match) {
	if len(m.first) == 0 {
		m.from = of.PayoutID
	}
	at := of.PayoutID - m.from
	if of.Number != 1 || at < 0 || at > int64(len(m.first)+mostGap) {
		if m.other == nil {
			m.other = map[ledger.AttemptKey]match{}
		}
		m.other[of] = found
		return
	}
	for int64(len(m.first)) <= at {
		m.first = append(m.first, 0)
	}
	m.first[at] = found
}

func (m *matches) get(of ledger.AttemptKey) match {
	if at := of.PayoutID - m.from; of.Number == 1 && at >= 0 && at < int64(len(m.first)) && m.first[at] != 0 {
		return m.first[at]
	}
	return m.other[of]
}

// Match is why a debit is the attempt's: ByNothing where none is. ties says that the
// statement tells the same of it as the interface.
func (r *Result) Match(of ledger.AttemptKey) (by Reason, ties bool) {
	found := r.matches.get(of)
	return Reason(found &^ matched), found&matched != 0
}

// String is the reason as files for programs have it; "" for ByNothing.
func (r Reason) String() string {
	return [...]string{ByUTR: "utr", ByReference: "reference", ByAmount: "amount_and_day", ByBatch: "batch_total"}[r]
}
