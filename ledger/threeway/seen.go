package threeway

import "payrun/ledger"

// Piece is an entry without details, or a payment of a batch booking.
type Piece struct {
	ledger.KeptEntry
	Reference, Remarks string // of the payment, where it is one
}

// Pieces are those of entries, in the order in which a Matcher that takes these in
// counts them.
func Pieces(entries []ledger.KeptEntry) (list []Piece) {
	for _, e := range entries {
		if len(e.Details) == 0 {
			list = append(list, Piece{e, e.Reference, e.Remarks})
		}
		for _, d := range e.Details {
			list = append(list, Piece{e, d.Reference, d.Remarks})
		}
	}
	return list
}

// Line is an entry, or a payment of a batch booking, that is an attempt's, or that
// perhaps is.
type Line struct {
	Of     ledger.AttemptKey
	Piece  int // which of the entries and payments of batch bookings that were taken in, from 1
	Debit  bool
	Amount ledger.Paise
	By     Reason // ByNothing where it is not said to be the attempt's
}

// Seen is what statements show of one attempt.
type Seen struct {
	Of    ledger.AttemptKey
	Lines []Line // in the order in which they were given
	// By and Ties are what Result.Match says of it.
	By   Reason
	Ties bool
	// Day is when its debit has to be on a statement; "" where it was never submitted
	// and is not over. Newest is the day of the newest entry of its account; "" for none.
	Day        string
	Newest     string
	Exceptions []Exception // that are about it
}

// Follow has it told of each attempt of one payout what statements show of it
// (Result.Seen). It comes before the attempts.
func (m *Matcher) Follow(payoutID int64) { m.follow, m.own = payoutID, map[uint64]bool{} }

// line notes that a piece is an attempt's that is followed.
func (m *Matcher) line(s *sent, p *piece, why Reason) {
	if s.payout == m.follow {
		m.lines = append(m.lines, Line{Of: s.key(), Piece: int(p.no), Debit: p.debit, Amount: p.amount, By: why})
	}
}

// seen says it of the attempts of the payout that is followed, after all was judged.
func (m *Matcher) seen(r *Result) (list []Seen) {
	for i := range m.sent {
		s := &m.sent[i]
		if m.follow == 0 || s.payout != m.follow {
			continue
		}
		one := Seen{Of: s.key()}
		for _, l := range m.lines {
			if l.Of == one.Of {
				one.Lines = append(one.Lines, l)
			}
		}
		one.By, one.Ties = r.Match(one.Of)
		if day := m.dayOf(s); day != noDay {
			a := &m.accounts[m.batches[s.batch].account]
			one.Day = nameDay(day)
			if a.newest != noDay {
				one.Newest = nameDay(a.newest)
			}
		}
		for _, e := range r.Exceptions {
			if e.Of == one.Of {
				one.Exceptions = append(one.Exceptions, e)
			}
		}
		list = append(list, one)
	}
	return list
}

// dayOf is when the debit of an attempt has to be on a statement: on the day of its
// submit, or where that was not ours when it was over. noDay where it is not.
func (m *Matcher) dayOf(s *sent) int32 {
	if day := m.batches[s.batch].day; day != noDay || !s.over() {
		return day
	}
	return dayOf(s.since(), m.set.Zone)
}

// over: a statement has to show its debit.
func (s *sent) over() bool {
	return s.is() == ledger.PayoutSuccess || s.is() == ledger.PayoutReturned
}
