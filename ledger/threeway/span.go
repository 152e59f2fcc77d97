package threeway

import (
	"time"

	"payrun/ledger"
)

// Span is when an attempt can have been debited.
type Span struct {
	// From is the day on which it was about to be submitted, To the one after it was
	// over, as banks book late; "" where it was never sent.
	From, To string
	Read     time.Time // when From was last read; zero where no statement gives it
	// Through says that a line of it would be on record, as far as readings can tell: it
	// is over, and for longer than the grace; each of its days was read when the bank had had
	// another day for it, the last when it had ended; and something later is on record.
	// Whether readings are whole is told by their balances.
	Through bool
}

// span gives the first and the last day on which an attempt can have been debited;
// noDay where it was never sent. A submit in doubt was sent when it was intended, not
// when the doubt was noted; what failed may have been debited until it had.
func (a *around) span(m *Matcher, s *sent) (first, last int32) {
	first = m.dayOf(s)
	last = first
	if day, there := a.intended[s.key()]; there {
		if first == noDay || day < first {
			first = day
		}
		last = max(last, day)
	}
	if first != noDay && !mayBeDebited(s.is()) {
		last = max(last, dayOf(s.since(), a.set.Zone))
	}
	return first, last
}

// spans are those of the payout's attempts.
func (a *around) spans(m *Matcher) (list []Span) {
	for i := range m.sent {
		s := &m.sent[i]
		if s.payout != m.follow {
			continue
		}
		var told Span
		if first, last := a.span(m, s); first != noDay {
			account := &m.accounts[m.batches[s.batch].account]
			told = Span{From: nameDay(first), To: nameDay(last + 1), Read: a.read(account.id, first)}
			told.Through = s.final() && a.set.Now.Sub(s.since()) >= a.set.Grace && account.newest > last+1
			for day := first; day <= last+1 && told.Through; day++ {
				told.Through = !a.read(account.id, day).Before(midnight(min(day, last)+2, a.set.Zone))
			}
		}
		list = append(list, told)
	}
	return list
}

// final: it will not be debited any more.
func (s *sent) final() bool {
	return s.over() || s.is() == ledger.PayoutFailed || s.is() == ledger.PayoutCancelled
}

// read is when a day of an account was last read; zero where no statement gives it.
func (a *around) read(account string, day int32) (last time.Time) {
	name := nameDay(day)
	for _, r := range a.readings {
		if r.BankAccountID == account && r.Shape == ledger.ShapeEntries && r.From <= name && name <= r.To && r.At.After(last) {
			last = r.At
		}
	}
	return last
}

// midnight is the first moment of a day.
func midnight(day int32, zone *time.Location) time.Time {
	d := time.Unix(int64(day)*86400, 0).UTC()
	return time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, zone)
}
