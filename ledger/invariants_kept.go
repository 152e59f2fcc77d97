package ledger

import "slices"

// keptBatch is what an audit keeps of a batch.
type keptBatch struct {
	no      int64
	id      string
	fixed   Digest // of what never changes of it
	stands  Digest // of how it stands, without its payouts
	found   bound  // the digests of what is recorded of it
	told    bound  // those that its events tell
	calls   uint64 // sum over its intents, less those that its events tell of
	decided uint64 // the same of what people decided
	left    Paise  // of its total, not met among the payouts yet
	places  int32  // of its count, not met among the payouts yet
	count   int32
	share   int32 // position of what its payouts share with it
	state   uint8 // position in BatchStates, from 1
	led     uint8 // where its events led it, as state; 0 for nowhere
	is      flags // told by Batches
	met     flags // found by Payouts
	heard   flags // found by Events
}

// bound are keyed hashes of the two digests of a batch; 0 for none.
type bound struct{ members, stands uint64 }

// shared is what the payouts of a batch share with it. Many batches share it too.
type shared struct {
	sheet int64 // its number
	route Route
	lei   string // "" where they need not
}

type flags uint8

const ( // keptBatch.is
	isByBeneficiaryID flags = 1 << iota // its partner bank needs one
	isMaybePaying                       // it has a submit intent that may have worked
	isSettled
	isNeedingApproval
	isUsingUp // its references: it was held or echoed, or is not over without having been
)

const ( // keptBatch.met
	metOther    flags = 1 << iota // a payout of another debit account or sheet was told
	metOverflow                   // the sum of its payouts is out of range
	metKept                       // a later attempt goes under the reference of one of its payouts
)

const ( // keptBatch.heard
	heardPlanned flags = 1 << iota
	heardEcho
	heardEnd   // abandoned, quarantined or refused
	heardShown // the bank had it, and it was quarantined for that
)

func (f flags) has(g flags) bool { return f&g != 0 }

// stateNo is how keptBatch holds a state: from 1, and 0 for one of no name.
func stateNo(s BatchState) uint8 { return uint8(slices.Index(BatchStates[:], s) + 1) }

// stateAt is the state that stateNo gave the number for.
func stateAt(n uint8) BatchState {
	if n == 0 {
		return ""
	}
	return BatchStates[n-1]
}
