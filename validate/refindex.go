package validate

import (
	"strings"

	"payrun/ledger"
)

// refIndex finds the row that used a reference first.
type refIndex struct {
	byKey  map[string]refEntry // by the folded reference
	known  []refFacts          // by entry
	groups map[refEntry]int32  // into the repeated groups, or refused; none while it is alone
	key    []byte              // of the reference in hand
}

// refEntry is the number of a reference, by its first row, from 0; noEntry for none.
type refEntry int32

// refFacts are what is known of the first row of a reference.
type refFacts struct {
	ref      string // as spelt
	amount   ledger.Paise
	row      int32
	position int32 // in the order given to the sink; notGiven when it was not
}

const (
	noEntry  = -1
	notGiven = -1
	noGroup  = -1
	refused  = -2 // a group of one that was refused when a row after it was known
)

func newRefIndex() *refIndex {
	return &refIndex{byKey: map[string]refEntry{}, groups: map[refEntry]int32{}}
}

// add returns the entry of a payout's reference, and whether this is its first
// row. The key is left in x.key until the next call.
func (x *refIndex) add(p *ledger.Payout) (entry refEntry, first bool) {
	x.key = appendRefKey(x.key[:0], p.Ref)
	if entry, known := x.byKey[string(x.key)]; known {
		return entry, false
	}
	entry = refEntry(len(x.known))
	x.byKey[string(x.key)] = entry
	// A clone: the reference holds on to nothing of its row.
	x.known = append(x.known, refFacts{ref: strings.Clone(p.Ref), amount: p.Amount, row: int32(p.Row), position: notGiven})
	return entry, true
}

// group is the repeated group of an entry, refused, or noGroup while it is alone.
func (x *refIndex) group(e refEntry) int32 {
	if group, ok := x.groups[e]; ok {
		return group
	}
	return noGroup
}

// give notes that the payout of an entry was given to the sink.
func (x *refIndex) give(e refEntry, position int) { x.known[e].position = int32(position) }
