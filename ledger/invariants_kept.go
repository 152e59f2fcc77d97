package ledger

import "unique"

// kept are the sheets or the batches that an audit keeps, in the order of their numbers.
type kept[T any] struct {
	all  []*T
	byNo map[int64]*T
	byID map[string]*T // the first with an id
}

func newKept[T any]() kept[T] { return kept[T]{byNo: map[int64]*T{}, byID: map[string]*T{}} }

// add keeps one more, and reports whether its id is new.
func (k *kept[T]) add(no int64, id string, t *T) bool {
	k.all, k.byNo[no] = append(k.all, t), t
	if k.byID[id] != nil {
		return false
	}
	k.byID[id] = t
	return true
}

// keptSheet is what an audit keeps of a sheet.
type keptSheet struct {
	SheetFacts
	inTrail  string // the digest in the audit trail; "" for none
	corrects Tally  // the rows that correct payouts of earlier sheets, as they were read
	// Sums over its corrections and the origins of its rows: as recorded, and as in the events.
	corrections, correctionsInTrail uint64
	payouts                         int   // read so far
	inBatches                       Paise // the total of those in a batch
}

// keptBatch is what an audit keeps of a batch.
type keptBatch struct {
	no      int64
	id      string
	fixed   Digest // of its fields that never change
	record  Digest // of its state, without its payouts
	found   bound  // the digests of its record
	inTrail bound  // the digests in its events
	calls   uint64 // sum over its intents, less those in its events
	decided uint64 // the same for decisions of people
	total   Paise
	sum     Paise                 // of its payouts found so far
	places  int32                 // of its count, not yet found among the payouts
	share   unique.Handle[shared] // what its payouts share with it
	state   BatchState
	led     BatchState // the state to which its events led it; "" for none

	// Set by Batches.
	byBeneficiaryID bool // its partner bank needs one
	maybePaying     bool // it has a submit intent that may have worked
	needsApproval   bool
	usingUp         bool // it was held or echoed, or it is not final and neither happened: its references are used up
	// Set by Payouts.
	hasOther bool        // a payout of another debit account or sheet was reported
	keptName bool        // a later attempt uses the reference of one of its payouts
	open     *openDigest // between its first payout and its last
	// Set by Events.
	planned bool // an event planned it
	echoed  bool
	ended   bool // abandoned, quarantined or refused
	shown   bool // it was quarantined because the bank had it
}

// bound are keyed hashes of the two digests of a batch; 0 for none.
type bound struct{ members, state uint64 }

// shared is what the payouts of a batch have in common with it. Many batches share it too.
type shared struct {
	sheet int64 // its number
	route Route
	lei   string // "" if they need none
}
