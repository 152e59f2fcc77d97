package validate

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"slices"

	"payrun/ledger"
)

// twins finds the rows of a sheet that pay the same amount to the same account
// under different references: the commonest way to pay twice. It keeps a hash
// of 64 bits for each entry of the refIndex, in the same order, and looks for
// equal ones once all rows are known: then a million of them are looked through
// in parts that fit the processor's cache, where every row that asked a table as
// it came would wait for memory.
type twins struct {
	seed   maphash.Seed
	hashes [][]uint64 // in blocks of twinBlock; 0 for a payout of which account or amount is not known
	count  int
}

// twinBlock is how many hashes are allocated together: growing one slice would hold
// two for a while.
const twinBlock = 1 << 13

// add takes the payout of the refIndex's newest entry.
func (t *twins) add(p *ledger.Payout) {
	payee := p.BankAccountNumber
	if payee == "" {
		payee = p.OpenBeneficiaryID
	}
	if payee == "" || p.Amount == 0 {
		t.keep(0)
		return
	}
	h := maphash.String(t.seed, payee) ^ uint64(p.Amount)*0x9e3779b97f4a7c15 // its bits are spread by spread
	for i := range min(len(p.IFSC), bankChars) {
		h = h<<7 ^ h>>57 ^ uint64(p.IFSC[i]) // an account has one number in all branches of its bank
	}
	t.keep(spread(h) | 1)
}

func (t *twins) keep(hash uint64) {
	if t.count%twinBlock == 0 {
		t.hashes = append(t.hashes, make([]uint64, 0, twinBlock))
	}
	last := &t.hashes[len(t.hashes)-1]
	*last = append(*last, hash)
	t.count++
}

const bankChars = 4 // of an IFSC

// spread makes every bit hang on every other (the finalizer of MurmurHash3).
func spread(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// twinRounds is how often all hashes are looked through, each time for those
// with the same highest bits.
const (
	twinRoundBits = 4
	twinRounds    = 1 << twinRoundBits
)

// twin is one hash and the entry it is of.
type twin struct {
	hash  uint64
	entry refEntry
}

// groups gives the entries that have their hash in common with others, in the
// order of their rows: that two of a million other payouts have one hash happens
// in one of ten million sheets.
func (t *twins) groups(yield func(entries []refEntry)) {
	heap := make([]twin, 0, t.count/twinRounds*9/8)
	var seen []uint64
	for round := range uint64(twinRounds) {
		heap = heap[:0]
		for no, block := range t.hashes {
			for i, h := range block {
				if h>>(64-twinRoundBits) == round && h != 0 {
					heap = append(heap, twin{h, refEntry(no*twinBlock + i)})
				}
			}
		}
		if seen = twinRoom(seen, len(heap)); anyTwins(heap, seen) {
			sortedGroups(heap, yield)
		}
	}
}

// twinRoom gives an empty table for n hashes.
func twinRoom(table []uint64, n int) []uint64 {
	size := 1
	for size < 2*n {
		size *= 2
	}
	if size > cap(table) {
		return make([]uint64, size)
	}
	table = table[:size]
	clear(table)
	return table
}

// anyTwins reports whether two of a heap have one hash.
func anyTwins(heap []twin, seen []uint64) bool {
	mask := uint64(len(seen) - 1)
	for _, t := range heap {
		slot := t.hash >> 1 & mask
		for seen[slot] != 0 && seen[slot] != t.hash {
			slot = (slot + 1) & mask
		}
		if seen[slot] == t.hash {
			return true
		}
		seen[slot] = t.hash
	}
	return false
}

// sortedGroups gives the groups of a heap.
func sortedGroups(heap []twin, yield func(entries []refEntry)) {
	slices.SortFunc(heap, func(a, b twin) int { return cmp.Or(cmp.Compare(a.hash, b.hash), cmp.Compare(a.entry, b.entry)) })
	for from := 0; from < len(heap); {
		to := from + 1
		for to < len(heap) && heap[to].hash == heap[from].hash {
			to++
		}
		if to-from > 1 {
			var entries []refEntry
			for _, twin := range heap[from:to] {
				entries = append(entries, twin.entry)
			}
			yield(entries)
		}
		from = to
	}
}

// reportTwins warns of every row that pays what an earlier one pays. Rows whose
// references are the same are refused already.
func (c *check) reportTwins() {
	c.twins.groups(func(entries []refEntry) {
		var first *refFacts
		for _, e := range entries {
			f := c.index.facts(e)
			switch {
			case c.index.group(e) >= 0:
			case first == nil:
				first = &f
			case f.amount == first.amount:
				twice := ledger.Finding{Row: int(f.row), Column: colAmount.String(), Code: codePayeeTwice, Value: f.amount.String()}
				if !c.found.full() { // beyond what is listed they are only counted
					twice.Ref = c.index.text(&f)
					twice.Message = fmt.Sprintf("row %d pays the same amount to the same account, under another reference", first.row)
				}
				c.warnLate(e, twice)
			}
		}
	})
}

// warnLate reports something about a row that the sink may have already. With
// --strict it is taken back.
func (c *check) warnLate(e refEntry, f ledger.Finding) {
	if c.found.add(f) != ledger.SeverityError {
		return
	}
	c.rejected = append(c.rejected, f.Row)
	delete(c.left, f.Row)
	c.refuseLate(e)
}
