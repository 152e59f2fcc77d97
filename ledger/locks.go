package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"time"
)

// LockKind names why a payout must not be paid again (safety.md, "Locks"). Each kind is
// an Attention: its row there has the words, the exit code and what ends the lock.
type LockKind = Attention

const (
	LockInFlight     LockKind = "in_flight"
	LockInDoubt      LockKind = "in_doubt"
	LockContradicted LockKind = "contradicted"
	LockDebited      LockKind = "debited"
	LockPossible     LockKind = "possible_debit"
	LockRestored     LockKind = "restored"
)

// LockKinds lists every kind, gravest first.
var LockKinds = [...]LockKind{LockInDoubt, LockContradicted, LockDebited, LockPossible, LockRestored, LockInFlight}

// Who can end a lock.
const (
	ByBank      = "bank"       // it ends by itself once the bank shows what its row says, or two people release it
	ByTwoPeople = "two_people" // only two people release it
)

// Lock is one reason why a payout must not be paid again, with its evidence.
type Lock struct {
	Kind    LockKind
	Of      AttemptKey
	Ref     string // the payout's own reference
	WireRef string
	BatchID string
	Since   time.Time // by our clock; for a line of a statement, its day
	Who     string    // ByBank or ByTwoPeople

	// The evidence.
	Status     string // raw, as last shown
	BatchState BatchState
	Dispute    DisputeCause
	Out        Paise // for LockDebited: what went out and did not come back
	Lines      []StatementLine
	Possible   []PossibleDebit
}

// Locks returns the locks of one payout, gravest first. all are its attempts, each with its
// statement evidence. Only this function decides whether a payout may be paid again (safety.md,
// "Locks").
//
// An attempt that is about to be sent is in_flight too: see LocksAgainst.
func Locks(all []AttemptRecord) []Lock {
	var list []Lock
	paid := slices.ContainsFunc(all, func(a AttemptRecord) bool { return a.State == PayoutSuccess || a.Resolved == ResolutionPaid })
	for i := range all {
		list = append(list, all[i].locks(paid, ofAnother(all, i))...)
	}
	if l, ok := restored(all); ok {
		list = append(list, l)
	}
	slices.SortStableFunc(list, byGravity)
	return list
}

func byGravity(a, b Lock) int {
	return cmp.Compare(slices.Index(LockKinds[:], a.Kind), slices.Index(LockKinds[:], b.Kind))
}

// LocksAgainst returns the locks that forbid sending one attempt of the payout: all but its own
// in_flight.
func LocksAgainst(all []AttemptRecord, own AttemptKey) []Lock {
	return slices.DeleteFunc(Locks(all), func(l Lock) bool { return l.Kind == LockInFlight && l.Of == own })
}

// Grave returns the locks without in_flight, which only says that the payout is on its way.
func Grave(locks []Lock) []Lock {
	return slices.DeleteFunc(slices.Clone(locks), func(l Lock) bool { return l.Kind == LockInFlight })
}

// ofAnother reports whether the bank may have shortened a reference to that of another attempt
// of the payout, so that a status `returned` must not replace a missing credit. There are two
// signs. The statement shows a credit of attempt i's amount for another attempt, which may be
// i's. Or a debit of attempt i may belong to a later attempt that may have been sent by then. A
// debit with the attempt's UTR belongs to no other.
func ofAnother(all []AttemptRecord, i int) bool {
	for _, later := range all[i+1:] {
		moved := later.State != PayoutPlanned && later.State != PayoutRequestInitiated // it may have been sent elsewhere
		sent := later.Submit != nil && (moved || later.Submit.Outcome != Rejected && later.Submit.Outcome != NotSent)
		if sent && slices.ContainsFunc(all[i].Statement.Matches, func(m StatementMatch) bool {
			return m.Debit && m.By != MatchedByUTR && m.Day >= BankDay(later.calledFrom())
		}) {
			return true
		}
	}
	return slices.ContainsFunc(all, func(o AttemptRecord) bool {
		return o.Number != all[i].Number && slices.ContainsFunc(o.Statement.Matches, func(m StatementMatch) bool {
			return !m.Debit && m.Source == FromInterface && m.Share == all[i].Amount
		})
	})
}

// locks returns the locks of one attempt. paid: an attempt of the payout is paid. another: the
// result of ofAnother.
func (a *AttemptRecord) locks(paid, another bool) (list []Lock) {
	add := func(kind LockKind, who string, since time.Time) *Lock {
		list = append(list, a.lock(kind, who, since))
		return &list[len(list)-1]
	}
	switch {
	case a.State == PayoutDisputed:
		who := ByTwoPeople
		if a.Dispute.endsItself() && a.Resolved == ResolutionNone {
			who = ByBank
		}
		add(LockContradicted, who, a.UpdatedAt)
	case a.State.Awaited() && a.Batch.State == BatchSubmitUnknown:
		add(LockInDoubt, ByBank, a.CalledAt)
	case a.State.Awaited():
		add(LockInFlight, ByBank, a.Batch.StateSince)
	}
	shown := a.Statement
	if a.Released != nil {
		if fresh, differs := a.Released.Since(shown); differs {
			l := add(LockContradicted, ByTwoPeople, a.Released.At)
			l.Dispute, l.Lines, l.Possible = DisputeStatement, fresh.lines(), fresh.Possible
		}
		return list
	}
	if out := a.out(another); out > 0 {
		l := add(LockDebited, ByBank, firstDay(shown.lines()))
		l.Out, l.Lines = out, shown.lines()
	}
	if !paid && len(shown.Possible) > 0 {
		l := add(LockPossible, ByBank, firstDay(linesOf(shown.Possible)))
		l.Possible = shown.Possible
	}
	return list
}

// lock returns a lock of the attempt without its lines of a statement.
func (a *AttemptRecord) lock(kind LockKind, who string, since time.Time) Lock {
	return Lock{Kind: kind, Of: a.Key(), Ref: a.Ref, WireRef: a.WireRef, BatchID: a.BatchID, Since: since, Who: who,
		Status: a.Status, BatchState: a.Batch.State, Dispute: a.Dispute}
}

// out returns what went out for the attempt and did not come back, in paise. A status `returned`
// replaces one missing credit of the attempt's amount, but adds nothing to a credit that is
// there. A paid attempt is expected to be debited once.
func (a *AttemptRecord) out(another bool) Paise {
	out, back := a.Statement.Money(false)
	switch {
	case a.State == PayoutReturned && !another:
		back = max(back, a.Amount)
	case a.State == PayoutSuccess:
		back = back.PlusCapped(a.Amount)
	}
	return max(out-back, 0)
}

// Since returns what the statements show now and the two people did not see. differs reports
// whether there is any, or a credit that they saw is gone.
func (r *ReleasedEvidence) Since(now StatementEvidence) (fresh StatementEvidence, differs bool) {
	seen := map[string]int{}
	for _, key := range r.Keys {
		seen[key]++
	}
	known := func(l StatementLine) bool {
		seen[l.Key()]--
		return seen[l.Key()] >= 0
	}
	fresh.Matches = slices.DeleteFunc(slices.Clone(now.Matches), func(m StatementMatch) bool { return known(m.StatementLine) })
	fresh.Possible = slices.DeleteFunc(slices.Clone(now.Possible), func(p PossibleDebit) bool { return known(p.StatementLine) })
	differs = r.CreditGone || len(fresh.Matches)+len(fresh.Possible) > 0
	for key, n := range seen {
		differs = differs || n > 0 && isCredit(key)
	}
	return fresh, differs
}

// Keys returns the sorted keys of all its lines, as two people see them.
func (e StatementEvidence) Keys() []string {
	keys := ListOf(e.all(), StatementLine.Key)
	slices.Sort(keys)
	return keys
}

// all returns its lines and its possible debits.
func (e StatementEvidence) all() []StatementLine { return append(e.lines(), linesOf(e.Possible)...) }

func (e StatementEvidence) lines() []StatementLine {
	return ListOf(e.Matches, func(m StatementMatch) StatementLine { return m.StatementLine })
}

func linesOf(possible []PossibleDebit) []StatementLine {
	return ListOf(possible, func(p PossibleDebit) StatementLine { return p.StatementLine })
}

// firstDay returns the first day of some lines; zero for none.
func firstDay(lines []StatementLine) (first time.Time) {
	for _, l := range lines {
		if at, err := time.Parse(time.DateOnly, l.Day); err == nil && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}

// restored returns the lock of a payout that an older copy of the ledger knew. Events that the
// copy lost may have paid it. The lock ends with a release after the acceptance, of the last
// attempt that the copy knew or of a later one.
func restored(all []AttemptRecord) (Lock, bool) {
	if len(all) == 0 {
		return Lock{}, false
	}
	last := all[len(all)-1]
	known := 1
	for _, a := range all {
		if !a.Batch.CreatedAt.After(last.RestoredAt) {
			known = a.Number
		}
	}
	ended := last.RestoredAt.IsZero() || slices.ContainsFunc(all, func(a AttemptRecord) bool {
		return a.Number >= known && a.Released != nil && a.Released.At.After(last.RestoredAt)
	})
	if ended {
		return Lock{}, false
	}
	return last.lock(LockRestored, ByTwoPeople, last.RestoredAt), true
}

// MayFollow returns why no further attempt of a payout may be planned; nil if one may. all are
// its attempts. *PayoutLockedError: the payout is locked. ErrConflict: an attempt cannot be
// retried (it is paid, for example), or after is not the last one.
func MayFollow(after AttemptKey, all []AttemptRecord) error {
	if locks := Locks(all); len(locks) > 0 {
		return &PayoutLockedError{Locks: locks}
	}
	latest := 0
	for _, a := range all {
		latest = max(latest, a.Number)
		if !a.State.Retryable() {
			return fmt.Errorf("%w: attempt %d of payout %q is %s", ErrConflict, a.Number, a.Ref, a.State)
		}
	}
	if latest != after.Number {
		return fmt.Errorf("%w: attempt %d of payout %d is not its last", ErrConflict, after.Number, after.PayoutID)
	}
	return nil
}

// PayoutLockedError: a payout must not be paid again. errors.Is(err, ErrPayoutLocked).
type PayoutLockedError struct{ Locks []Lock }

func (e *PayoutLockedError) Error() string {
	l := e.Locks[0]
	return ErrPayoutLocked.Error() + ": " + l.WireRef + ": " + l.Saw()
}

func (e *PayoutLockedError) Unwrap() error { return ErrPayoutLocked }
