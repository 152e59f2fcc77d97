package ledger_test

import (
	"errors"
	"testing"
	"time"

	"payrun/ledger"
)

// The submit that is in doubt, and the day the books are read.
var (
	submitAt = time.Date(2026, 11, 18, 9, 0, 0, 0, time.UTC)
	booksAt  = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	inLaw    = ledger.Waits{Overdue: 24 * time.Hour, Wait: ledger.LeastWait, Between: ledger.LeastBetween}
)

const booksAccount = "a0000000-0000-4000-8000-000000000003"

// clean are books in which nothing of the submit is: an entry of before it, and
// another payout's two days after it.
func clean() ledger.Books {
	return ledger.Books{
		BankAccountID: booksAccount, From: submitAt.Add(-33 * time.Hour), To: booksAt, ReadAt: booksAt, Closed: true, Before: 5000_00, After: 5000_00,
		Entries: []ledger.BookEntry{
			{At: submitAt.Add(-20 * time.Hour), Amount: 2000_00, Balance: 5500_00, Words: []string{"CR 88", "sale"}},
			{At: submitAt.Add(48 * time.Hour), Debit: true, Amount: 500_00, Balance: 5000_00, Words: []string{"UTR77", "NEFT/OTHER-9"}, Matched: "OTHER-9"},
		},
	}
}

func sought() ledger.Sought {
	return ledger.Sought{BankAccountID: booksAccount, Names: []string{"INV-1", "INV-2", "prbatch", "openbatch", "txn-1", ""}, WireRefs: []string{"INV-1", "INV-2"},
		Amounts: []ledger.Paise{100_00, 300_00}, Total: 400_00, Since: submitAt, BookedBy: submitAt}
}

// add puts a debit before the last entry of the books, and keeps the chain.
func add(b *ledger.Books, e ledger.BookEntry) {
	last := len(b.Entries) - 1
	e.At, e.Balance = submitAt.Add(time.Hour), b.Entries[last-1].Balance
	if e.Debit {
		e.Balance -= e.Amount
	} else {
		e.Balance += e.Amount
	}
	b.Entries = append(b.Entries[:last:last], e, b.Entries[last])
	b.Entries[last+1].Balance = e.Balance - b.Entries[last+1].Amount
	b.Before, b.After = b.Entries[last+1].Balance, b.Entries[last+1].Balance
}

func TestTheBooksShowThatNothingWasDebited(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*ledger.Books, *ledger.Sought)
		rule   string // "" where they do
	}{
		"clean":                       {func(*ledger.Books, *ledger.Sought) {}, ""},
		"another account":             {func(b *ledger.Books, _ *ledger.Sought) { b.BankAccountID = "other" }, ledger.RuleBooksAccount},
		"the account in capitals":     {func(b *ledger.Books, _ *ledger.Sought) { b.BankAccountID = "A0000000-0000-4000-8000-000000000003" }, ""},
		"a quarter of an hour old":    {func(b *ledger.Books, _ *ledger.Sought) { b.ReadAt, b.To = booksAt.Add(-15*time.Minute), booksAt }, ""},
		"older":                       {func(b *ledger.Books, _ *ledger.Sought) { b.ReadAt = booksAt.Add(-15*time.Minute - 1) }, ledger.RuleBooksFresh},
		"of a moment to come":         {func(b *ledger.Books, _ *ledger.Sought) { b.ReadAt = booksAt.Add(1) }, ledger.RuleBooksFresh},
		"from the day itself on":      {func(b *ledger.Books, _ *ledger.Sought) { b.From = submitAt.Add(-24*time.Hour + 1) }, ledger.RuleBooksWindow},
		"until yesterday":             {func(b *ledger.Books, _ *ledger.Sought) { b.To = booksAt.Add(-1) }, ledger.RuleBooksWindow},
		"pages that do not close":     {func(b *ledger.Books, _ *ledger.Sought) { b.Closed = false }, ledger.RuleBooksClosed},
		"a break in the chain":        {func(b *ledger.Books, _ *ledger.Sought) { b.Entries[1].Amount++ }, ledger.RuleBooksChain},
		"entries out of order":        {func(b *ledger.Books, _ *ledger.Sought) { b.Entries[0].At = booksAt }, ledger.RuleBooksChain},
		"a last balance that differs": {func(b *ledger.Books, _ *ledger.Sought) { b.Before, b.After = 4999_00, 4999_00 }, ledger.RuleBooksBalance},
		"a balance that moved":        {func(b *ledger.Books, _ *ledger.Sought) { b.Before++ }, ledger.RuleBooksBalance},
		"a first entry of after it, and what was before is not known": {func(b *ledger.Books, _ *ledger.Sought) { b.Entries = b.Entries[1:] }, ledger.RuleBooksChain},
		"and what was before is known": {func(b *ledger.Books, _ *ledger.Sought) {
			b.Entries, b.Opening, b.HasOpening = b.Entries[1:], 5500_00, true
		}, ""},
		"and it does not tie": {func(b *ledger.Books, _ *ledger.Sought) {
			b.Entries, b.Opening, b.HasOpening = b.Entries[1:], 5900_00, true
		}, ledger.RuleBooksChain},
		"a newest entry of a day later": {func(b *ledger.Books, _ *ledger.Sought) { b.Entries[1].At = submitAt.Add(24 * time.Hour) }, ""},
		"of less":                       {func(b *ledger.Books, _ *ledger.Sought) { b.Entries[1].At = submitAt.Add(24*time.Hour - 1) }, ledger.RuleBooksLate},
		"of less, and the balance stood still for two days since": {func(b *ledger.Books, _ *ledger.Sought) {
			b.Entries[1].At, b.UnchangedSince = submitAt.Add(time.Hour), booksAt.Add(-48*time.Hour)
		}, ""},
		"of less, and the balance stood still for less": {func(b *ledger.Books, _ *ledger.Sought) {
			b.Entries[1].At, b.UnchangedSince = submitAt.Add(time.Hour), booksAt.Add(-48*time.Hour+1)
		}, ledger.RuleBooksLate},
		"and most of it before the submit": {func(b *ledger.Books, s *ledger.Sought) {
			b.Entries[1].At, b.UnchangedSince, s.BookedBy = submitAt.Add(time.Hour), submitAt.Add(-time.Hour), booksAt.Add(-47*time.Hour)
		}, ledger.RuleBooksLate},
		"no entry, and a balance of before": {func(b *ledger.Books, _ *ledger.Sought) { b.Entries, b.UnchangedSince = nil, submitAt }, ""},
		"no entry, and a balance of after":  {func(b *ledger.Books, _ *ledger.Sought) { b.Entries, b.UnchangedSince = nil, submitAt.Add(1) }, ledger.RuleBooksLate},
		"no entry, and an opening that is the balance": {func(b *ledger.Books, _ *ledger.Sought) {
			b.Entries, b.Opening, b.HasOpening, b.UnchangedSince = nil, 5000_00, true, submitAt.Add(time.Hour)
		}, ""},
		"no entry, and an opening that is not": {func(b *ledger.Books, _ *ledger.Sought) {
			b.Entries, b.Opening, b.HasOpening, b.UnchangedSince = nil, 5400_00, true, submitAt.Add(time.Hour)
		}, ledger.RuleBooksBalance},
		"a reference in the remarks": {func(b *ledger.Books, _ *ledger.Sought) {
			add(b, ledger.BookEntry{Debit: true, Amount: 1, Words: []string{"NEFT/inv-1/HDFC"}})
		}, ledger.RuleBooksNamed},
		"a reference written otherwise": {func(b *ledger.Books, s *ledger.Sought) {
			s.Names = append(s.Names, "SALARY-2026-07")
			add(b, ledger.BookEntry{Debit: true, Amount: 1, Words: []string{"NEFT SALARY202607 ASHA"}})
		}, ledger.RuleBooksNamed},
		"a reference that is part of another": {func(b *ledger.Books, _ *ledger.Sought) {
			add(b, ledger.BookEntry{Debit: true, Amount: 1, Words: []string{"NEFT/INV-10/HDFC"}})
		}, ""},
		"the batch id": {func(b *ledger.Books, _ *ledger.Sought) {
			add(b, ledger.BookEntry{Debit: true, Amount: 1, Words: []string{"prbatch"}})
		}, ledger.RuleBooksNamed},
		"the bank's id": {func(b *ledger.Books, _ *ledger.Sought) {
			add(b, ledger.BookEntry{Debit: true, Amount: 1, Words: []string{"x TXN-1 y"}})
		}, ledger.RuleBooksNamed},
		"matched to one": {func(b *ledger.Books, _ *ledger.Sought) {
			add(b, ledger.BookEntry{Debit: true, Amount: 1, Matched: "INV-2"})
		}, ledger.RuleBooksNamed},
		"a named credit": {func(b *ledger.Books, _ *ledger.Sought) {
			add(b, ledger.BookEntry{Amount: 100_00, Words: []string{"INV-1"}})
		}, ""},
		"the amount of a payout": {func(b *ledger.Books, _ *ledger.Sought) {
			add(b, ledger.BookEntry{Debit: true, Amount: 300_00, Explained: "rent"})
		}, ledger.RuleBooksAmount},
		"the total": {func(b *ledger.Books, _ *ledger.Sought) {
			add(b, ledger.BookEntry{Debit: true, Amount: 400_00, Explained: "rent"})
		}, ledger.RuleBooksAmount},
		"the amount, of another payout by its reference": {func(b *ledger.Books, _ *ledger.Sought) {
			add(b, ledger.BookEntry{Debit: true, Amount: 300_00, Matched: "OTHER-3"})
		}, ""},
		"unexplained, as large as the smallest payout": {func(b *ledger.Books, _ *ledger.Sought) { add(b, ledger.BookEntry{Debit: true, Amount: 101_00}) }, ledger.RuleBooksUnclear},
		"unexplained, and smaller":                     {func(b *ledger.Books, _ *ledger.Sought) { add(b, ledger.BookEntry{Debit: true, Amount: 99_99}) }, ""},
		"explained, and larger": {func(b *ledger.Books, _ *ledger.Sought) {
			add(b, ledger.BookEntry{Debit: true, Amount: 900_00, Explained: "rent"})
		}, ""},
		"hidden, and no other batch was shown": {func(_ *ledger.Books, s *ledger.Sought) { s.Hidden = true }, ledger.RuleBooksOtherOnly},
		"hidden, and another was":              {func(_ *ledger.Books, s *ledger.Sought) { s.Hidden, s.OtherShown = true, true }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b, s := clean(), sought()
			c.change(&b, &s)
			wantRule(t, b.NoDebitOf(s, inLaw, booksAt), c.rule)
		})
	}
}

// wantRule holds a refusal against the rule that it has to name.
func wantRule(t *testing.T, err error, rule string) {
	t.Helper()
	why, refused := errors.AsType[*ledger.NotYet](err)
	switch {
	case rule == "" && err != nil:
		t.Errorf("refused: %v", err)
	case rule != "" && (!refused || why.Rule != rule || why.Why == "" || !errors.Is(err, ledger.ErrNotYet)):
		t.Errorf("%v, want %s", err, rule)
	}
}

func TestADebitAndItsCreditAreFoundByName(t *testing.T) {
	b, s := clean(), sought()
	if b.Debited(s) {
		t.Error("nothing of it is there")
	}
	add(&b, ledger.BookEntry{Debit: true, Amount: 100_00, Words: []string{"INV-1"}})
	if !b.Debited(s) {
		t.Error("the debit is there")
	}
	add(&b, ledger.BookEntry{Amount: 100_00, Words: []string{"RTN INV-1"}})
	if b.Debited(s) {
		t.Error("its credit is there as well")
	}
}
