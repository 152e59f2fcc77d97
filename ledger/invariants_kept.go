package ledger

import "unique"

// kept has the sheets or the batches that an audit keeps, in the order of their numbers.
type kept[T any] struct {
	all  []*T
	byNo map[int64]*T
	byID map[string]*T // the first with each id
}

func newKept[T any]() kept[T] { return kept[T]{byNo: map[int64]*T{}, byID: map[string]*T{}} }

// add adds one, and reports whether its id is new.
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
	corrects Tally  // the corrections of earlier payouts by its rows, as found in the ledger
	// Sums over its corrections and the origins of its rows: as recorded, and as in the events.
	corrections, correctionsInTrail uint64
	payouts                         int   // read so far
	inBatches                       Paise // the total of its payouts in a batch
}

// keptBatch is what an audit keeps of a batch.
type keptBatch struct {
	no      int64
	id      string
	fixed   Digest // of its fields that never change
	record  Digest // of its state, without its payouts
	found   bound  // the digests of its rows
	inTrail bound  // the digests in its events
	calls   uint64 // sum over its intents, less those in its events
	decided uint64 // the same for people's decisions
	total   Paise
	sum     Paise                 // of its payouts found so far
	places  int32                 // its count, less its payouts found so far
	share   unique.Handle[shared] // the fields that its payouts share with it
	state   BatchState
	led     BatchState // the state to which its events led it; "" for none

	// Set by Batches.
	byBeneficiaryID bool // its partner bank needs a beneficiary id
	maybePaying     bool // it has a submit intent that may have had an effect
	needsApproval   bool
	usingUp         bool // held, echoed, or neither refused nor abandoned: its references count as used up
	// Set by Payouts.
	hasOther bool        // a payout of another debit account or sheet was reported
	keptName bool        // a later attempt uses the reference of one of its payouts
	open     *openDigest // set between its first payout and its last
	// Set by Events.
	planned bool // an event planned it
	echoed  bool
	ended   bool // abandoned, quarantined or refused
	shown   bool // it was quarantined because the bank had it
}

// bound has the keyed hashes of the two digests of a batch; 0 for none.
type bound struct{ members, state uint64 }

// shared has the fields that a batch and its payouts have in common. Many batches have the same.
type shared struct {
	sheet int64 // its number
	route Route
	lei   string // "" if they need none
}
