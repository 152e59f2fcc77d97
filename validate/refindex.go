package validate

import (
	"hash/maphash"

	"payrun/ledger"
)

// refIndex finds the row that used a reference first. It holds no pointers, which the garbage collector would
// follow for each row, and no content of the rows.
type refIndex struct {
	seed   maphash.Seed
	latest map[uint32]refEntry // the latest entry with each hash of a folded reference
	known  []refFacts          // by entry
	refs   []byte              // as spelt, joined
	groups map[refEntry]int32  // index into the repeated groups, or refused; no entry while the reference is alone
}

// refEntry numbers references by their first row, from 0; noEntry for none.
type refEntry int32

// refFacts is what is known about the first row of a reference.
type refFacts struct {
	amount ledger.Paise
	row    int32
	end    uint32   // of the reference in refs
	before refEntry // the entry before it with the same hash, or noEntry
	given  bool     // to the sink
}

const (
	noEntry = -1
	noGroup = -1
	refused = -2 // a single row that was refused after a later row was read
)

func newRefIndex() *refIndex {
	return &refIndex{seed: maphash.MakeSeed(), latest: map[uint32]refEntry{}, groups: map[refEntry]int32{}}
}

// add returns the entry of a payout's reference, its key, and whether this is its first row.
func (x *refIndex) add(p *ledger.Payout) (entry refEntry, key string, first bool) {
	key = RefKey(p.Ref)
	hash := uint32(maphash.String(x.seed, key))
	latest, some := x.latest[hash]
	if !some {
		latest = noEntry
	}
	for entry = latest; entry != noEntry; entry = x.known[entry].before {
		if RefKey(x.ref(entry)) == key {
			return entry, key, false
		}
	}
	entry = refEntry(len(x.known))
	x.latest[hash] = entry
	x.refs = append(x.refs, p.Ref...)
	x.known = append(x.known, refFacts{amount: p.Amount, row: int32(p.Row), end: uint32(len(x.refs)), before: latest})
	return entry, key, true
}

// ref returns the reference of an entry, as spelt in its first row.
func (x *refIndex) ref(e refEntry) string {
	begin := uint32(0)
	if e > 0 {
		begin = x.known[e-1].end
	}
	return string(x.refs[begin:x.known[e].end])
}

// group returns the repeated group of an entry, refused, or noGroup while the reference is alone.
func (x *refIndex) group(e refEntry) int32 {
	if group, ok := x.groups[e]; ok {
		return group
	}
	return noGroup
}
