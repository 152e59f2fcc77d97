package validate

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/maphash"

	"payrun/ledger"
	"payrun/ledger/scratch"
)

// refIndex finds the row that used a reference first. It is exact: a hash only
// leads to the candidates, and the key itself decides. In memory it keeps a hash
// and a number for each reference, some 16 MB for a million of them; what else is
// known of an entry, which is asked of few, is put aside. None of it holds a
// pointer, so the garbage collector has nothing to look at, and no reference holds
// on to the row it came from.
type refIndex struct {
	seed   maphash.Seed
	shards [1 << shardBits]refShard
	count  int
	fresh  []refFacts         // of the last entries: those of the chunk in hand, which may change
	aside  scratch.Pad        // what is known of those before them
	texts  scratch.Pad        // the references as spelt, one after the other
	groups map[refEntry]int32 // into the repeated groups, or refused; none while it is alone
	window []byte             // of facts, those read last
	first  refEntry           // of the window
	key    []byte             // of the reference in hand
	other  []byte             // of the one it is compared with, or that is put aside
	failed error              // what was put aside cannot be read: nothing counts any more
}

// refEntry is the number of a reference, by its first row, from 0; noEntry for none.
type refEntry int32

// refShard is a part of the table of hashes, which grows by itself: the whole
// table would be there twice for a while.
type refShard struct {
	slots []refSlot
	used  int
}

// refSlot leads to an entry. Its hash is enough to move it to another slot, and
// to pass by nearly every entry that is not the one.
type refSlot struct {
	hash  uint32
	entry refEntry // its number + 1; 0 is free
}

// refFacts are what is known of the first row of a reference.
type refFacts struct {
	amount   ledger.Paise
	row      int32
	position int32 // in the order given to the sink; notGiven when it was not
	text     int64 // where the reference begins in texts
	length   int32
}

const (
	noEntry  = -1
	notGiven = -1
	noGroup  = -1
	refused  = -2 // a group of one that was refused when a row after it was known

	shardBits  = 6
	firstSlots = 1 << 6 // of a shard

	factBytes = 8 + 4 + 4 + 8 + 4 // of refFacts as they are put aside
	// factsAtOnce are read together: who asks for one often asks for the next.
	factsAtOnce = 32
)

func newRefIndex() *refIndex {
	return &refIndex{seed: maphash.MakeSeed(), groups: map[refEntry]int32{}}
}

// add returns the entry of a payout's reference, and whether this is its first
// row. The key is left in x.key until the next call.
func (x *refIndex) add(p *ledger.Payout) (entry refEntry, first bool) {
	x.key = appendRefKey(x.key[:0], p.Ref)
	whole := maphash.Bytes(x.seed, x.key)
	shard, hash := &x.shards[whole>>(64-shardBits)], uint32(whole)
	if (shard.used+1)*4 > len(shard.slots)*3 {
		shard.grow()
	}
	slot, entry := x.find(shard, hash)
	if entry != noEntry {
		return entry, false
	}
	entry = refEntry(x.count)
	x.fresh = append(x.fresh, refFacts{amount: p.Amount, row: int32(p.Row), position: notGiven, text: x.texts.Size(), length: int32(len(p.Ref))})
	x.other = append(x.other[:0], p.Ref...)
	_, _ = x.texts.Write(x.other) // it does not fail
	x.count++
	shard.used++
	shard.slots[slot] = refSlot{hash: hash, entry: entry + 1}
	return entry, true
}

// find returns the entry of x.key, or noEntry and the slot where it belongs.
func (x *refIndex) find(shard *refShard, hash uint32) (int, refEntry) {
	mask := len(shard.slots) - 1
	for slot := int(hash) & mask; ; slot = (slot + 1) & mask {
		s := shard.slots[slot]
		if s.entry == 0 {
			return slot, noEntry
		}
		if s.hash != hash {
			continue
		}
		f := x.facts(s.entry - 1)
		if x.other = appendRefKey(x.other[:0], x.text(&f)); bytes.Equal(x.key, x.other) {
			return slot, s.entry - 1
		}
	}
}

// grow doubles the table and moves every slot.
func (t *refShard) grow() {
	old := t.slots
	t.slots = make([]refSlot, max(2*len(old), firstSlots))
	mask := len(t.slots) - 1
	for _, s := range old {
		if s.entry == 0 {
			continue
		}
		slot := int(s.hash) & mask
		for t.slots[slot].entry != 0 {
			slot = (slot + 1) & mask
		}
		t.slots[slot] = s
	}
}

// group is the repeated group of an entry, refused, or noGroup while it is alone.
func (x *refIndex) group(e refEntry) int32 {
	if group, ok := x.groups[e]; ok {
		return group
	}
	return noGroup
}

// give notes that the payout of an entry of this chunk was given to the sink.
func (x *refIndex) give(e refEntry, position int) {
	x.fresh[int(e)-(x.count-len(x.fresh))].position = int32(position)
}

// settle puts aside what is known of the entries of a chunk that was given.
func (x *refIndex) settle() {
	b := x.other[:0]
	for i := range x.fresh {
		f := &x.fresh[i]
		b = binary.LittleEndian.AppendUint64(b, uint64(f.amount))
		b = binary.LittleEndian.AppendUint32(b, uint32(f.row))
		b = binary.LittleEndian.AppendUint32(b, uint32(f.position))
		b = binary.LittleEndian.AppendUint64(b, uint64(f.text))
		b = binary.LittleEndian.AppendUint32(b, uint32(f.length))
	}
	_, _ = x.aside.Write(b) // it does not fail
	x.fresh, x.other = x.fresh[:0], b[:0]
}

// facts are what is known of an entry.
func (x *refIndex) facts(e refEntry) (f refFacts) {
	settled := refEntry(x.count - len(x.fresh))
	if e >= settled {
		return x.fresh[e-settled]
	}
	at := int(e-x.first) * factBytes
	if at < 0 || at >= len(x.window) {
		if x.window == nil {
			x.window = make([]byte, factsAtOnce*factBytes)
		}
		x.first, at = e, 0
		x.window = x.window[:min(factsAtOnce, int(settled-e))*factBytes]
		x.read(&x.aside, x.window, int64(e)*factBytes)
	}
	b := x.window[at:]
	f.amount = ledger.Paise(binary.LittleEndian.Uint64(b))
	f.row = int32(binary.LittleEndian.Uint32(b[8:]))
	f.position = int32(binary.LittleEndian.Uint32(b[12:]))
	f.text = int64(binary.LittleEndian.Uint64(b[16:]))
	f.length = int32(binary.LittleEndian.Uint32(b[24:]))
	return f
}

// text gives the reference as spelt.
func (x *refIndex) text(f *refFacts) string {
	b := make([]byte, f.length)
	x.read(&x.texts, b, f.text)
	return string(b)
}

// read reads what was put aside. Where that fails, what it gives is nothing that
// could be told.
func (x *refIndex) read(p *scratch.Pad, b []byte, at int64) {
	if x.failed != nil {
		clear(b)
		return
	}
	if _, err := p.ReadAt(b, at); err != nil {
		clear(b)
		x.failed = err
	}
}

func (x *refIndex) close() error { return errors.Join(x.aside.Close(), x.texts.Close()) }
