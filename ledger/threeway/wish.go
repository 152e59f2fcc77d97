package threeway

import (
	"slices"

	"payrun/ledger"
)

// wish is a line that may be an attempt's, or its whole batch's: no name gave it one.
type wish struct {
	account string
	side    int
	debit   bool
	whole   bool // the batch's
	amount  ledger.Paise
	// The days of lines that may be it. Where matching by amount seeks one, they
	// are those on which it does, and perhaps more.
	from, to int32
}

// may reports whether a piece may be the line.
func (w *wish) may(p *piece) bool {
	return p.free() && p.debit == w.debit && p.amount == w.amount && (p.whole || !w.whole) && w.from <= p.day && p.day <= w.to
}

// wishes are those of the payout, after names gave what they give: of attempts that
// failed, too, although nothing is theirs by its amount alone.
func (a *around) wishes(m *Matcher) (list []wish) {
	for i := range m.sent {
		s := &m.sent[i]
		first, last := a.span(m, s)
		if s.payout != m.follow || first == noDay {
			continue
		}
		b := &m.batches[s.batch]
		for side := range sides {
			w := wish{account: m.accounts[b.account].id, side: side, debit: true, amount: s.amount, from: first - 1, to: last + 1}
			if !a.gives(w.account, side) {
				continue
			}
			if s.debits[side] == 0 {
				list = append(list, w)
			}
			if whole := w; s.debits[side] == 0 && s.credits[side] == 0 && b.count > 1 {
				whole.whole, whole.amount = true, b.total
				list = append(list, whole)
			}
			if s.is() == ledger.PayoutReturned && s.credits[side] == 0 {
				w.debit, w.from, w.to = false, dayOf(s.since(), a.set.Zone)-1, dayOf(s.since(), a.set.Zone)+1
				list = append(list, w)
			}
		}
	}
	return list
}

// gives reports whether a source gave entries of an account.
func (a *around) gives(account string, of int) bool {
	return slices.ContainsFunc(a.readings, func(r ledger.KeptStatement) bool {
		return r.BankAccountID == account && r.Shape == ledger.ShapeEntries && side(r.Source) == of
	})
}

// byAmount takes in what may matter for the lines that no name gave: what moves the
// amount, and whoever else seeks a line that does.
func (a *around) byAmount() error {
	m := a.matcher()
	m.matchWeak() // all that carries a name of the payout is known
	wishes := a.wishes(m)
	sought := map[string]*ledger.SoughtEntries{}
	for _, w := range wishes {
		if sought[w.account] == nil {
			sought[w.account] = &ledger.SoughtEntries{}
		}
		for day := w.from - 2; day <= w.to+2; day++ { // who seeks a line of a day early or late may have another, a day further
			sought[w.account].Move(ledger.Move{Debit: w.debit, Amount: w.amount, Day: nameDay(day)})
		}
	}
	if err := a.seek(sought); err != nil || len(wishes) == 0 {
		return err
	}
	m = a.matcher()
	var met []wish
	for _, w := range wishes {
		if m.narrow(&w) {
			met = append(met, w)
			if err := a.alike(w); err != nil {
				return err
			}
		}
	}
	if len(met) == 0 {
		return nil
	}
	return a.byName(a.rivals(a.matcher(), met))
}

// narrow leaves of the days of a wish those between the first and the last line that
// may be it, and reports whether there is one.
func (m *Matcher) narrow(w *wish) (met bool) {
	var first, last int32
	left := m.accounts[m.account(w.account)].left[w.side]
	for i := range left {
		p := &left[i]
		if !w.may(p) {
			continue
		}
		if !met {
			first, last = p.day, p.day
		}
		met, first, last = true, min(first, p.day), max(last, p.day)
	}
	if met {
		w.from, w.to = first, last
	}
	return met
}

// alike takes in whoever may seek the lines of a wish, too.
func (a *around) alike(w wish) error {
	if !w.debit {
		return a.src.AttemptsReturned(a.ctx, w.amount, a.take)
	}
	whole, err := a.src.AttemptsOf(a.ctx, w.account, w.amount, midnight(w.from-1, a.set.Zone), midnight(w.to+2, a.set.Zone), a.take)
	if err != nil {
		return err
	}
	for _, b := range whole {
		attempts, err := a.src.Attempts(a.ctx, b.ID)
		if err != nil {
			return err
		}
		for _, at := range attempts {
			if err := a.take(at); err != nil {
				return err
			}
		}
	}
	return nil
}

// rivals are the attempts that would seek the lines of wishes, as far as is known: by
// their names some of them may still have lines of their own.
func (a *around) rivals(m *Matcher, wishes []wish) (list []ledger.Attempt) {
	given := map[ledger.AttemptKey]bool{}
	for _, w := range wishes {
		bare := make([]int32, len(m.batches)) // members without a line
		for i := range m.sent {
			if s := &m.sent[i]; s.debits[w.side] == 0 && s.credits[w.side] == 0 {
				bare[s.batch]++
			}
		}
		for i := range m.sent {
			s := &m.sent[i]
			if s.payout == m.follow || given[s.key()] || !m.seeks(s, &w, bare) {
				continue
			}
			given[s.key()] = true
			list = append(list, a.attempts[s.key()])
		}
	}
	return list
}

// seeks reports whether an attempt, or its whole batch, seeks a line as another that
// is wished for.
func (m *Matcher) seeks(s *sent, w *wish, bare []int32) bool {
	b := &m.batches[s.batch]
	near := func(day int32) bool { return day != noDay && day >= w.from-1 && day <= w.to+1 }
	switch {
	case m.accounts[b.account].id != w.account:
		return false
	case !w.debit:
		return s.is() == ledger.PayoutReturned && s.credits[w.side] == 0 && s.amount == w.amount && near(dayOf(s.since(), m.set.Zone))
	case !near(b.day):
		return false
	case s.amount == w.amount && s.debits[w.side] == 0 && mayBeDebited(s.is()):
		return true
	}
	return b.total == w.amount && b.count > 1 && b.met == b.count && bare[s.batch] == b.count
}

// unclear are the lines that may be the payout's, after everything was given.
func (a *around) unclear(m *Matcher) (list []Line) {
	wishes := a.wishes(m)
	for acc := range m.accounts {
		for side := range sides {
			for i := range m.accounts[acc].left[side] {
				p := &m.accounts[acc].left[side][i]
				l := Line{Piece: int(p.no), Debit: p.debit, Amount: p.amount}
				switch {
				case p.own && !p.free():
					l.By = ByReference
				case slices.ContainsFunc(wishes, func(w wish) bool { return w.account == m.accounts[acc].id && w.side == side && w.may(p) }):
					l.By = ByAmount
				default:
					continue
				}
				list = append(list, l)
			}
		}
	}
	return list
}
