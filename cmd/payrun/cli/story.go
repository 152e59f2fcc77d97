package cli

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// story shows the whole history of one sheet, batch or payout, in order.
func (s *session) story(ctx context.Context, word string) error {
	story, err := s.app.Story(ctx, s.call, word)
	if err != nil {
		return err
	}
	if s.term.JSON {
		return s.document("payrun.story/v1", storyDocument(story))
	}
	switch {
	case story.Sheet != nil:
		s.sheetStory(story.Sheet)
	case story.Batch != nil:
		s.batchStory(story.Batch)
	default:
		s.payoutStory(story.Payout)
	}
	return nil
}

func storyDocument(story app.Story) doc.Story {
	var d doc.Story
	switch {
	case story.Sheet != nil:
		d.Sheet, d.Batches = new(doc.NewLoadedSheet(story.Sheet.Sheet)), statusLines(story.Sheet.Status)
	case story.Batch != nil:
		d.Batch, d.Events = new(story.Batch.Batch.Status(story.Batch.Asks.Kind)), story.Batch.Events
		d.Payouts = doc.Each(story.Batch.Attempts, func(at ledger.Attempt) doc.Payout { return doc.NewPayout(at, story.Batch.AsksOf(at)) })
	default:
		d.Sheet = new(doc.NewLoadedSheet(story.Payout.Sheet))
		for _, at := range story.Payout.Attempts {
			one := doc.StoryAttempt{Payout: doc.NewPayout(at.Attempt, at.Asks.Kind), Events: at.Events, Bank: doc.Each(at.Said, doc.NewObservation)}
			if at.OnStatement != nil {
				one.Statement = onStatement(at.OnStatement)
			}
			d.Attempts = append(d.Attempts, one)
		}
		d.Unclear, d.MoreUnclear = statementLines(story.Payout.Unclear)
		d.Locks = doc.NewLocks(story.Payout.Locks)
	}
	return d
}

func onStatement(b *app.StatementView) *doc.OnStatement {
	d := &doc.OnStatement{Day: b.Day, Covered: b.Covered, MatchedBy: string(b.By), Ties: b.Ties, Kind: string(b.Kind), Words: b.Words}
	d.Lines, d.MoreLines = statementLines(b.Lines)
	return d
}

// statementLines returns the first lines, and the number of those left out.
func statementLines(list []app.BookedLine) (lines []doc.StatementLine, more int) {
	list, more = app.FirstLines(list)
	return doc.Each(list, func(l app.BookedLine) doc.StatementLine {
		return doc.StatementLine{Entry: l.Ref.String(), Day: l.Day, Direction: ledger.Direction(l.Debit), Amount: l.Amount, Reference: l.Reference, Remarks: l.Remarks,
			MatchedBy: l.Because, Source: string(l.Source), File: l.Reading.FileName, ReadAt: ledger.Instant(l.Reading.At)}
	}), more
}

func (s *session) sheetStory(story *app.SheetStory) {
	s.term.Resultf("%s (%s), loaded %s by %s", ledger.Plain(story.Name), story.ID, s.set.Clock(story.LoadedAt), ledger.Plain(config.Who(story.LoadedBy)))
	s.term.Resultf("%s of %s: %s of %s accepted, %s of %s left out", ledger.Counted(story.Rows, "row", "rows"), story.Total.Rupees(),
		ledger.CountedPayouts(story.Accepted.Count), story.Accepted.Total.Rupees(), ledger.Counted(story.Rejected.Count, "row", "rows"), story.Rejected.Total.Rupees())
	if story.Corrected.Count > 0 {
		s.term.Resultf("%s of %s corrected payouts of earlier sheets", ledger.Counted(story.Corrected.Count, "row", "rows"), story.Corrected.Total.Rupees())
	}
	s.term.Resultf("%s", standingWords(story.Standing))
	for _, e := range story.Said {
		s.term.Resultf("%s: %s %s: %s", s.set.Clock(e.At), ledger.Plain(config.Who(e.Actor)), saidAs[e.Kind], ledger.Plain(cmp.Or(e.Reason(), e.Words())))
	}
	s.term.Resultf("")
	t := s.term.Table(term.Columns{"Batch", "Attempt", "Account", "Payouts", "Total", "State", "Since", "Note"}, 2, 4, 5).Notes().Spare(2, 7)
	for _, b := range story.Batches {
		t.Row(ledger.ShortID(b.ID), b.Attempt, s.set.AccountName(b.BankAccountID), b.Count, b.Total.Rupees(),
			s.term.Paint(stateColor(b.State), b.State.Words()), s.set.Clock(b.StateSince), b.Note)
	}
	t.Render()
}

// saidAs words the events in which a person said something about a sheet.
var saidAs = map[string]string{ledger.EventSentBack: "sent it back", ledger.EventCommented: "says"}

// standingWords says the state of a sheet, and what is to be done next.
func standingWords(st app.SheetStanding) string {
	parts := doc.Each(st.Parts, func(p app.PayoutPart) string {
		return fmt.Sprintf("%s %s (%s)", ledger.Grouped(p.Count), p.Words, p.Total.Rupees())
	})
	asks := doc.Each(st.Asks, func(a app.SheetAsk) string {
		next := cmp.Or(a.Next.String(), a.Next.What)
		return a.Words + either(next == "", "", ": "+next)
	})
	return strings.Join(asks, ". ") + ". " + strings.Join(parts, ", ")
}

func (s *session) batchStory(story *app.BatchStory) {
	b := story.Batch
	s.term.Resultf("batch %s, attempt %d of its payouts, of %s", b.ID, b.Attempt, ledger.Plain(s.set.AccountName(b.BankAccountID)))
	s.term.Resultf("%s of %s: %s", ledger.CountedPayouts(b.Count), b.Total.Rupees(), s.term.Paint(stateColor(b.State), b.State.Words()))
	s.showAsked(story.Asks, b, "")
	if story.Needed != "" {
		s.term.Resultf("%s", story.Needed)
	}
	s.term.Resultf("")
	t := s.term.Table(term.Columns{"Reference", "Payee", "Account", "Amount", "State", "UTR", "Reason"}, 4).Notes().Spare(3, 2).Names(2)
	showList(s, t, story.Attempts, shownPayouts, "payouts", func(at ledger.Attempt) {
		t.Row(at.WireRef, at.VendorName, ledger.Mask(at.BankAccountNumber), at.Amount.Rupees(), at.State.Words(), at.BankTxnRefID, at.Reason)
	})
	s.term.Resultf("")
	s.showMoments(s.momentsOf(story.Events, nil))
}

func (s *session) payoutStory(story *app.PayoutStory) {
	locks := ledger.Grave(story.Locks)
	for i, at := range story.Attempts {
		if i == 0 {
			s.term.Resultf("%s, row %d of %s (%s), loaded %s by %s", ledger.Plain(at.Ref), at.Row, ledger.Plain(story.Sheet.Name), story.Sheet.ID,
				s.set.Clock(story.Sheet.LoadedAt), ledger.Plain(config.Who(story.Sheet.LoadedBy)))
		}
		s.term.Resultf("")
		s.term.Resultf("attempt %d: %s, %s%s", at.Number, at.Amount.Rupees(), at.State.Words(), either(at.BankTxnRefID == "", "", ", UTR "+ledger.Plain(at.BankTxnRefID)))
		s.term.Resultf("to %s, %s", ledger.Plain(at.VendorName), strings.TrimSpace(ledger.Mask(cmp.Or(at.BankAccountNumber, at.OpenBeneficiaryID))+" "+ledger.Plain(at.IFSC)))
		s.term.Resultf("as %s in batch %s (%s) of %s", ledger.Plain(at.WireRef), ledger.ShortID(at.BatchID), at.Batch.State.Words(), ledger.Plain(s.set.AccountName(at.Batch.BankAccountID)))
		if at.Reason != "" {
			s.term.Resultf("%s", ledger.Plain(at.Reason))
		}
		if i == len(story.Attempts)-1 && (len(locks) == 0 || !at.State.Retryable()) { // else only its locks count
			s.showAsked(at.Asks, at.Batch, at.Ref)
		}
		s.showMoments(s.momentsOf(at.Events, at.Said))
		if at.OnStatement != nil {
			s.showBooked(at.OnStatement)
		}
	}
	if len(locks) > 0 {
		s.term.Resultf("")
		s.showLocks(locks)
		s.nextIs(app.Do("resolve", locks[0].Ref).Which("shows how they end"))
	}
	if len(story.Unclear) > 0 {
		s.term.Resultf("")
		s.term.Resultf("on a statement, and could be its own:")
		s.showLines(story.Unclear)
	}
}

// showBooked shows the entries of an attempt on the recorded statements, and what to do if there are none
// yet.
func (s *session) showBooked(b *app.StatementView) {
	s.term.Resultf("")
	s.term.Resultf("on the statement of %s: %s", ledger.Plain(b.Account), ledger.Plain(b.Words))
	if len(b.Lines) > 0 {
		s.showLines(b.Lines)
	}
	for _, h := range b.Then {
		for _, line := range s.hintLines(h) {
			s.term.Resultf("  %s", line)
		}
	}
}

func (s *session) showLines(list []app.BookedLine) {
	t := s.term.Table(term.Columns{"Entry", "Day", "Line", "Amount", "Because", "Words", "On record"}, 4).Notes().Spare(6)
	showList(s, t, list, shownPayouts, "lines", func(l app.BookedLine) {
		t.Row(l.Ref.String(), l.Day, ledger.Direction(l.Debit), l.Amount.Rupees(), app.LineWords(l), strings.TrimSpace(l.Reference+" "+l.Remarks), l.When(s.set.Clock))
	})
}

// showAsked says what a person should do about a batch, or about one payout of it, ref.
func (s *session) showAsked(asks ledger.AttentionRow, b ledger.Batch, ref string) {
	if asks.Kind == ledger.NeedsNothing || asks.Do == "" {
		return
	}
	s.term.Resultf("%s: %s", asks.Title, asks.Do)
	if len(asks.Next) > 0 && asks.Next[0].Names != ledger.NamesPayout {
		args := asks.Next[0].Args(b.ID)
		if asks.Next[0].Verb == "retry" && ref != "" {
			args = append(args, "--ref", ref) // not the others of its batch
		}
		s.nextIs(app.Do(args...))
	}
}

// moment is a line of a story.
type moment struct {
	at                time.Time
	who, what, detail string
	status            string // of the payout, as the bank says it or as returned; "" for an event
}

// steps words the events of a batch. With complete set, the words say it all and the event's detail is left out.
// Events with empty words are only in the log. Events that are not listed are shown unchanged.
var steps = map[string]struct {
	words    string
	complete bool
}{
	"batch_planned": {"planned", true}, "approved": {"approved", false}, "sent_back": {"sent back", false}, "observed": {}, "all_final": {},
	"initiate_intended": {}, "initiate_undone": {}, "initiate_accepted": {"initiated; the bank sent the OTP", true},
	"initiate_lost": {"the answer to initiate was lost", true}, "seen_as_planned": {"initiated, as the bank shows", true},
	"initiate_refused": {"the bank refused it", false}, "refusal_stands": {"the bank refused it", false},
	"doubt_expired": {"not at the bank; planned again", true}, "echo_differs": {"quarantined", false}, "seen_elsewhere": {"quarantined", false},
	"submit_intended": {}, "submit_undone": {}, "submit_accepted": {"submitted", true}, "submit_rejected": {"the bank rejected the OTP", false},
	"submit_lost": {"the answer to the submit was lost", true}, "seen_moving": {"submitted, as the bank shows", true},
}

// outcomes words the bank's final statuses of a payout.
var outcomes = map[string]string{ledger.StatusSuccess: "paid", ledger.StatusFailed: "failed", ledger.CodeReturned: "came back"}

// momentsOf merges the events of a batch and what the bank said about a payout, in order of time: the
// steps, and the final status or else the last one. With --verbose it returns all of it, as in the log.
func (s *session) momentsOf(events []ledger.Event, said []ledger.NewObservation) []moment {
	all := logOf(events, said)
	if s.term.Verbose {
		return all
	}
	var brief []moment
	for i, m := range all {
		step, known := steps[m.what]
		switch {
		case outcomes[m.status] != "" && slices.ContainsFunc(all[:i], func(earlier moment) bool { return earlier.status == m.status }):
		case m.status != "" && outcomes[m.status] == "" && slices.ContainsFunc(all[i+1:], func(later moment) bool { return later.status != "" }):
		case m.status != "":
			m.what = cmp.Or(outcomes[m.status], m.what)
			brief = append(brief, m)
		case !known:
			brief = append(brief, m)
		case step.words != "":
			m.what = step.words
			if step.complete {
				m.detail = ""
			}
			brief = append(brief, m)
		}
	}
	return brief
}

func logOf(events []ledger.Event, said []ledger.NewObservation) (all []moment) {
	all = ledger.ListOf(events, func(e ledger.Event) moment {
		return moment{at: e.At, who: config.Who(e.Actor), what: e.Kind, detail: app.EventDetail(e.Words())}
	})
	for _, n := range said {
		words := slices.DeleteFunc([]string{n.BankStatusCode, either(n.BankTxnRefID == "", "", "UTR "+n.BankTxnRefID), app.BankWords(n.Error)},
			func(w string) bool { return w == "" })
		status := either(n.BankStatusCode == ledger.CodeReturned, ledger.CodeReturned, n.Status)
		all = append(all, moment{n.At, "the bank", fmt.Sprintf("says %q", n.Status), strings.Join(words, ", "), status})
	}
	slices.SortStableFunc(all, func(a, b moment) int { return a.at.Compare(b.at) })
	return all
}

func (s *session) showMoments(all []moment) {
	t := s.term.Table(term.Columns{"When", "Who", "What", "Detail"}).Notes().Spare(2)
	for _, m := range all {
		t.Row(s.set.Clock(m.at), m.who, m.what, m.detail)
	}
	t.Render()
}
