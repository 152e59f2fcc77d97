package validate

import (
	"fmt"
	"hash/maphash"

	"payrun/ledger"
)

// payment is what two rows share if they may be the same payout.
type payment struct {
	to     accountAtBank
	amount ledger.Paise
}

func paymentOf(p *ledger.Payout) payment { return payment{accountOf(p.AccountOf()), p.Amount} }

// hash returns 64 bits that say which payment it is: two different ones among a million share them in one of ten
// million sheets. It is 0 if the account or the amount is unknown.
func (p payment) hash(seed maphash.Seed) uint64 {
	if p.to.number == "" || p.amount == 0 {
		return 0
	}
	return maphash.Comparable(seed, p)
}

// reportSamePayments warns of every row that pays the same amount to the same account as an earlier row, under another
// reference: the most common way to pay twice. Rows with the same reference are refused already.
func (c *check) reportSamePayments() {
	for _, entries := range c.index.samePayments() {
		var first *refFacts
		for _, e := range entries {
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
				c.reportLate(late{twice, e})
			}
		}
	}
}

// samePayments returns the entries of each payment that has several, in the order of their rows, and perhaps some
// that are alone. It marks each hash in one of many bits first, because a map of all hashes is slow.
func (x *refIndex) samePayments() (groups [][]refEntry) {
	bits := make([]uint64, len(x.known)/4+1)
	group := map[uint64]int{} // by the hashes that may come again; from 1, and 0 until the first entry is found
	for _, f := range x.known {
		at, bit := f.payment/64%uint64(len(bits)), uint64(1)<<(f.payment%64)
		if bits[at]&bit != 0 && f.payment != 0 {
			group[f.payment] = 0
		}
		bits[at] |= bit
	}
	for e := range x.known {
		hash := x.known[e].payment
		n, several := group[hash]
		if !several {
			continue
		}
		if n == 0 {
			groups = append(groups, nil)
			n = len(groups)
			group[hash] = n
		}
		groups[n-1] = append(groups[n-1], refEntry(e))
	}
	return groups
}

// late is a finding for a row that the sink may already have.
type late struct {
	ledger.Finding
	entry refEntry // noEntry without a reference
}

// reportLate adds a late finding, and withdraws the row if the finding refuses it, as with --strict.
func (c *check) reportLate(l late) {
	if c.found.add(l.Finding) != ledger.SeverityError {
		return
	}
	c.RejectedRows = append(c.RejectedRows, l.Row)
	c.refuseLate(l.entry)
}
