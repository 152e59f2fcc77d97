package cli

import (
	"cmp"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/cmd/payrun/term"
	"payrun/ledger"
)

// shownChanges is how many changes since the last sheet are shown without --verbose.
const shownChanges = 10

// showSince shows how each sheet differs from the one before it, and names that look similar.
func (s *session) showSince(all []app.SinceLast) {
	for _, one := range all {
		if one.Before.ID == "" {
			continue
		}
		from := ledger.Plain(cmp.Or(one.Debit.Name, one.Debit.BankAccountID))
		if one.Unrelated() && !one.TooMany && !s.term.Verbose {
			s.term.Resultf("\n%s, the sheet before from %s, pays other people: not compared (--verbose compares).", ledger.Plain(one.Before.Name), from)
			continue
		}
		s.term.Resultf("\nSince %s, loaded %s, the sheet before %s from %s:", ledger.Plain(one.Before.Name), s.set.Clock(one.Before.LoadedAt), ledger.Plain(one.Sheet), from)
		if one.TooMany {
			s.term.Resultf("  not compared: one of them has more than %s payouts", ledger.Grouped(app.ComparedMost))
			continue
		}
		s.term.Resultf("  %s", one.CountedWords())
		s.term.Resultf("  %s", one.Words())
		t := s.term.Table(term.Columns{"Payee", "Account", "Was", "Is", "Change"}, 3, 4, 5).Names(1)
		for _, c := range head(one.Largest, s.shownOf(len(one.Largest), shownChanges)) {
			t.Row(payeeOf(c), app.AccountsWords(c), either(c.New(), "new", c.Was.Amount.Rupees()), either(c.Gone(), "gone", c.Is.Amount.Rupees()), app.ByWords(c))
		}
		t.Render()
	}
	similar := app.AlikeOf(all)
	if similar.Count == 0 {
		return
	}
	s.term.Resultf("\n%s", s.term.Paint(term.Attend, "Look alike: "+ledger.Counted(similar.Count, "pair of payees", "pairs of payees")))
	shown := head(similar.First, s.shownOf(similar.Count, shownChanges))
	for _, a := range shown {
		s.term.Resultf("  %s: %s", ledger.Plain(a.One.Ref), app.AlikeWords(a))
	}
	s.showLeft(similar.Count-len(shown), "")
}

// payeeOf returns the payee's name in a change.
func payeeOf(c app.Change) string { return either(c.Gone(), c.Was, c.Is).Name }

// sinceLast is one of the "since" of payrun.approve/v1: it compares a sheet with the newest earlier sheet that pays from the
// same debit account. It compares what was paid or may still be paid. Rows that a sheet left out and a later sheet
// brought count with it.
type sinceLast struct {
	Sheet         string       `json:"sheet"`
	BankAccountID string       `json:"bank_account_id"`
	Before        string       `json:"before"` // the id of the sheet before; "" if there is none
	BeforeName    string       `json:"before_name"`
	BeforeLoaded  string       `json:"before_loaded_at"`
	BeforePayouts app.Standing `json:"before_payouts"`
	Payouts       app.Standing `json:"payouts"`  // of this sheet
	Compared      bool         `json:"compared"` // false: too many payouts to compare
	app.Since
	Largest    []doc.Change        `json:"largest"`
	LookAlikes int                 `json:"look_alikes"`
	Similar    []doc.SimilarPayees `json:"alike"` // at most the first thousand of each sheet
}

// sinceDocs returns the comparisons as documents.
func sinceDocs(all []app.SinceLast) []sinceLast {
	return doc.Each(all, func(one app.SinceLast) sinceLast {
		return sinceLast{Sheet: one.Sheet, BankAccountID: one.Debit.BankAccountID, Before: one.Before.ID, BeforeName: one.Before.Name, BeforeLoaded: ledger.Instant(one.Before.LoadedAt),
			BeforePayouts: one.Previous, Payouts: one.Current, Compared: !one.TooMany, Since: one.Since, LookAlikes: one.Similar.Count,
			Largest: doc.Each(one.Largest, func(c app.Change) doc.Change {
				return doc.Change{Name: payeeOf(c), Account: app.AccountsWords(c), Was: c.Was.Amount, Is: c.Is.Amount}
			}),
			Similar: doc.Each(one.Similar.First, func(a app.SimilarPayees) doc.SimilarPayees {
				return doc.SimilarPayees{Kind: string(a.Kind), Ref: a.One.Ref, OtherRef: a.Other.Ref, OtherSheet: a.In.SheetName, Message: app.AlikeWords(a)}
			}),
		}
	})
}
