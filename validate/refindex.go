package validate

import (
	"hash/maphash"
	"slices"

	"payrun/ledger"
)

// refIndex finds the row that used a reference first. It holds no pointers, which the garbage collector would
// follow for each row, and no content of the rows.
type refIndex struct {
	seed   maphash.Seed
	table  entryTable         // by the hash of a folded reference
	known  []refFacts         // by entry
	refs   []byte             // as spelt, joined
	groups map[refEntry]int32 // index into the repeated groups, or refused; no entry while the reference is alone
}

// refEntry numbers references by their first row, from 0; noEntry for none.
type refEntry int32

// refFacts is what is known about the first row of a reference.
type refFacts struct {
	amount  ledger.Paise
	payment uint64 // see payment.hash
	row     int32
	end     uint32 // of the reference in refs
	given   bool   // to the sink
}

const (
	noEntry = -1
	noGroup = -1
	refused = -2 // a single row that was refused after a later row was read
)

func newRefIndex() *refIndex {
	return &refIndex{seed: maphash.MakeSeed(), groups: map[refEntry]int32{}}
}

// add returns the entry of a payout's reference, its key, and whether this is its first row.
func (x *refIndex) add(p *ledger.Payout) (entry refEntry, key string, first bool) {
	key = RefKey(p.Ref)
	next := refEntry(len(x.known))
	entry = x.table.findOrAdd(uint32(maphash.String(x.seed, key)), next, func(e refEntry) bool { return RefKey(x.ref(e)) == key })
	if entry != next {
		return entry, key, false
	}
	x.refs = append(doubled(x.refs, len(p.Ref)), p.Ref...)
	x.known = append(doubled(x.known, 1), refFacts{amount: p.Amount, payment: paymentOf(p).hash(x.seed), row: int32(p.Row), end: uint32(len(x.refs))})
	return entry, key, true
}

// doubled makes room for n more by doubling. append grows a long slice by a quarter, and copies all of it more often.
func doubled[T any](s []T, n int) []T {
	if len(s)+n > cap(s) {
		s = slices.Grow(s, len(s)+n)
	}
	return s
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

// entryTable finds entries by 32 bits of a hash, with linear probing. With a map in its place a check takes 1.2
// times as long.
type entryTable struct {
	slots []entrySlot // a power of two, at most half of them in use
	used  int
}

// entrySlot is free if number is 0.
type entrySlot struct {
	hash   uint32
	number refEntry // the entry + 1
}

// findOrAdd returns the entry with this hash that is the same, and adds e if there is none.
func (t *entryTable) findOrAdd(hash uint32, e refEntry, same func(refEntry) bool) refEntry {
	if 2*t.used >= len(t.slots) {
		t.grow()
	}
	for at := hash; ; at++ {
		switch s := &t.slots[at&uint32(len(t.slots)-1)]; {
		case s.number == 0:
			*s = entrySlot{hash, e + 1}
			t.used++
			return e
		case s.hash == hash && same(s.number-1):
			return s.number - 1
		}
	}
}

func (t *entryTable) grow() {
	old := *t
	*t = entryTable{slots: make([]entrySlot, max(2*len(old.slots), 1<<10))}
	for _, s := range old.slots {
		if s.number != 0 {
			t.findOrAdd(s.hash, s.number-1, func(refEntry) bool { return false })
		}
	}
}
