package ledger_test

import (
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// A payout that failed at the bank, whose debit the statement shows, and whose credit
// carries no name: two people decide that it came back, and each part of what they
// decide on is needed.
func TestWhatItTakesThatAFailedPayoutCameBack(t *testing.T) {
	debit := ledger.BookEntry{Debit: true, Amount: 100_00, Words: []string{"NEFT/INV-1/RAO"}}
	credit := ledger.BookEntry{Amount: 100_00, Words: []string{"REVERSAL 0815"}}
	books := func(list ...ledger.BookEntry) func(*ledger.Known, *ledger.Step) {
		return func(_ *ledger.Known, s *ledger.Step) {
			b := clean()
			for _, e := range list {
				add(&b, e)
			}
			s.Deciding.Books = &b
		}
	}
	changed := func(e ledger.BookEntry, change func(*ledger.BookEntry)) ledger.BookEntry { change(&e); return e }
	owed := func(list ...ledger.Owed) func(*ledger.Known, *ledger.Step) {
		return func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books.Owed = list }
	}
	for name, c := range map[string]struct {
		change func(*ledger.Known, *ledger.Step)
		rule   string
	}{
		"all of it":                   {func(*ledger.Known, *ledger.Step) {}, ""},
		"no written word of the bank": {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Ticket = "" }, ledger.RuleTicket},
		"no statement": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Books, s.Deciding.NoBooks = nil, "HTTP 202"
		}, ledger.RuleBooksMissing},
		"a statement that is too short": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Books.From = submitAt
		}, ledger.RuleBooksWindow},
		"one that could not be read": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Books = &ledger.Books{BankAccountID: booksAccount, From: submitAt.Add(-24 * time.Hour), To: booksAt, ReadAt: booksAt, Why: "timeout"}
		}, ledger.RuleBooksClosed},
		"one that ends too early, without it": {func(k *ledger.Known, s *ledger.Step) {
			books()(k, s)
			s.Deciding.Books.Entries[1].At = submitAt.Add(2 * time.Hour)
		}, ledger.RuleState},
		"one that ends too early": {func(_ *ledger.Known, s *ledger.Step) {
			s.Deciding.Books.Entries[3].At = submitAt.Add(2 * time.Hour)
		}, ledger.RuleBooksLate},
		"one of another account":              {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books.BankAccountID = "other" }, ledger.RuleBooksAccount},
		"one that was read too long ago":      {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Books.ReadAt = booksAt.Add(-time.Hour) }, ledger.RuleBooksFresh},
		"the bank's own statement without it": {books(), ledger.RuleState},
		"no credit":                           {books(debit), ledger.RuleBooksDebited},
		"a credit before the debit":           {books(credit, debit), ledger.RuleBooksDebited},
		"a credit of another amount":          {books(debit, changed(credit, func(e *ledger.BookEntry) { e.Amount-- })), ledger.RuleBooksDebited},
		"a credit that names another payout":  {books(debit, changed(credit, func(e *ledger.BookEntry) { e.Explained = "names a payout" })), ledger.RuleBooksDebited},
		"a credit that is matched to another": {books(debit, changed(credit, func(e *ledger.BookEntry) { e.Matched = "OTHER-8" })), ledger.RuleBooksDebited},
		"another payout waits for the credit": {owed(ledger.Owed{WireRef: "OTHER-8", Amount: 100_00}, ledger.Owed{WireRef: "INV-1", Amount: 100_00}), ledger.RuleBooksDebited},
		"another payout, and two credits": {func(k *ledger.Known, s *ledger.Step) {
			books(debit, credit, credit)(k, s)
			owed(ledger.Owed{WireRef: "OTHER-8", Amount: 100_00})(k, s)
		}, ""},
		"another payout of another amount":      {owed(ledger.Owed{WireRef: "OTHER-8", Amount: 101_00}, ledger.Owed{WireRef: "INV-1", Amount: 100_00}), ""},
		"debited twice":                         {books(debit, credit, debit), ledger.RuleBooksDebited},
		"debited twice, with a credit each":     {books(debit, debit, credit, credit), ledger.RuleBooksDebited},
		"debited with another amount":           {books(changed(debit, func(e *ledger.BookEntry) { e.Amount-- }), credit), ledger.RuleBooksDebited},
		"a debit without a name after it":       {books(debit, credit, changed(debit, func(e *ledger.BookEntry) { e.Words = nil })), ledger.RuleBooksAmount},
		"its credit has its name":               {books(debit, changed(credit, func(e *ledger.BookEntry) { e.Words = debit.Words })), ledger.RuleState},
		"the status no longer says failed":      {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Look.Payouts[0].Status = "pending" }, ledger.RuleStatus},
		"a status that broke off":               {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Look.Complete = false }, ledger.RuleStatus},
		"a status without it":                   {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Look.Payouts = s.Deciding.Look.Payouts[1:] }, ledger.RuleState},
		"no status":                             {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.Look = silent("prbatch") }, ledger.RuleState},
		"it is on its way":                      {func(k *ledger.Known, _ *ledger.Step) { k.Attempts[0].State = ledger.PayoutPending }, ledger.RuleState},
		"it is paid":                            {func(k *ledger.Known, _ *ledger.Step) { k.Attempts[0].State = ledger.PayoutSuccess }, ledger.RuleState},
		"it was decided before":                 {func(k *ledger.Known, _ *ledger.Step) { k.Attempts[0].Resolved = ledger.ResolutionNotPaid }, ledger.RuleState},
		"the same person a second time":         {func(k *ledger.Known, _ *ledger.Step) { k.Proposals[0].Actor = "ravi" }, ledger.RuleProposed},
		"the second person without the waiting": {func(k *ledger.Known, _ *ledger.Step) { k.Proposals[0].At = booksAt.Add(-time.Minute) }, ledger.RuleBetween},
		"as paid":                               {func(_ *ledger.Known, s *ledger.Step) { s.Deciding.As = ledger.DecidedPaid }, ledger.RuleState},
	} {
		t.Run(name, func(t *testing.T) {
			k, s := disputedIn(ledger.Observation{Status: "failed", BankStatusCode: "R1"})
			k.Attempts[0].State, k.Attempts[0].Status, k.Attempts[0].BankStatusCode = ledger.PayoutFailed, "failed", "R1"
			books(debit, credit)(&k, &s)
			s.Deciding.Ticket = "mail 4711"
			first := by("asha", ledger.DecidedNotPaid)
			first.PayoutID, first.Number = 1, 1
			k.Proposals = []ledger.Proposal{first}
			c.change(&k, &s)
			got, err := s.Change(told(k))
			wantRule(t, err, c.rule)
			if err != nil {
				return
			}
			last := got.Attempts[len(got.Attempts)-1]
			if last.From != ledger.PayoutFailed || last.State != ledger.PayoutFailed || last.Resolved != ledger.ResolutionNotPaid || got.Event.Kind != ledger.EventClosed {
				t.Errorf("%+v, %s", last, got.Event.Kind)
			}
			if v := ledger.Judge(last.Attempt, said("INV-1", "success")); v.State != ledger.PayoutDisputed {
				t.Errorf("seen paid it is %s", v.State)
			}
			// the first person alone decides nothing
			k.Proposals = nil
			if got, err = s.Change(told(k)); err != nil || got.Decided.Carried || len(got.Attempts) > 0 {
				t.Errorf("by one person: %+v, %v", got.Decided, err)
			}
		})
	}
}

// The decision speaks for one debit: a second one that a statement shows later stands
// against the payout's being sent again.
func TestADecisionThatItCameBackIsAboutOneDebit(t *testing.T) {
	entry := func(debit bool, remarks string) *ledger.KeptEntry {
		return &ledger.KeptEntry{BankAccountID: booksAccount, StatementEntry: ledger.StatementEntry{Debit: debit, Amount: 100_00, Remarks: remarks}}
	}
	stands := func(resolved ledger.Resolution, entries ...*ledger.KeptEntry) error {
		k := []ledger.KnownAttempt{{Earlier: []ledger.Earlier{{WireRef: "INV-2026-1", Amount: 100_00, BankAccountID: booksAccount, State: ledger.PayoutFailed, Resolved: resolved}}}}
		b := ledger.NewBookings(k)
		for _, e := range entries {
			b.Entry(e)
		}
		b.Mark()
		return k[0].Earlier[0].BookedBefore()
	}
	debit, credit := entry(true, "INV-2026-1"), entry(false, "REVERSAL")
	if err := stands(ledger.ResolutionNone, debit, credit); err == nil || !strings.Contains(err.Error(), "payrun resolve INV-2026-1 --as not-paid ") {
		t.Errorf("undecided: %v", err)
	}
	if err := stands(ledger.ResolutionNotPaid, debit, credit); err != nil {
		t.Errorf("decided: %v", err)
	}
	if err := stands(ledger.ResolutionNotPaid, debit, credit, debit); err == nil || strings.Contains(err.Error(), "payrun resolve") {
		t.Errorf("debited once more: %v", err)
	}
	if err := stands(ledger.ResolutionNotPaid, debit, credit, debit, entry(false, "INV-2026-1")); err != nil {
		t.Errorf("and given back by name: %v", err)
	}
}

// A short reference is a name only with an amount that the payout has or had: what
// was sent before a correction, or what it gives, which somebody may have paid by hand.
func TestAShortReferenceIsANameWithAnyAmountOfThePayout(t *testing.T) {
	for amount, booked := range map[ledger.Paise]bool{100_00: true, 95_00: true, 90_00: true, 80_00: false} {
		earlier := ledger.Earlier{WireRef: "1001", Amount: 100_00, BankAccountID: booksAccount, State: ledger.PayoutFailed}
		second := earlier
		second.Amount = 95_00
		k := []ledger.KnownAttempt{{Attempt: ledger.Attempt{Payout: ledger.Payout{Amount: 90_00}}, Earlier: []ledger.Earlier{earlier, second}}}
		b := ledger.NewBookings(k)
		b.Entry(&ledger.KeptEntry{BankAccountID: booksAccount, StatementEntry: ledger.StatementEntry{Debit: true, Amount: amount, Remarks: "NEFT 1001 ASHA TRADERS"}})
		b.Mark()
		if err := k[0].Earlier[0].BookedBefore(); (err != nil) != booked {
			t.Errorf("a debit of %s: %v", amount, err)
		}
	}
}
