package validate

import (
	"bytes"
	"hash/maphash"

	"payrun/ledger"
)

// refIndex finds the row that used a reference first. It is exact: a hash only
// leads to the candidates, and the key itself decides. For a million
// references of ordinary length it takes some 60 MB: a table of hashes and
// indexes, entries in blocks that never move, and the references in blocks of
// text. None of it holds a pointer, so the garbage collector has nothing to
// look at, and no reference holds on to the row it came from.
type refIndex struct {
	seed    maphash.Seed
	slots   []refSlot
	entries [][]refEntry
	count   int
	texts   [][]byte
	key     []byte // of the reference in hand
	other   []byte // of the one it is compared with
}

// refSlot leads to an entry. Its hash is enough to move it to another slot, and
// to pass by nearly every entry that is not the one.
type refSlot struct {
	hash  uint32
	entry int32 // its index + 1; 0 is free
}

// refEntry is the first row of a reference.
type refEntry struct {
	amount     ledger.Paise
	block      int32 // of texts, with the reference as spelt from start to end
	start, end int32
	row        int32
	position   int32 // in the order given to the sink; notGiven when it was not
	group      int32 // index into the repeated groups; noGroup while it is alone
}

const (
	notGiven = -1
	noGroup  = -1
	refused  = -2 // a group of one that was refused once all rows were known

	entryBlock = 4096
	textBlock  = 1 << 16
	firstSlots = 1 << 12
)

func newRefIndex() *refIndex {
	return &refIndex{seed: maphash.MakeSeed(), slots: make([]refSlot, firstSlots)}
}

// add returns the entry of a payout's reference, and whether this is its first
// row. The key is left in x.key until the next call.
func (x *refIndex) add(p *ledger.Payout) (entry *refEntry, first bool) {
	x.key = appendRefKey(x.key[:0], p.Ref)
	if (x.count+1)*3 > len(x.slots)*2 {
		x.grow()
	}
	hash := uint32(maphash.Bytes(x.seed, x.key))
	slot, entry := x.find(hash)
	if entry != nil {
		return entry, false
	}
	if x.count%entryBlock == 0 {
		x.entries = append(x.entries, make([]refEntry, entryBlock))
	}
	entry = x.entry(x.count)
	*entry = refEntry{amount: p.Amount, row: int32(p.Row), position: notGiven, group: noGroup}
	entry.block, entry.start, entry.end = x.keep(p.Ref)
	x.count++
	x.slots[slot] = refSlot{hash: hash, entry: int32(x.count)}
	return entry, true
}

func (x *refIndex) entry(i int) *refEntry { return &x.entries[i/entryBlock][i%entryBlock] }

// ref gives the reference of an entry as spelt.
func (x *refIndex) ref(e *refEntry) string { return string(x.texts[e.block][e.start:e.end]) }

// find returns the entry of x.key, or nil and the slot where it belongs.
func (x *refIndex) find(hash uint32) (int, *refEntry) {
	mask := len(x.slots) - 1
	for slot := int(hash) & mask; ; slot = (slot + 1) & mask {
		s := x.slots[slot]
		if s.entry == 0 {
			return slot, nil
		}
		if s.hash != hash {
			continue
		}
		e := x.entry(int(s.entry) - 1)
		if x.other = appendRefKey(x.other[:0], x.ref(e)); bytes.Equal(x.key, x.other) {
			return slot, e
		}
	}
}

// grow doubles the table and moves every slot.
func (x *refIndex) grow() {
	old := x.slots
	x.slots = make([]refSlot, 2*len(old))
	clear(x.slots) // page after page: a page that is read before it is written costs two faults
	mask := len(x.slots) - 1
	for _, s := range old {
		if s.entry == 0 {
			continue
		}
		slot := int(s.hash) & mask
		for x.slots[slot].entry != 0 {
			slot = (slot + 1) & mask
		}
		x.slots[slot] = s
	}
}

// keep copies a reference into the last block of texts, or a new one.
func (x *refIndex) keep(ref string) (block, start, end int32) {
	last := len(x.texts) - 1
	if last < 0 || len(x.texts[last])+len(ref) > cap(x.texts[last]) {
		x.texts = append(x.texts, make([]byte, 0, max(textBlock, len(ref))))
		last++
	}
	at := len(x.texts[last])
	x.texts[last] = append(x.texts[last], ref...)
	return int32(last), int32(at), int32(at + len(ref))
}
