package ledger

import (
	"fmt"
	"strings"
	"time"
)

// Saw describes the evidence, in one sentence without a full stop.
func (l Lock) Saw() string {
	switch l.Kind {
	case LockInFlight:
		return fmt.Sprintf("attempt %d is in batch %s (%s)", l.Of.Number, l.BatchID, Lowered(l.BatchState.Words()))
	case LockInDoubt:
		return fmt.Sprintf("batch %s was submitted at %s, and its answer was lost", l.BatchID, stamp(l.Since))
	case LockContradicted:
		return l.sawContradiction()
	case LockDebited:
		return fmt.Sprintf("%s went out for it and did not come back (%s)", l.Out.Rupees(), lineWords(l.Lines))
	case LockPossible:
		return "the statement has " + linesShown(l.Possible, PossibleDebit.Words)
	case LockRestored:
		return fmt.Sprintf("an older copy of the ledger was accepted at %s", stamp(l.Since))
	}
	return string(l.Kind)
}

func (l Lock) sawContradiction() string {
	switch l.Dispute {
	case DisputeStatement:
		if len(l.Lines)+len(l.Possible) == 0 {
			return fmt.Sprintf("it was released at %s, and the statement no longer shows a credit that both people saw", stamp(l.Since))
		}
		return fmt.Sprintf("it was released at %s, and a statement now shows %s", stamp(l.Since), lineWords(append(l.Lines, linesOf(l.Possible)...)))
	case DisputeByPeople:
		return "two people closed it as paid, because the bank says so"
	case DisputeStepBack:
		return fmt.Sprintf("the bank showed it as success, and then as %q", l.Status)
	case DisputeUnread:
		return fmt.Sprintf("the bank shows it as %q with a value that cannot be read", l.Status)
	case DisputeMoved:
		return fmt.Sprintf("it was never to be paid from here, and the bank shows it as %q", l.Status)
	}
	return fmt.Sprintf("the bank shows it as %q, which contradicts what it showed before", l.Status)
}

// Ends describes what ends the lock.
func (l Lock) Ends() string { return l.Kind.Row().Do }

// Why describes why the lock matters.
func (l Lock) Why() string { return l.Kind.Row().Why }

// possibleWords describe why a debit could belong to an attempt.
var possibleWords = map[PossibleReason]string{
	PossibleAmount:    "with exactly its amount",
	PossibleTotal:     "with its batch's total",
	PossibleNamed:     "with its name, and another amount or other names",
	PossibleShare:     "that could be its part of the batch",
	PossibleOther:     "with its amount; it counts as another payout's, of which that is not sure",
	PossibleWithdrawn: "which a newer statement lacks",
	PossibleFile:      "which only a file shows",
	PossibleBreak:     "the balances break here, by this amount",
}

// Words describes the debit for a sentence. For a break of the balances, it names the amount of the
// break and the line after it.
func (p PossibleDebit) Words() string {
	if p.Why == PossibleBreak {
		return fmt.Sprintf("a break of %s in its balances before %s on %s", p.Amount.Rupees(), p.Ref, p.Day)
	}
	return fmt.Sprintf("%s of %s on %s %s", p.Ref, p.Amount.Rupees(), p.Day, p.Why.Words())
}

// mostShownLines is how many lines of a statement a sentence names at most.
const mostShownLines = 3

func lineWords(lines []StatementLine) string {
	return linesShown(lines, func(l StatementLine) string {
		return fmt.Sprintf("%s %s of %s on %s", l.Ref, Direction(l.Debit), l.Amount.Rupees(), l.Day)
	})
}

// linesShown names the first of some lines, and how many more there are.
func linesShown[T any](lines []T, words func(T) string) string {
	shown := strings.Join(ListOf(lines[:min(len(lines), mostShownLines)], words), ", ")
	if more := len(lines) - mostShownLines; more > 0 {
		shown += fmt.Sprintf(" and %d more", more)
	}
	return shown
}

// stamp returns a time in words; "not given" for none.
func stamp(t time.Time) string {
	if t.IsZero() {
		return "not given"
	}
	return momentWords(t)
}

// DayRange returns two days as "first to last".
func DayRange(first, last string) string {
	if first == last {
		return first
	}
	return first + " to " + last
}
