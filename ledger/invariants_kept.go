package ledger

import "slices"

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
	left    Paise  // of its total, not yet found among the payouts
	places  int32  // of its count, not yet found among the payouts
	count   int32
	share   int32 // position of what its payouts share with it
	state   uint8 // position in BatchStates, from 1
	led     uint8 // the state to which its events led it, like state; 0 for none

	// Set by Batches.
	byBeneficiaryID bool // its partner bank needs one
	maybePaying     bool // it has a submit intent that may have worked
	settled         bool
	needsApproval   bool
	usingUp         bool // it was held or echoed, or it is not final and neither happened: its references are used up
	// Set by Payouts.
	hasOther bool // a payout of another debit account or sheet was reported
	overflow bool // the sum of its payouts is out of range
	keptName bool // a later attempt uses the reference of one of its payouts
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

// stateNo is the number of a state in keptBatch: from 1, and 0 for an unknown state.
func stateNo(s BatchState) uint8 { return uint8(slices.Index(BatchStates[:], s) + 1) }

// stateAt is the inverse of stateNo.
func stateAt(n uint8) BatchState {
	if n == 0 {
		return ""
	}
	return BatchStates[n-1]
}
