package app

import (
	"fmt"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/validate"
)

// Words sums up what changed, in one line.
func (s *SinceLast) Words() string {
	var said []string
	for _, one := range []struct {
		ledger.Tally
		words, sign string
	}{{s.New, "new", "+"}, {s.Gone, "gone", "−"}, {s.More, "with more", "+"}, {s.Less, "with less", "−"}} {
		if one.Count > 0 {
			said = append(said, fmt.Sprintf("%s %s (%s%s)", ledger.Grouped(one.Count), one.words, one.sign, one.Total.Rupees()))
		}
	}
	if s.Same > 0 {
		said = append(said, ledger.Grouped(s.Same)+" the same")
	}
	if s.Moved > 0 {
		said = append(said, ledger.Grouped(s.Moved)+" at another account")
	}
	return strings.Join(said, ", ")
}

// CountedWords says what is compared, of the sheet and of the one before it, and what
// of them is not.
func (s *SinceLast) CountedWords() string {
	words := fmt.Sprintf("What was paid or still may be is compared. %s: %s.", ledger.Plain(s.Before.Name), standingWords(s.Previous))
	if s.Current.Over.Count > 0 {
		words += fmt.Sprintf(" %s: %s.", ledger.Plain(s.Sheet), standingWords(s.Current))
	}
	return words
}

func standingWords(s validate.Standing) string {
	words := fmt.Sprintf("%s of %s", ledger.CountedPayouts(s.Paid.Count), s.Paid.Total.Rupees())
	switch s.Planned {
	case 0:
	case s.Paid.Count:
		words += ", planned, not paid yet"
	default:
		words += fmt.Sprintf(", %s of them planned, not paid yet", ledger.Grouped(s.Planned))
	}
	if s.Over.Count > 0 {
		words += fmt.Sprintf("; without %s of %s that failed, came back, or was refused or cancelled", ledger.CountedPayouts(s.Over.Count), s.Over.Total.Rupees())
	}
	return words
}

// AccountsWords are the accounts of a change, masked: was → is where they differ.
func AccountsWords(c Change) string {
	switch {
	case c.Gone():
		return c.Was.Account.Masked()
	case c.Moved():
		return c.Was.Account.Masked() + " → " + c.Is.Account.Masked()
	}
	return c.Is.Account.Masked()
}

// ByWords is how much more or less a payee gets.
func ByWords(c Change) string {
	by := c.By()
	if by <= 0 {
		return by.Rupees()
	}
	return "+" + by.Rupees()
}

// AlikeWords says of two payees what they have in common, from behind the reference of
// the first on.
func AlikeWords(a Alike) string {
	one, another := a.One.Account.Masked(), a.Other.Account.Masked()
	in := ""
	if a.In.SheetName != "" {
		in = ", " + ledger.Plain(a.In.SheetName)
	}
	name, other := fmt.Sprintf("%q", ledger.Plain(a.One.Name)), fmt.Sprintf("%q (%s%s)", ledger.Plain(a.Other.Name), ledger.Plain(a.Other.Ref), in)
	accounts := "and the accounts differ: " + one + " and " + another
	if one == another {
		accounts = "and the accounts are two whose last digits are the same: " + one
	}
	switch {
	case a.Kind == validate.NamesAlike:
		return fmt.Sprintf("%s looks like %s, %s", name, other, accounts)
	case a.Kind == validate.OneName:
		return fmt.Sprintf("%s is also %s, %s", name, other, accounts)
	case in != "":
		return fmt.Sprintf("%s: the account %s was last paid as %s", name, one, other)
	}
	return fmt.Sprintf("%s: the account %s is paid as %s too", name, one, other)
}

// AlikeOf gathers look-alike names of all sheets of a review.
func AlikeOf(all []SinceLast) (found Alikes) {
	for _, one := range all {
		found.First, found.Count = slices.Concat(found.First, one.Alike.First), found.Count+one.Alike.Count
	}
	return found
}
