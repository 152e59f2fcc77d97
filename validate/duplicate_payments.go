package validate

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

	"payrun/ledger"
)

// duplicates finds the rows of a sheet that pay the same amount to the same account under
// different references: the commonest way to pay twice. It keeps a hash of 64 bits for
// each payout: that two of a million others have one happens in one of ten million sheets.
type duplicates struct {
	seed  maphash.Seed
	first map[uint64]refEntry     // of each hash
	more  map[refEntry][]refEntry // behind the first, in the order of their rows
}

func newDuplicates() duplicates {
	return duplicates{seed: maphash.MakeSeed(), first: map[uint64]refEntry{}, more: map[refEntry][]refEntry{}}
}

const bankChars = 4 // of an IFSC

// add takes the payout of an entry of the refIndex.
func (t *duplicates) add(e refEntry, p *ledger.Payout) {
	payee := p.BankAccountNumber
	if payee == "" {
		payee = p.OpenBeneficiaryID
	}
	if payee == "" || p.Amount == 0 {
		return
	}
	type twin struct {
		payee, bank string // an account has one number in all branches of its bank
		amount      ledger.Paise
	}
	hash := maphash.Comparable(t.seed, twin{payee, p.IFSC[:min(len(p.IFSC), bankChars)], p.Amount})
	first, seen := t.first[hash]
	if !seen {
		t.first[hash] = e
		return
	}
	t.more[first] = append(t.more[first], e)
}

// reportTwins warns of every row that pays what an earlier one pays. Rows whose
// references are the same are refused already.
func (c *check) reportTwins() {
	for _, of := range slices.Sorted(maps.Keys(c.duplicates.more)) {
		var first *refFacts
		for _, e := range append([]refEntry{of}, c.duplicates.more[of]...) {
			f := &c.index.known[e]
			switch {
			case c.index.group(e) >= 0:
			case first == nil:
				first = f
			case f.amount == first.amount:
				twice := ledger.Finding{Row: int(f.row), Column: colAmount.String(), Code: codePayeeTwice, Value: f.amount.String()}
				if !c.found.full() { // beyond what is listed they are only counted
					twice.Ref = f.ref
					twice.Message = fmt.Sprintf("row %d pays the same amount to the same account, under another reference", first.row)
				}
				c.warnLate(e, twice)
			}
		}
	}
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
