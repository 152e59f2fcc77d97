package validate

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
)

// twinIndex finds the row of a sheet that pays the same amount to the same
// account as another one, under another reference: the commonest way to pay
// twice. It keeps a hash of 64 bits and a row number, 12 bytes a slot and no
// pointer, and asks for nothing else: that two of a million payouts only have
// the same hash happens in one of ten million sheets, and costs a look.
type twinIndex struct {
	seed   maphash.Seed
	slots  []twinSlot
	count  int
	hashes []uint64 // of the chunk in hand
	key    []byte
}

// twinSlot is the first row with a hash, which is in two halves so that a slot
// has no gap.
type twinSlot struct {
	high, low uint32
	row       int32 // 0 is free
}

func newTwinIndex() *twinIndex {
	return &twinIndex{seed: maphash.MakeSeed(), slots: make([]twinSlot, firstSlots)}
}

// hash takes who is paid how much. Of a branch only the bank counts, for an
// account has one number in all branches of its bank.
func (x *twinIndex) hash(r *candidate) uint64 {
	p := r.payout
	x.key = append(append(append(x.key[:0], p.BankAccountNumber...), 0), p.OpenBeneficiaryID...)
	x.key = append(append(x.key, 0), p.IFSC[:min(len(p.IFSC), bankChars)]...)
	x.key = binary.LittleEndian.AppendUint64(x.key, uint64(p.Amount))
	return maphash.Bytes(x.seed, x.key)
}

const bankChars = 4 // of an IFSC

// add returns the first row with the hash; 0 where it is this one.
func (x *twinIndex) add(hash uint64, row int) int {
	if (x.count+1)*3 > len(x.slots)*2 {
		x.grow()
	}
	slot := x.find(hash)
	if slot.row == 0 {
		*slot = twinSlot{uint32(hash >> 32), uint32(hash), int32(row)}
		x.count++
		return 0
	}
	return int(slot.row)
}

// find returns the slot of a hash, or the free one where it belongs.
func (x *twinIndex) find(hash uint64) *twinSlot {
	mask := len(x.slots) - 1
	for i := int(uint32(hash)) & mask; ; i = (i + 1) & mask {
		s := &x.slots[i]
		if s.row == 0 || s.high == uint32(hash>>32) && s.low == uint32(hash) {
			return s
		}
	}
}

func (x *twinIndex) grow() {
	old := x.slots
	x.slots = make([]twinSlot, 2*len(old))
	clear(x.slots) // see refIndex.grow
	for _, s := range old {
		if s.row != 0 {
			*x.find(uint64(s.high)<<32 | uint64(s.low)) = s
		}
	}
}

// twins warns of rows that pay what an earlier row of the sheet pays. All are
// hashed before any is looked up, so that the looks at memory do not wait for
// one another.
func (c *check) twins(rows []candidate) {
	x := c.twin
	x.hashes = x.hashes[:0]
	for i := range rows {
		x.hashes = append(x.hashes, x.hash(&rows[i]))
	}
	for i := range rows {
		r := &rows[i]
		p := r.payout
		if p.Amount == 0 || p.BankAccountNumber == "" && p.OpenBeneficiaryID == "" || r.entry.group != noGroup {
			continue
		}
		if first := x.add(x.hashes[i], p.Row); first != 0 {
			c.warn(r, colAmount, codePayeeTwice, p.Amount.String(),
				fmt.Sprintf("row %d pays the same amount to the same account, under another reference", first))
		}
	}
}
