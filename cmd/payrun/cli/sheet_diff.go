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

// showSince shows how each sheet differs from the one before it, and names that look alike.
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
		s.tableOfChanges(head(one.Largest, s.shownOf(len(one.Largest), shownChanges)))
	}
	alike := app.AlikeOf(all)
	if alike.Count == 0 {
		return
	}
	s.term.Resultf("\n%s", s.term.Paint(term.Attend, "Look alike: "+ledger.Counted(alike.Count, "pair of payees", "pairs of payees")))
	shown := head(alike.First, s.shownOf(alike.Count, shownChanges))
	for _, a := range shown {
		s.term.Resultf("  %s: %s", ledger.Plain(a.One.Ref), app.AlikeWords(a))
	}
	s.showLeft(alike.Count-len(shown), "")
}

func (s *session) tableOfChanges(list []app.Change) {
	t := s.term.Table(term.Columns{"Payee", "Account", "Was", "Is", "Change"}, 3, 4, 5).Names(1)
	for _, c := range list {
		t.Row(payeeOf(c), app.AccountsWords(c), either(c.New(), "new", c.Was.Amount.Rupees()), either(c.Gone(), "gone", c.Is.Amount.Rupees()), app.ByWords(c))
	}
	t.Render()
}

// payeeOf returns the payee's name in a change.
func payeeOf(c app.Change) string { return either(c.Gone(), c.Was, c.Is).Name }

// sinceDocs returns the comparisons as documents.
func sinceDocs(all []app.SinceLast) []doc.Since {
	return doc.Each(all, func(one app.SinceLast) doc.Since {
		return doc.Since{Sheet: one.Sheet, BankAccountID: one.Debit.BankAccountID, Before: one.Before.ID, BeforeName: one.Before.Name, BeforeLoaded: ledger.Instant(one.Before.LoadedAt),
			BeforePayouts: doc.Standing(one.Previous), Payouts: doc.Standing(one.Current), Compared: !one.TooMany, Was: one.Since.Before, Is: one.Now,
			New: one.New, Gone: one.Gone, More: one.More, Less: one.Less, Same: one.Same, Moved: one.Moved, LookAlikes: one.Similar.Count,
			Largest: doc.Each(one.Largest, func(c app.Change) doc.Change {
				return doc.Change{Name: payeeOf(c), Account: app.AccountsWords(c), Was: c.Was.Amount, Is: c.Is.Amount}
			}),
			Similar: doc.Each(one.Similar.First, func(a app.SimilarPayees) doc.SimilarPayees {
				return doc.SimilarPayees{Kind: string(a.Kind), Ref: a.One.Ref, OtherRef: a.Other.Ref, OtherSheet: a.In.SheetName, Message: app.AlikeWords(a)}
			}),
		}
	})
}
