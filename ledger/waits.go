package ledger

import (
	"errors"
	"fmt"
	"time"
)

// Waits are the waiting times of what people decide about a submit
// (safety.md, "Setting aside"). Only the sandbox may have shorter ones.
type Waits struct {
	Overdue time.Duration // poll.overdue_after
	Wait    time.Duration // resolve.wait
	Between time.Duration // resolve.between: from one person's decision to the next
}

// The waiting times in production, at least.
const (
	LeastWait    = 48 * time.Hour
	LeastBetween = time.Hour
)

// lapse is how long a decision waits for a second person.
const lapse = 72 * time.Hour

// RenamedFor is how long a decision for new references holds for the retry that it
// was made for.
const RenamedFor = 15 * time.Minute

// booked is how much later than a submit an entry has to be, so that the debit
// would be booked before it: 24 h.
func (w Waits) booked() time.Duration { return w.Wait / 2 }

// long is what takes the place of Wait where there is only the bank's word: ten days.
func (w Waits) long() time.Duration { return 5 * w.Wait }

// alone is how long the only person on record waits before deciding once more: 24 h.
func (w Waits) alone() time.Duration { return 24 * w.Between }

// doubt is how old a submit in doubt has to be. Where the bank answered no it
// spoke, and half the time is enough.
func (w Waits) doubt(answeredNo, wordOnly bool) time.Duration {
	switch {
	case wordOnly:
		return max(w.Overdue, w.long())
	case answeredNo:
		return max(w.Overdue, w.booked())
	}
	return max(w.Overdue, w.Wait)
}

// ErrNotYet: people may not decide so now. Every such error is a *NotYet.
var ErrNotYet = errors.New("not to be decided so now")

// NotYet is the rule that does not hold, and when it can.
type NotYet struct {
	Rule  string // stable, snake_case
	Why   string // for people
	Until time.Time
}

func (e *NotYet) Error() string {
	s := fmt.Sprintf("%v (%s): %s", ErrNotYet, e.Rule, e.Why)
	if !e.Until.IsZero() {
		s += "; it can hold from " + e.Until.UTC().Format("2006-01-02 15:04:05 MST") + " on"
	}
	return s
}

func (e *NotYet) Unwrap() error { return ErrNotYet }

func notYet(rule, format string, args ...any) *NotYet {
	return &NotYet{Rule: rule, Why: fmt.Sprintf(format, args...)}
}

func notBefore(rule string, until time.Time, format string, args ...any) *NotYet {
	e := notYet(rule, format, args...)
	e.Until = until
	return e
}
