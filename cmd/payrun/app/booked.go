package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"payrun/ledger"
	"payrun/ledger/threeway"
	"payrun/validate"
)

// Booked is what the statements on record show of an attempt, as the reports of the
// same ledger have it.
type Booked struct {
	threeway.Seen
	Lines   []BookedLine // in place of those of Seen: with their entries
	Account string       // its debit account, by its name
	Words   string       // all of it in one sentence that begins none
	Then    []Hint       // what to do about it
}

// BookedLine is a line of a statement: an entry, or a payment of a batch booking.
type BookedLine struct {
	threeway.Line
	threeway.Piece
	Reading ledger.KeptStatement // that brought it
}

// LineWords say by what a line is an attempt's, or why it is not said to be.
func LineWords(l BookedLine) string {
	switch {
	case l.Of == (ledger.AttemptKey{}) && l.By == threeway.ByReference:
		return "carries a name of it, and another's"
	case l.Of == (ledger.AttemptKey{}):
		return "has its amount and no name, and something else is alike"
	}
	return [...]string{threeway.ByUTR: "by its UTR", threeway.ByReference: "by its reference", threeway.ByAmount: "by amount and day",
		threeway.ByBatch: "as the total of its batch"}[l.By]
}

// source is the ledger as threeway.Around asks it.
type source struct{ store }

// AttemptsNamed folds the names as the ledger has references.
func (s source) AttemptsNamed(ctx context.Context, names []string, fn func(ledger.Attempt) error) error {
	keys := make([]string, len(names))
	for i, name := range names {
		keys[i] = validate.RefKey(name)
	}
	return s.store.AttemptsNamed(ctx, keys, fn)
}

// booked finds what the statements show of a payout, and which lines are perhaps its
// own.
func (o *operation) booked(ctx context.Context, s *PayoutStory) error {
	set, err := o.matching(ctx)
	if err != nil {
		return err
	}
	attempts := make([]ledger.Attempt, len(s.Attempts))
	for i, at := range s.Attempts {
		attempts[i] = at.Attempt
	}
	shown, err := threeway.Around(ctx, source{o.store}, set, attempts)
	if err != nil {
		return err
	}
	line := func(l threeway.Line) BookedLine {
		p := shown.Pieces[l.Piece-1]
		i := slices.IndexFunc(shown.Readings, func(r ledger.KeptStatement) bool { return r.No == p.ReadNo })
		return BookedLine{l, p, shown.Readings[i]}
	}
	for i, seen := range shown.Seen {
		at := &s.Attempts[i]
		if seen.Day == "" && len(seen.Lines) == 0 { // it was never sent
			continue
		}
		at.Booked = &Booked{Seen: seen, Account: o.set.AccountName(at.Batch.BankAccountID)}
		for _, l := range seen.Lines {
			at.Booked.Lines = append(at.Booked.Lines, line(l))
		}
		slices.SortStableFunc(at.Booked.Lines, byDay)
		at.Booked.say(at, shown.Readings)
	}
	for _, l := range shown.Unclear {
		s.Unclear = append(s.Unclear, line(l))
	}
	slices.SortStableFunc(s.Unclear, byDay)
	return nil
}

func byDay(a, b BookedLine) int {
	return cmp.Or(cmp.Compare(a.Day(), b.Day()), cmp.Compare(a.ReadNo, b.ReadNo), a.Place-b.Place)
}

// say puts it into words.
func (b *Booked) say(at *AttemptStory, readings []ledger.KeptStatement) {
	found := ""
	if b.By != threeway.ByNothing {
		found = "its debit is there, found " + LineWords(BookedLine{Line: threeway.Line{Of: b.Of, By: b.By}})
	}
	switch {
	case len(b.Exceptions) > 0:
		row := rowOf(b.Exceptions[0].Kind)
		b.Words = lowered(row.Title) + ": " + b.Exceptions[0].Detail
		if row.Do != "" {
			b.Then = append(b.Then, Say("%s", row.Do))
		}
	case found != "" && at.State == ledger.PayoutReturned && !b.Ties:
		b.Words = found + "; its return is not on a statement yet"
	case found != "":
		b.Words = found
	case len(b.Lines) > 0:
		b.Words = "its return is there, and not its debit"
	case b.Covered:
		b.Words = "that of " + b.Day + " has no line of it"
	default:
		b.Words = "no statement of " + b.Day + " is on record yet"
		b.notYet(at.Batch.BankAccountID, readings)
	}
}

// notYet says how a statement of the day comes here.
func (b *Booked) notYet(account string, readings []ledger.KeptStatement) {
	i := slices.IndexFunc(readings, func(r ledger.KeptStatement) bool {
		return r.BankAccountID == account && r.Shape != ledger.ShapeEntries && r.From <= b.Day && b.Day <= r.To
	})
	if i < 0 {
		b.Then = append(b.Then, Do("reconcile").Which("asks the bank for it"))
	} else {
		b.Words += ": " + withoutEntries(readings[i].StatementRead)
	}
	if b.Account != account { // it is configured
		b.Then = append(b.Then, Do("statement", "import", "FILE", "--account", b.Account).Which("takes in a file of the bank"))
	}
}

// When says when and how the line came to be on record.
func (l BookedLine) When(clock func(time.Time) string) string {
	if l.Reading.Source == ledger.FromFile {
		return fmt.Sprintf("imported from %s %s", ledger.Plain(l.Reading.File.Name), clock(l.Reading.At))
	}
	return "fetched from the bank " + clock(l.Reading.At)
}
