package app

import (
	"cmp"
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

// AccountsWords are the accounts of a change, masked: was → is where they differ.
func AccountsWords(c Change) string {
	is := AccountWords(c.Is.Account)
	switch {
	case c.Is.Name == "":
		return AccountWords(c.Was.Account)
	case c.Moved():
		return AccountWords(c.Was.Account) + " → " + is
	}
	return is
}

// AccountWords names the account of a payee by its last digits, or by its id.
func AccountWords(a ledger.Account) string {
	return cmp.Or(ledger.Mask(a.BankAccountNumber), a.OpenBeneficiaryID)
}

// ByWords is by how much somebody gets more or less.
func ByWords(c Change) string {
	if by := c.By(); by <= 0 {
		return by.Rupees()
	}
	return "+" + c.By().Rupees()
}

// AlikeWords says of two payees what they have in common, from behind the reference of
// the first on.
func AlikeWords(a Alike) string {
	other := fmt.Sprintf("%q (%s)", ledger.Plain(a.Other.Name), ledger.Plain(a.Other.Ref))
	if a.In.SheetName != "" {
		other = fmt.Sprintf("%q (%s, %s)", ledger.Plain(a.Other.Name), ledger.Plain(a.Other.Ref), ledger.Plain(a.In.SheetName))
	}
	name := fmt.Sprintf("%q", ledger.Plain(a.One.Name))
	accounts := "and the accounts differ: " + AccountWords(a.One.Account) + " and " + AccountWords(a.Other.Account)
	if AccountWords(a.One.Account) == AccountWords(a.Other.Account) {
		accounts = "and the accounts are two whose last digits are the same: " + AccountWords(a.One.Account)
	}
	switch a.Kind {
	case validate.NamesAlike:
		return fmt.Sprintf("%s looks like %s, %s", name, other, accounts)
	case validate.OneName:
		return fmt.Sprintf("%s is also %s, %s", name, other, accounts)
	}
	if a.In.SheetName != "" {
		return fmt.Sprintf("%s: the account %s was last paid as %s", name, AccountWords(a.One.Account), other)
	}
	return fmt.Sprintf("%s: the account %s is paid as %s too", name, AccountWords(a.One.Account), other)
}

// AlikeOf gathers who looks like somebody, of all sheets of a review.
func AlikeOf(all []SinceLast) (found Alikes) {
	for _, one := range all {
		found.First, found.Count = slices.Concat(found.First, one.Alike.First), found.Count+one.Alike.Count
	}
	return found
}
