package validate

import "payrun/ledger"

// refIndex finds the row that used a reference first.
type refIndex struct {
	byKey  map[string]refEntry // by the folded reference
	known  []refFacts          // by entry
	groups map[refEntry]int32  // into the repeated groups, or refused; none while it is alone
}

// refEntry is the number of a reference, by its first row, from 0; noEntry for none.
type refEntry int32

// refFacts are what is known of the first row of a reference.
type refFacts struct {
	ref    string // as spelt
	amount ledger.Paise
	row    int32
	given  bool // to the sink
}

const (
	noEntry = -1
	noGroup = -1
	refused = -2 // a group of one that was refused when a row after it was known
)

func newRefIndex() *refIndex {
	return &refIndex{byKey: map[string]refEntry{}, groups: map[refEntry]int32{}}
}

// add returns the entry of a payout's reference, its key, and whether this is its first
// row.
func (x *refIndex) add(p *ledger.Payout) (entry refEntry, key string, first bool) {
	both := p.Ref + RefKey(p.Ref) // in one piece, that holds on to nothing of the row
	ref, key := both[:len(p.Ref)], both[len(p.Ref):]
	if entry, known := x.byKey[key]; known {
		return entry, key, false
	}
	entry = refEntry(len(x.known))
	x.byKey[key] = entry
	x.known = append(x.known, refFacts{ref: ref, amount: p.Amount, row: int32(p.Row)})
	return entry, key, true
}

// group is the repeated group of an entry, refused, or noGroup while it is alone.
func (x *refIndex) group(e refEntry) int32 {
	if group, ok := x.groups[e]; ok {
		return group
	}
	return noGroup
}
