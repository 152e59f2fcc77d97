package ledger

import (
	"strings"
	"time"
)

// Rail is how money moves between banks in India. The interface does not say which transaction
// type is which. If a person configures it, its limits are known.
type Rail string

const (
	RailNEFT Rail = "neft"
	RailRTGS Rail = "rtgs"
	RailIMPS Rail = "imps"
)

// RailNamed returns the rail of that name, "" if there is none.
func RailNamed(name string) Rail {
	switch r := Rail(name); r {
	case RailNEFT, RailRTGS, RailIMPS:
		return r
	}
	return ""
}

// Limits returns the minimum and maximum of one payout, in paise; 0 if the rail has no such
// limit. They are those of the Reserve Bank of India and of NPCI; a bank may have narrower
// ones.
func (r Rail) Limits() (least, most Paise) {
	switch r {
	case RailRTGS:
		return 2_00_000_00, 0
	case RailIMPS:
		return 0, 5_00_000_00
	}
	return 0, 0
}

// Due returns by when a payout submitted at that time should be with the payee, or back; the
// zero time if nothing is known of the rail. All three run round the clock. NEFT is settled at
// every half hour, which in India's time zone is a half hour everywhere, and credited within
// two hours of it; RTGS is credited within half an hour; IMPS within minutes (Reserve Bank of
// India, NPCI).
func (r Rail) Due(submitted time.Time) time.Time {
	const neftBatch, neftCredit, rtgsCredit, impsCredit = 30 * time.Minute, 2 * time.Hour, 30 * time.Minute, 10 * time.Minute
	switch r {
	case RailNEFT:
		return submitted.Truncate(neftBatch).Add(neftBatch + neftCredit)
	case RailRTGS:
		return submitted.Add(rtgsCredit)
	case RailIMPS:
		return submitted.Add(impsCredit)
	}
	return time.Time{}
}

// Rails maps the transaction types of a configuration to rails, as far as it names them.
type Rails map[string]Rail

// Late is by how much the result of a payout, or of a batch, is overdue for its rail. It is
// shown next to a state and is never one: no decision depends on it.
type Late struct {
	By   time.Duration // 0 if nothing is late, or nothing is known
	Rail Rail
}

// LateBatch returns how late a batch is at that time, if the bank still owes a result.
func (rails Rails) LateBatch(b Batch, now time.Time) Late {
	due := rails.dueBatch(b)
	if due.IsZero() || !now.After(due) {
		return Late{}
	}
	return Late{now.Sub(due), rails[b.TransactionTypeID]}
}

// LatePayout is LateBatch for one attempt of the batch.
func (rails Rails) LatePayout(a Attempt, b Batch, now time.Time) Late {
	if rails.DuePayout(a, b).IsZero() {
		return Late{}
	}
	return rails.LateBatch(b, now)
}

// DuePayout returns when the result of an attempt is due that the bank still owes; the zero
// time if it owes none, or nothing is known.
func (rails Rails) DuePayout(a Attempt, b Batch) time.Time {
	if a.State.Final() || a.State == PayoutDisputed {
		return time.Time{}
	}
	return rails.dueBatch(b)
}

func (rails Rails) dueBatch(b Batch) time.Time {
	if b.State != BatchSubmitted || b.SubmittedAt.IsZero() {
		return time.Time{}
	}
	return rails[b.TransactionTypeID].Due(b.SubmittedAt)
}

// String describes it for people, in whole minutes, hours or days: late by 2 hours for NEFT; "" if
// nothing is late.
func (l Late) String() string {
	if l.By == 0 {
		return ""
	}
	return "late by " + Lasting(max(l.By, time.Minute)) + " for " + strings.ToUpper(string(l.Rail))
}

// With appends it to a text.
func (l Late) With(said string) string {
	if late := l.String(); late != "" && said != "" {
		return said + "; " + late
	} else if late != "" {
		return late
	}
	return said
}
