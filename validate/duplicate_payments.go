package validate

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"

	"payrun/ledger"
)

// payment is what two rows share if they may be the same payout.
type payment struct {
	to     accountAtBank
	amount ledger.Paise
}

func paymentOf(p *ledger.Payout) payment { return payment{accountOf(p.AccountOf()), p.Amount} }

// duplicates finds rows of a sheet that pay the same amount to the same account under different references: the
// most common way to pay twice. It keeps a 64-bit hash of each payout: two different payouts among a million
// share one in one of ten million sheets.
type duplicates struct {
	seed  maphash.Seed
	first map[uint64]refEntry     // by hash
	more  map[refEntry][]refEntry // the entries after the first, in row order
}

// add adds the payout of an entry of the refIndex.
func (t *duplicates) add(e refEntry, p *ledger.Payout) {
	one := paymentOf(p)
	if one.to.number == "" || one.amount == 0 {
		return
	}
	hash := maphash.Comparable(t.seed, one)
	if first, seen := t.first[hash]; seen {
		t.more[first] = append(t.more[first], e)
		return
	}
	t.first[hash] = e
}

// reportTwins warns of every row that pays what an earlier row pays. Rows with the same reference are refused
// already.
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
				if !c.found.full() { // beyond the listed findings, only the count matters
					twice.Ref = c.index.ref(e)
					twice.Message = fmt.Sprintf("row %d pays the same amount to the same account, under another reference", first.row)
				}
				c.reportLate(e, twice)
			}
		}
	}
}

// reportLate adds a finding for a row that the sink may already have, and withdraws the row if the finding
// refuses it, as with --strict.
func (c *check) reportLate(e refEntry, f ledger.Finding) {
	if c.found.add(f) != ledger.SeverityError {
		return
	}
	c.RejectedRows = append(c.RejectedRows, f.Row)
	c.refuseLate(e)
}
