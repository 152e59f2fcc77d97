package threeway

import (
	"cmp"
	"slices"
	"strings"

	"payrun/ledger"
)

// spot is an amount on a day.
type spot struct {
	amount ledger.Paise
	day    int32
}

// pool is how many of a kind have an amount on a day, and the last of them.
type pool map[spot]struct{ count, last int32 }

func (p pool) add(s spot, no int32) {
	at := p[s]
	at.count++
	at.last = no
	p[s] = at
}

// only gives the one that has the amount within a day of s, if there is just one.
func (p pool) only(s spot) (no, day int32, ok bool) {
	count := int32(0)
	for d := s.day - 1; d <= s.day+1; d++ {
		if at := p[spot{s.amount, d}]; at.count > 0 {
			count += at.count
			no, day = at.last, d
		}
	}
	return no, day, count == 1
}

// matchWeak gives what no name gave by a name that is short or stands beside others.
func (m *Matcher) matchWeak() {
	for acc := range m.accounts {
		for s := range sides {
			m.byWeakName(int32(acc), s, true)
			m.byWeakName(int32(acc), s, false)
		}
	}
}

// matchAmounts gives what is left by amount and day, where nothing else is alike.
func (m *Matcher) matchAmounts() {
	for s := range sides {
		debits, credits := m.pools(s)
		for acc := range m.accounts {
			m.byAmount(int32(acc), s, debits[acc], true)
			m.byAmount(int32(acc), s, credits[acc], false)
		}
	}
}

// byWeakName gives a piece to the attempt whose reference stands in it short, or tied
// to other words, where the amount is right, nothing else was booked for it, and no
// other piece says the same.
func (m *Matcher) byWeakName(acc int32, side int, debit bool) {
	left := &m.accounts[acc].left[side]
	fits := func(p *piece) bool {
		if p.near < 0 || p.debit != debit || m.sent[p.near].amount != p.amount {
			return false
		}
		s := &m.sent[p.near]
		return debit && s.debits[side] == 0 || !debit && s.credits[side] == 0
	}
	count := map[int32]int{}
	for i := range *left {
		if p := &(*left)[i]; fits(p) {
			count[p.near]++
		}
	}
	if len(count) == 0 {
		return
	}
	*left = slices.DeleteFunc(*left, func(p piece) bool {
		if !fits(&p) || count[p.near] != 1 {
			return false
		}
		m.give(p.near, side, &p, ByReference)
		return true
	})
}

// pools are what may be matched by amount and day: attempts whose debit, or whose
// return, no entry of the side has yet, and batches as a whole. A batch is its
// number below zero, from -1.
func (m *Matcher) pools(side int) (debits, credits []pool) {
	debits, credits = make([]pool, len(m.accounts)), make([]pool, len(m.accounts))
	wanted := make([]map[ledger.Paise]bool, len(m.accounts))
	for acc := range m.accounts {
		debits[acc], credits[acc], wanted[acc] = pool{}, pool{}, map[ledger.Paise]bool{}
		for _, p := range m.accounts[acc].left[side] {
			wanted[acc][p.amount] = true
		}
	}
	bare := make([]int32, len(m.batches)) // members without a debit
	for i := range m.sent {
		s := &m.sent[i]
		b := &m.batches[s.batch]
		if s.debits[side] == 0 && s.credits[side] == 0 {
			bare[s.batch]++
		}
		if b.day == noDay || !wanted[b.account][s.amount] {
			continue
		}
		if s.debits[side] == 0 && mayBeDebited(s.is()) {
			debits[b.account].add(spot{s.amount, b.day}, int32(i))
		}
		if s.is() == ledger.PayoutReturned && s.credits[side] == 0 {
			credits[b.account].add(spot{s.amount, dayOf(s.since(), m.set.Zone)}, int32(i))
		}
	}
	for i := range m.batches {
		b := &m.batches[i]
		if b.day != noDay && b.count > 1 && b.met == b.count && bare[i] == b.count && wanted[b.account][b.total] {
			debits[b.account].add(spot{b.total, b.day}, -1-int32(i))
		}
	}
	return debits, credits
}

// mayBeDebited: a payout of the state may have moved, as far as the bank's status
// tells.
func mayBeDebited(s ledger.PayoutState) bool {
	switch s {
	case ledger.PayoutFailed, ledger.PayoutCancelled, ledger.PayoutPlanned:
		return false
	}
	return true
}

// byAmount gives what is left of one direction where one piece and one attempt, or
// batch, have the amount on the account within a day of one another.
func (m *Matcher) byAmount(acc int32, side int, sought pool, debit bool) {
	left := &m.accounts[acc].left[side]
	pieces := pool{}
	for i, p := range *left {
		if p.debit == debit && p.free() {
			pieces.add(spot{p.amount, p.day}, int32(i))
		}
	}
	given := map[int32]bool{}
	for i := range *left {
		p := &(*left)[i]
		if p.debit != debit || !p.free() {
			continue
		}
		no, day, ok := sought.only(spot{p.amount, p.day})
		if !ok {
			continue
		}
		if only, _, one := pieces.only(spot{p.amount, day}); !one || only != int32(i) {
			continue
		}
		if no < 0 {
			if !p.whole {
				continue
			}
			m.giveBatch(-1-no, side, p)
		} else {
			m.give(no, side, p, ByAmount)
		}
		given[int32(i)] = true
	}
	if len(given) == 0 {
		return
	}
	i := int32(-1)
	*left = slices.DeleteFunc(*left, func(piece) bool { i++; return given[i] })
}

// free: no name ties it to anything.
func (p *piece) free() bool { return !p.named && p.near < 0 }

// giveBatch counts an entry as the debit of every payout of a batch.
func (m *Matcher) giveBatch(no int32, side int, p *piece) {
	b := &m.batches[no]
	for i := b.first; ; i = m.sent[i].next {
		s := &m.sent[i]
		m.line(s, p, ByBatch)
		s.debits[side]++
		if s.reason == ByNothing {
			s.reason = ByBatch
		}
		if i == b.last {
			return
		}
	}
}

// leftOver is what both sides together have left: what one shows and the other
// too, by direction, amount, whole reference and day, counts once.
func leftOver(left [sides][]piece) []piece {
	key := func(p *piece) string { return strings.ToLower(strings.TrimSpace(p.reference)) }
	order := func(a, b piece) int {
		return cmp.Or(cmp.Compare(a.amount, b.amount), boolOrder(a.debit, b.debit), strings.Compare(key(&a), key(&b)), cmp.Compare(a.day, b.day))
	}
	for s := range left {
		slices.SortStableFunc(left[s], order)
	}
	out := make([]piece, 0, max(len(left[0]), len(left[1])))
	i, j := 0, 0
	for i < len(left[0]) && j < len(left[1]) {
		a, b := &left[0][i], &left[1][j]
		near := *b
		if d := a.day - b.day; d >= -1 && d <= 1 {
			near.day = a.day
		}
		switch c := order(*a, near); {
		case c < 0:
			out = append(out, *a)
			i++
		case c > 0:
			out = append(out, *b)
			j++
		default:
			a.named = a.named || b.named
			out = append(out, *a)
			i, j = i+1, j+1
		}
	}
	return append(append(out, left[0][i:]...), left[1][j:]...)
}

func boolOrder(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return -1
	}
	return 1
}
