package app

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
	"payrun/ledger/reconcile"
)

// StatementView is what the recorded statements show of an attempt: the same matches that everything
// else reads, in the words of the reports.
type StatementView struct {
	Account string // its debit account, by its name
	Day     string // when a statement has to show its debit; "" if it was never sent
	reconcile.Found
	Kind    ledger.Attention // of the gravest difference; "" for none
	Covered bool             // a statement covers its day
	Lines   []BookedLine     // the attempt's own
	Words   string           // all of it in one clause, without a capital
	Then    []Hint           // what to do about it
}

// BookedLine is a line of a statement with its texts, and why it is listed.
type BookedLine struct {
	ledger.StatementLine
	Because            string // how it was matched, or why it could be the payout's
	Reference, Remarks string
	Reading            ledger.KeptStatement
}

// matchedWords say how a line was matched to an attempt.
var matchedWords = map[ledger.MatchedBy]string{
	ledger.MatchedByUTR: "by its UTR", ledger.MatchedByReference: "by its reference", ledger.MatchedByAmount: "by amount and day",
	ledger.MatchedByBatch: "as the total of its batch", ledger.MatchedByPeople: "two people said so",
}

// LineWords says how a line was matched to an attempt, or why it could be its own.
func LineWords(l BookedLine) string {
	return cmp.Or(matchedWords[ledger.MatchedBy(l.Because)], ledger.PossibleReason(l.Because).Words())
}

// onStatement adds what the statements show of a payout, and which lines could be its own. The records are
// those of its attempts.
func (o *operation) onStatement(ctx context.Context, s *PayoutStory, records []ledger.AttemptRecord) error {
	result, err := o.store.Reconciled(ctx, o.matching(), s.Attempts[0].ID)
	if err != nil {
		return err
	}
	readings, err := o.store.Statements(ctx, "")
	if err != nil {
		return err
	}
	for i := range s.Attempts {
		at, shown := &s.Attempts[i], records[i].Statement
		for _, p := range shown.Possible {
			s.Unclear = append(s.Unclear, BookedLine{StatementLine: p.StatementLine, Because: string(p.Why)})
		}
		if at.sent().IsZero() && len(shown.Matches) == 0 {
			continue
		}
		at.OnStatement = o.bookedAttempt(at, shown, result, readings)
		if kind := at.OnStatement.Kind; kind.NeedsPerson() {
			at.Asks = kind.Row()
		}
		if err := o.addWords(ctx, at.OnStatement.Lines, s, readings); err != nil {
			return err
		}
	}
	slices.SortStableFunc(s.Unclear, func(a, b BookedLine) int { return cmp.Or(cmp.Compare(a.Day, b.Day), a.Ref.Compare(b.Ref)) })
	s.Unclear = slices.CompactFunc(s.Unclear, func(a, b BookedLine) bool { return a.Ref == b.Ref })
	return o.addWords(ctx, s.Unclear, s, readings)
}

// sent returns when the attempt was first about to be submitted; zero if it never was.
func (at *AttemptStory) sent() time.Time {
	i := slices.IndexFunc(at.Events, func(e ledger.Event) bool { return e.Kind == string(ledger.SubmitIntended) })
	if i < 0 {
		return at.Batch.SubmittedAt
	}
	return at.Events[i].At
}

func (o *operation) bookedAttempt(at *AttemptStory, shown ledger.StatementEvidence, result *reconcile.Result, readings []ledger.KeptStatement) *StatementView {
	b := &StatementView{Account: o.set.AccountName(at.Batch.BankAccountID), Day: ledger.BankDay(at.sent())}
	b.Lines = ledger.ListOf(shown.Matches, func(m ledger.StatementMatch) BookedLine {
		return BookedLine{StatementLine: m.StatementLine, Because: string(m.By)}
	})
	own := ledger.Where(readings, func(k ledger.KeptStatement) bool { return k.BankAccountID == at.Batch.BankAccountID })
	b.Covered = len(b.Lines) > 0 || b.Day != "" && len(ledger.MissingDays(own, b.Day, b.Day)) == 0
	b.Found = result.Found[at.Key()]
	for _, e := range result.Exceptions {
		if e.Of == at.Key() && b.Kind == "" {
			b.Kind, b.Words = e.Kind, ledger.Lowered(e.Kind.Row().Title)+": "+e.Detail
			if do := e.Kind.Row().Do; do != "" && !e.Kind.NeedsPerson() { // else the attempt's Asks says it
				b.Then = append(b.Then, Say("%s", do))
			}
		}
	}
	switch {
	case b.Words != "":
	case b.By != "":
		b.Words = "its debit is there, found " + matchedWords[b.By]
	case len(b.Lines) > 0:
		b.Words = "its return is there, but not its debit"
	case !b.Covered:
		b.Words = "no statement of " + b.Day + " is on record yet" + promised(b.Day, own)
		b.Then = o.fetchHints(at.Batch.BankAccountID, b)
	default:
		b.Words = "no recorded line matches it by name or amount; that alone does not prove that it was not paid"
	}
	return b
}

// fetchHints say how to get the statement of a day into the ledger.
func (o *operation) fetchHints(account string, b *StatementView) []Hint {
	since := ledger.DayPlus(b.Day, -1) // reconcile alone asks for only a few days that are recorded already
	if since == "" || b.Account == account {
		return nil // the account is not configured
	}
	return []Hint{Do("reconcile", "--since", since).Which("asks the bank for the statement"), Do("statement", "import", "FILE", "--account", b.Account).Which("takes in a file of the bank")}
}

// promised returns, after a colon, what the bank last gave instead of the entries of a day;
// "" if it gave nothing.
func promised(day string, readings []ledger.KeptStatement) string {
	for _, r := range slices.Backward(readings) {
		if r.Shape != ledger.ShapeEntries && r.From <= day && day <= r.To {
			return ": " + withoutEntries(r.StatementRead)
		}
	}
	return ""
}

// addWords adds to each line its texts, and the reading that has it.
func (o *operation) addWords(ctx context.Context, list []BookedLine, s *PayoutStory, readings []ledger.KeptStatement) error {
	names := map[string]bool{}
	for _, at := range s.Attempts {
		names[strings.ToLower(at.WireRef)], names[strings.ToLower(at.BankTxnRefID)] = true, true
	}
	for i := range list {
		l := &list[i]
		lines, err := o.store.LinesAt(ctx, []ledger.EntryRef{l.Ref})
		if err != nil {
			return err
		}
		for _, kept := range lines {
			l.Reference, l.Remarks = kept.Reference, kept.Remarks
			if n := l.Ref.Reading; n > 0 && n <= int64(len(readings)) { // only a tampered ledger names other readings
				l.Reading = readings[n-1]
			}
			if part := l.Ref.Part; part > 0 && part <= len(kept.Details) {
				l.Reference, l.Remarks = kept.Details[part-1].Reference, kept.Details[part-1].Remarks
			}
		}
		l.Reference = ledger.MaskRemarks(l.Reference, func(word string) bool { return names[word] }) // remarks are masked
	}
	return nil
}

// mostLines is how many lines of one payout a document or page shows: a common amount may
// be on very many lines.
const mostLines = 100

// FirstLines returns the lines to show, and how many more there are.
func FirstLines(list []BookedLine) (shown []BookedLine, more int) {
	shown = list[:min(len(list), mostLines)]
	return shown, len(list) - len(shown)
}

// When says when and how the line was recorded.
func (l BookedLine) When(clock func(time.Time) string) string {
	if l.Reading.Source == ledger.FromFile {
		return fmt.Sprintf("imported from %s %s", ledger.Plain(l.Reading.FileName), clock(l.Reading.At))
	}
	return "fetched from the bank " + clock(l.Reading.At)
}
