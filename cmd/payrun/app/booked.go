package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
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
	// Covered says that the statements settle whether it was debited: its debit is there,
	// or it is proven that none has its name or amount.
	Covered bool
	Words   string // all of it in one sentence that begins none
	Then    []Hint // what to do about it
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
		return "has its amount, or its batch's, and no name"
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
	attempts := make([]threeway.Asked, len(s.Attempts))
	names := map[string]bool{}
	for i, at := range s.Attempts {
		attempts[i] = threeway.Asked{Attempt: at.Attempt, Intended: at.intended()}
		names[strings.ToLower(at.WireRef)], names[strings.ToLower(at.BankTxnRefID)] = true, true
	}
	shown, err := threeway.Around(ctx, source{o.store}, set, attempts)
	if err != nil {
		return err
	}
	line := func(l threeway.Line) BookedLine {
		p := shown.Pieces[l.Piece-1]
		p.Reference = ledger.MaskRemarks(p.Reference, func(word string) bool { return names[word] }) // its remarks were masked when they were recorded
		i := slices.IndexFunc(shown.Readings, func(r ledger.KeptStatement) bool { return r.No == p.ReadNo })
		return BookedLine{l, p, shown.Readings[i]}
	}
	for _, l := range shown.Unclear {
		s.Unclear = append(s.Unclear, line(l))
	}
	slices.SortStableFunc(s.Unclear, byDay)
	for i, seen := range shown.Seen {
		at := &s.Attempts[i]
		if seen.Day == "" && len(seen.Lines) == 0 { // it was never sent
			continue
		}
		at.Booked = &Booked{Seen: seen, Account: o.set.AccountName(at.Batch.BankAccountID)}
		if span := shown.Spans[i]; span.From != "" {
			at.Booked.Day = span.From
		}
		for _, l := range seen.Lines {
			at.Booked.Lines = append(at.Booked.Lines, line(l))
		}
		slices.SortStableFunc(at.Booked.Lines, byDay)
		if err := o.sayBooked(ctx, at, len(s.Unclear), shown.Spans[i], shown.Readings); err != nil {
			return err
		}
	}
	return nil
}

// intended is when the attempt was first about to be submitted; zero where it never was.
func (at *AttemptStory) intended() time.Time {
	i := slices.IndexFunc(at.Events, func(e ledger.Event) bool { return e.Kind == string(ledger.SubmitIntended) })
	if i < 0 {
		return time.Time{}
	}
	return at.Events[i].At
}

func byDay(a, b BookedLine) int {
	return cmp.Or(cmp.Compare(a.Day(), b.Day()), cmp.Compare(a.ReadNo, b.ReadNo), a.Place-b.Place)
}

// sayBooked puts it into words, with as many lines that may be the payout's. None of
// them says that there is no debit, but where that is proven: somebody may pay again.
func (o *operation) sayBooked(ctx context.Context, at *AttemptStory, unclear int, span threeway.Span, readings []ledger.KeptStatement) error {
	b := at.Booked
	found, perhaps := "", ""
	if b.By != threeway.ByNothing {
		found = "its debit is there, found " + LineWords(BookedLine{Line: threeway.Line{Of: b.Of, By: b.By}})
	}
	if len(b.Lines) == 0 && unclear > 0 {
		perhaps = fmt.Sprintf("no line is surely its own; %s below may be", ledger.Counted(unclear, "line", "lines"))
	}
	b.Covered = found != ""
	switch {
	case len(b.Exceptions) > 0:
		row := rowOf(b.Exceptions[0].Kind)
		b.Words = lowered(row.Title) + ": " + b.Exceptions[0].Detail
		if perhaps != "" {
			b.Words += "; " + perhaps
		}
		if row.Do != "" {
			b.Then = append(b.Then, Say("%s", row.Do))
		}
		return nil
	case found != "" && at.State == ledger.PayoutReturned && !b.Ties:
		b.Words = found + "; its return is not on a statement yet"
		return nil
	case found != "":
		b.Words = found
		return nil
	case len(b.Lines) > 0:
		b.Words = "its return is there, and not its debit"
		return nil
	case perhaps != "":
		b.Words = perhaps
	case span.Read.IsZero():
		b.Words = "no statement of " + b.Day + " is on record yet" + promised(at.Batch.BankAccountID, b.Day, readings)
	case !span.Through:
		b.Words = "what is on record of " + b.Day + " was read " + o.set.Clock(span.Read) + " and may lack its debit"
	default:
		whole, err := o.addsUp(ctx, at.Batch.BankAccountID, span.From)
		if err != nil {
			return err
		}
		if b.Covered = whole; whole {
			b.Words = "no line from " + span.From + " to " + span.To + " is its own by name or amount, and the balances leave none out"
			return nil
		}
		b.Words = "what is on record of " + b.Day + " has no line of it, and the balances do not prove that none is missing"
	}
	day, err := time.Parse(time.DateOnly, b.Day)
	if err != nil {
		return err
	}
	if b.Account != at.Batch.BankAccountID { // it is configured
		since := day.AddDate(0, 0, -1).Format(time.DateOnly) // of itself reconcile asks for few days that are on record
		b.Then = append(b.Then, Do("reconcile", "--since", since).Which("asks the bank for the statement"), Do("statement", "import", "FILE", "--account", b.Account).Which("takes in a file of the bank"))
	}
	return nil
}

// promised tells what the bank last said in place of the entries of a day, after a
// colon; "" where it said nothing.
func promised(account, day string, readings []ledger.KeptStatement) string {
	for _, r := range slices.Backward(readings) {
		if r.BankAccountID == account && r.Shape != ledger.ShapeEntries && r.From <= day && day <= r.To {
			return ": " + withoutEntries(r.StatementRead)
		}
	}
	return ""
}

// addsUp reports whether the balances of what is on record of an account lead from
// before a day to the last entry: then no line is missing between them. It reads all of
// them.
func (o *operation) addsUp(ctx context.Context, account, day string) (bool, error) {
	m := threeway.New(threeway.Settings{Zone: o.set.Timezone.At})
	before := false
	err := o.store.EachEntry(ctx, account, func(e ledger.KeptEntry) error {
		before = before || e.Day() < day
		m.Entry(&e)
		return nil
	})
	if err != nil || !before {
		return false, err
	}
	r := m.Finish()
	return r.Unexplained == 0, nil
}

// mostLines is how many lines of one payout a document or a page shows: an amount that
// is paid often may be that of very many.
const mostLines = 100

// FirstLines gives those that are shown, and how many more there are.
func FirstLines(list []BookedLine) (shown []BookedLine, more int) {
	shown = list[:min(len(list), mostLines)]
	return shown, len(list) - len(shown)
}

// When says when and how the line came to be on record.
func (l BookedLine) When(clock func(time.Time) string) string {
	if l.Reading.Source == ledger.FromFile {
		return fmt.Sprintf("imported from %s %s", ledger.Plain(l.Reading.File.Name), clock(l.Reading.At))
	}
	return "fetched from the bank " + clock(l.Reading.At)
}
