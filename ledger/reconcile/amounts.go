package reconcile

import (
	"slices"

	"payrun/ledger"
)

// spot is an amount on a day.
type spot struct {
	amount ledger.Paise
	day    string
}

// around returns the days at most n before and after a day.
func around(day string, n int) (days []string) {
	for i := -n; i <= n; i++ {
		days = append(days, ledger.DayPlus(day, i))
	}
	return days
}

// sought is an attempt or a whole batch to find by amount.
type sought struct {
	attempt *candidate
	batch   *Batch
	day     string
}

// pool finds lines or attempts by amount and day.
type pool[T any] map[spot][]T

func (p pool[T]) add(amount ledger.Paise, day string, t T) {
	p[spot{amount, day}] = append(p[spot{amount, day}], t)
}

func (p pool[T]) near(amount ledger.Paise, day string, days int) (list []T) {
	for _, d := range around(day, days) {
		list = append(list, p[spot{amount, d}]...)
	}
	return list
}

// amounts matches the remaining lines by amount and day, if line and candidate have no equal
// (statements.md, "Matching").
func (m *matcher) amounts() {
	lines := map[bool]pool[int]{true: {}, false: {}}
	for i, l := range m.free {
		lines[l.Debit].add(l.Amount, l.Day, i)
	}
	candidates := map[bool]pool[sought]{true: m.debitsSought(), false: m.creditsSought()}
	to := make([]*sought, len(m.free)) // what each line is matched to; nil for none
	for i, l := range m.free {
		who := candidates[l.Debit].near(l.Amount, l.Day, 1)
		if len(who) == 1 && len(lines[l.Debit].near(l.Amount, who[0].day, 1)) == 1 && m.giveAmount(who[0], l.StatementLine) {
			to[i] = &who[0]
		}
	}
	// isOneOf: there are no more equal debits than paid payouts of that amount that have no debit
	// yet.
	isOneOf := func(l *Open) bool {
		unpaid := 0
		for _, s := range candidates[true].near(l.Amount, l.Day, 1) {
			if s.attempt != nil && s.attempt.debits == 0 && m.accountsFor(s.attempt, ledger.MatchedByAmount, l.StatementLine) {
				unpaid++
			}
		}
		equals := ledger.Where(lines[true].near(l.Amount, l.Day, 2), func(j int) bool { return to[j] == nil })
		return l.Debit && len(equals) <= unpaid
	}
	nobodys := map[string][]ledger.Paise{}
	for i := range m.free {
		l := &m.free[i]
		if l.Debit && to[i] == nil {
			m.unmatched[spot{l.Amount, l.Day}] = true
		}
		sure := to[i] != nil && (to[i].attempt == nil || to[i].attempt.settled(l.StatementLine)) // a batch is matched by its total
		if l.Debit && !sure && (to[i] != nil || !isOneOf(l)) {
			nobodys[l.Day] = append(nobodys[l.Day], l.Amount)
		}
	}
	for _, o := range m.out.Open { // lines with a name but another amount than the attempt's
		if o.Debit && o.Why == Nobodys {
			nobodys[o.Day] = append(nobodys[o.Day], o.Amount)
		}
	}
	for _, amounts := range nobodys {
		slices.Sort(amounts)
	}
	m.nobodys = nobodys
	for i, l := range m.free {
		if to[i] != nil {
			continue
		}
		if isOneOf(&l) {
			l.Why = Equals
		}
		m.out.Open = append(m.out.Open, l)
	}
}

// late is for how many days after the submit an attempt's debit may still come.
const late = 3

// inLarger reports whether an unmatched larger debit may contain the attempt's: with charges, or as
// a debit of its batch or of a part of it. Charges are at most half of the amount.
func (m *matcher) inLarger(a *candidate) bool {
	if a.Last == "" {
		return false
	}
	most := a.Amount
	if a.Batch.Count > 1 {
		most = a.Batch.Total
	}
	for day := ledger.DayPlus(a.Last, -1); day <= ledger.DayPlus(a.Last, late); day = ledger.DayPlus(day, 1) {
		amounts := m.nobodys[day]
		if i, _ := slices.BinarySearch(amounts, a.Amount+1); i < len(amounts) && amounts[i]-most <= most/2 {
			return true
		}
	}
	return false
}

// membersAreThere reports whether an unmatched debit has the amount of one payout of a batch. Then
// a debit of the batch's total may belong elsewhere.
func (m *matcher) membersAreThere(b *Batch) bool {
	return slices.ContainsFunc(m.members[b], func(a *candidate) bool {
		return slices.ContainsFunc(around(a.Last, 1), func(day string) bool { return m.unmatched[spot{a.Amount, day}] })
	})
}

// debitsSought returns the submitted attempts without a debit by name, and the batches in which
// no payout has one.
func (m *matcher) debitsSought() pool[sought] {
	p := pool[sought]{}
	for batch, list := range m.members {
		bare := true
		for _, a := range list {
			if a.debits > 0 {
				bare = false
				continue
			}
			if a.amountDiffers {
				continue // its debit is on the statement: with charges, in parts, or together with others
			}
			if a.Last != "" {
				p.add(a.Amount, a.Last, sought{attempt: a, day: a.Last})
			}
		}
		if bare && batch.Count > 1 && len(list) == batch.Count && list[0].Last != "" {
			p.add(batch.Total, list[0].Last, sought{batch: batch, day: list[0].Last})
		}
	}
	return p
}

// creditsSought returns the attempts that the bank calls returned and that have no credit by name.
func (m *matcher) creditsSought() pool[sought] {
	p := pool[sought]{}
	for _, list := range m.byPayout {
		for _, a := range list {
			if a.Back != "" && a.credits == 0 {
				p.add(a.Amount, a.Back, sought{attempt: a, day: a.Back})
			}
		}
	}
	return p
}

// giveAmount matches a line to the only candidate of its amount, and reports whether it did. A debit
// is not matched to an attempt that failed or was cancelled: it stays open as a possible debit.
func (m *matcher) giveAmount(s sought, l ledger.StatementLine) bool {
	switch {
	case s.batch != nil && l.Ref.Part > 0:
		return false
	case s.batch != nil:
		m.giveBatch(m.members[s.batch], l)
		return true
	case l.Debit && !mayBeDebited(s.attempt.State):
		return false
	}
	m.give(s.attempt, l, ledger.MatchedByAmount, l.Amount)
	return true
}

// giveBatch matches a debit of a batch's total to its paid payouts. It could be the debit of each
// other payout, unless the part of it that did not come back is the sum of those in state success.
// Even then it could be that of a payout whose own amount did not come back.
func (m *matcher) giveBatch(list []*candidate, l ledger.StatementLine) {
	out, paid := l.Amount, ledger.Paise(0)
	for _, a := range list {
		out -= a.came(l)
		if a.State == ledger.PayoutSuccess {
			paid += a.Amount
		}
	}
	for _, a := range list {
		switch {
		case a.paid():
			m.give(a, l, ledger.MatchedByBatch, a.Amount)
		case out != paid, a.came(l) < a.Amount:
			m.couldBe(a, l, ledger.MatchedByBatch, BatchTotal)
		}
	}
}
