package validate

import (
	"bytes"
	"hash/maphash"
	"strings"

	"payrun/ledger"
)

// refIndex finds the row that used a reference first. It is exact: a hash only
// leads to the candidates, and the key itself decides. For a million
// references of ordinary length it takes some 60 MB: a table of 32-bit
// indexes, entries in blocks that never move, and the references in blocks of
// text, so that none holds on to the row it came from.
type refIndex struct {
	seed    maphash.Seed
	slots   []int32 // index of an entry + 1; 0 is free
	entries [][]refEntry
	count   int
	refs    textBlocks
	key     []byte // of the reference in hand
	other   []byte // of the one it is compared with
}

// refEntry is the first row of a reference.
type refEntry struct {
	ref      string // as spelt
	amount   ledger.Paise
	row      int32
	position int32 // in the order given to the sink; notGiven when it was not
	group    int32 // index into the repeated groups; noGroup while it is alone
}

const (
	notGiven = -1
	noGroup  = -1

	entryBlock = 4096
	firstSlots = 1 << 12
)

func newRefIndex() *refIndex {
	return &refIndex{seed: maphash.MakeSeed(), slots: make([]int32, firstSlots)}
}

// add returns the entry of a payout's reference, and whether this is its first
// row. The key is left in x.key until the next call.
func (x *refIndex) add(p *ledger.Payout) (entry *refEntry, first bool) {
	x.key = appendRefKey(x.key[:0], p.Ref)
	if (x.count+1)*4 > len(x.slots)*3 {
		x.grow()
	}
	slot, entry := x.find()
	if entry != nil {
		return entry, false
	}
	if x.count%entryBlock == 0 {
		x.entries = append(x.entries, make([]refEntry, entryBlock))
	}
	entry = x.entry(x.count)
	*entry = refEntry{ref: x.refs.keep(p.Ref), amount: p.Amount, row: int32(p.Row), position: notGiven, group: noGroup}
	x.count++
	x.slots[slot] = int32(x.count)
	return entry, true
}

func (x *refIndex) entry(i int) *refEntry { return &x.entries[i/entryBlock][i%entryBlock] }

// find returns the entry of x.key, or nil and the slot where it belongs.
func (x *refIndex) find() (int, *refEntry) {
	for slot := x.start(x.key); ; slot = x.after(slot) {
		i := x.slots[slot]
		if i == 0 {
			return slot, nil
		}
		e := x.entry(int(i) - 1)
		if x.other = appendRefKey(x.other[:0], e.ref); bytes.Equal(x.key, x.other) {
			return slot, e
		}
	}
}

// grow doubles the table and puts every entry into its new slot.
func (x *refIndex) grow() {
	x.slots = make([]int32, 2*len(x.slots))
	for i := range x.count {
		x.other = appendRefKey(x.other[:0], x.entry(i).ref)
		slot := x.start(x.other)
		for x.slots[slot] != 0 {
			slot = x.after(slot)
		}
		x.slots[slot] = int32(i) + 1
	}
}

func (x *refIndex) start(key []byte) int {
	return int(maphash.Bytes(x.seed, key) & uint64(len(x.slots)-1))
}

func (x *refIndex) after(slot int) int { return (slot + 1) & (len(x.slots) - 1) }

// textBlocks copies short texts into large blocks, one allocation for
// thousands of them.
type textBlocks struct{ block strings.Builder }

const textBlock = 1 << 16

// keep returns a copy of s. A block is never grown, so what was cut from it
// stays good.
func (t *textBlocks) keep(s string) string {
	t.room(len(s))
	from := t.block.Len()
	t.block.WriteString(s)
	return t.block.String()[from:]
}

// keepBytes is keep for bytes.
func (t *textBlocks) keepBytes(b []byte) string {
	t.room(len(b))
	from := t.block.Len()
	t.block.Write(b)
	return t.block.String()[from:]
}

func (t *textBlocks) room(n int) {
	if t.block.Len()+n > t.block.Cap() {
		t.block = strings.Builder{}
		t.block.Grow(max(textBlock, n))
	}
}
