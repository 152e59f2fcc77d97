package ledger

import (
	"cmp"
	"slices"
)

// keptBatch is what an audit keeps of a batch: there may be millions.
type keptBatch struct {
	id      uint64 // a keyed hash of it
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

// keptBatches finds batches by number and by id. It grows by chunks that never
// move, for doubling one slice would hold two.
type keptBatches struct {
	chunks []*[batchChunk]keptBatch
	count  int
	slots  []uint32 // by id: position + 1 of a batch, 0 for an empty slot; a power of two, at most three quarters full
	gaps   []gap
}

const batchChunk = 1 << 10

// gap is where batch numbers go on after some that are not there.
type gap struct {
	no int64
	at int
}

// at returns the batch at a position, from 0.
func (k *keptBatches) at(i int) *keptBatch { return &k.chunks[i/batchChunk][i%batchChunk] }

// add keeps a batch whose number is higher than all before it.
func (k *keptBatches) add(no int64, b keptBatch) *keptBatch {
	if no != k.next() {
		k.gaps = append(k.gaps, gap{no, k.count})
	}
	if k.count%batchChunk == 0 {
		k.chunks = append(k.chunks, new([batchChunk]keptBatch))
	}
	k.count++
	kept := k.at(k.count - 1)
	*kept = b
	if k.count*4 > len(k.slots)*3 {
		k.grow()
	} else {
		k.slot(k.count - 1)
	}
	return kept
}

// next is the number that would follow without a gap.
func (k *keptBatches) next() int64 { return k.no(k.count) }

// no is the number of the batch at a position.
func (k *keptBatches) no(i int) int64 {
	at, _ := slices.BinarySearchFunc(k.gaps, i+1, func(g gap, i int) int { return cmp.Compare(g.at, i) })
	if at == 0 {
		return int64(i) + 1
	}
	g := k.gaps[at-1]
	return g.no + int64(i-g.at)
}

// byNo returns the batch with a number, or nil.
func (k *keptBatches) byNo(no int64) *keptBatch {
	i := no - 1
	if len(k.gaps) > 0 {
		at, there := slices.BinarySearchFunc(k.gaps, no, func(g gap, no int64) int { return cmp.Compare(g.no, no) })
		if there {
			at++
		}
		if at > 0 {
			i = int64(k.gaps[at-1].at) + no - k.gaps[at-1].no
		}
		if at < len(k.gaps) && i >= int64(k.gaps[at].at) {
			return nil
		}
	}
	if i < 0 || i >= int64(k.count) {
		return nil
	}
	return k.at(int(i))
}

// byID returns the batch with the hash of an id, or nil.
func (k *keptBatches) byID(id uint64) *keptBatch {
	if len(k.slots) == 0 {
		return nil
	}
	mask := uint64(len(k.slots) - 1)
	for at := id & mask; k.slots[at] != 0; at = (at + 1) & mask {
		if b := k.at(int(k.slots[at] - 1)); b.id == id {
			return b
		}
	}
	return nil
}

func (k *keptBatches) grow() {
	k.slots = make([]uint32, max(1<<10, 2*len(k.slots)))
	for i := range k.count {
		k.slot(i)
	}
}

// slot puts the batch at a position into the first empty slot for its id.
func (k *keptBatches) slot(i int) {
	mask := uint64(len(k.slots) - 1)
	at := k.at(i).id & mask
	for k.slots[at] != 0 {
		at = (at + 1) & mask
	}
	k.slots[at] = uint32(i + 1)
}
