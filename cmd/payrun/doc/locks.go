package doc

import "payrun/ledger"

// Lock is why a payout must not be paid again (safety.md, "Locks"; payrun explain has each).
type Lock struct {
	Lock     ledger.LockKind `json:"lock"`
	Ref      string          `json:"ref"`
	WireRef  string          `json:"wire_ref"`
	BatchID  string          `json:"batch_id"`
	Since    string          `json:"since"`    // of a line of a statement its day
	Evidence string          `json:"evidence"` // what was seen, when and where
	Ends     string          `json:"ends"`
	Who      string          `json:"who"` // who can end it: bank or two_people
}

// NewLocks gives the locks of payouts; nil for none.
func NewLocks(locks []ledger.Lock) (list []Lock) {
	for _, l := range locks {
		list = append(list, Lock{l.Kind, l.Ref, l.WireRef, l.BatchID, ledger.Instant(l.Since), ledger.Plain(l.Saw()), l.Ends(), l.Who})
	}
	return list
}

// Resolve is payrun.resolve/v1: what was released, or what is locked and who said what.
type Resolve struct {
	Batches []Outcome    `json:"batches"`
	Locks   []Lock       `json:"locks"`
	First   *FirstPerson `json:"first,omitempty"` // whose word waits for another person's
	From    string       `json:"from,omitempty"`  // when the second person may say the same
	Until   string       `json:"until,omitempty"`
}

// FirstPerson is the first person's word in a release.
type FirstPerson struct {
	Actor  string           `json:"actor"`
	At     string           `json:"at"`
	As     ledger.ReleaseAs `json:"as"`
	Reason string           `json:"reason"`
	Ticket string           `json:"bank_ticket"`
	Total  ledger.Paise     `json:"total"`
}

// NewFirstPerson gives the first person's word.
func NewFirstPerson(p ledger.ReleaseApproval) *FirstPerson {
	return &FirstPerson{ledger.Plain(p.Actor), ledger.Instant(p.At), p.As, ledger.Plain(p.Reason), ledger.Plain(p.Ticket), p.Saw().Total()}
}
