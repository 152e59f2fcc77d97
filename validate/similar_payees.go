package validate

import (
	"context"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"payrun/ingest/visible"
	"payrun/ledger"
)

// SimilarPayees are two payees who may be the same, or one of whom may imitate the other.
type SimilarPayees struct {
	Kind       SimilarKind
	One, Other Paid
	In         ledger.ReferenceUse // where the other was paid; the zero value: in the same sheet
}

// SimilarKind is how two payees are similar.
type SimilarKind string

const (
	// OneAccount: one account is paid under two names.
	OneAccount SimilarKind = "one_account"
	// NamesAlike: two accounts under names that look the same but are spelt differently: Asha Traders and Asha
	// Tráders.
	NamesAlike SimilarKind = "names_alike"
	// OneName: two accounts of one sheet under one name.
	OneName SimilarKind = "one_name"
)

// SimilarList has the first pairs, and the number of all.
type SimilarList struct {
	First []SimilarPayees
	Count int
}

// SimilarMost is how many pairs a SimilarList keeps.
const SimilarMost = 1000

func (a *SimilarList) add(one SimilarPayees) {
	if a.Count++; len(a.First) < SimilarMost {
		a.First = append(a.First, one)
	}
}

// Similar finds payees of the payroll that look like each other, or like a payee of the payroll before it.
// Pairs with one name come last, because many people share a name.
func (p *Payroll) Similar(before *Payroll, in ledger.ReferenceUse) (all SimilarList) {
	all.First, all.Count = slices.Clone(p.renamed.First), p.renamed.Count
	var same SimilarList
	byLook := make(map[string]int, len(p.paid)) // the first payee with each look
	for i, one := range p.paid {
		look := Appearance(one.Name)
		if look == "" {
			continue
		}
		first, known := byLook[look]
		if !known {
			byLook[look] = i
			continue
		}
		pair := SimilarPayees{Kind: OneName, One: one, Other: p.paid[first]}
		if FoldName(one.Name) == FoldName(pair.Other.Name) {
			same.add(pair)
		} else {
			pair.Kind = NamesAlike
			all.add(pair)
		}
	}
	for _, other := range before.paid {
		i, known := byLook[Appearance(other.Name)]
		if _, paid := p.at[accountOf(other.Account)]; !known || paid || FoldName(other.Name) == FoldName(p.paid[i].Name) {
			continue // the same name with another account has moved
		}
		use := in
		use.Ref = other.Ref
		all.add(SimilarPayees{Kind: NamesAlike, One: p.paid[i], Other: other, In: use})
	}
	for _, pair := range same.First {
		all.add(pair)
	}
	all.Count += same.Count - len(same.First)
	return all
}

// NamedOtherwise finds the accounts of the payroll that were last paid under another name. known must not
// include the payouts of the payroll.
func (p *Payroll) NamedOtherwise(ctx context.Context, known ledger.Payees) (found []SimilarPayees, err error) {
	before, err := latestTo(ctx, known, p.Accounts(), 1)
	for i, past := range before {
		for _, was := range past {
			if OtherName(was.VendorName, p.paid[i].Name) {
				found = append(found, SimilarPayees{Kind: OneAccount, In: was.Use, One: p.paid[i], Other: Paid{was.Use.Ref, was.VendorName, was.Account, was.Amount}})
			}
		}
	}
	return found, err
}

// OtherName reports whether two names belong to two payees. They do not if one contains the other, as M/s Asha
// Traders does, or if they look alike.
func OtherName(a, b string) bool { return a != b && unlike(a, b) && Appearance(a) != Appearance(b) }

// Appearance returns what a payee's name looks like: without case, accents, spaces, punctuation and invisible
// characters, with letters and digits that resemble each other replaced by one of them, and with its words in a
// fixed order.
func Appearance(name string) string {
	shows := strings.Map(func(r rune) rune {
		if !unicode.IsSpace(r) && !visible.Is(r) {
			return -1
		}
		return r
	}, norm.NFKC.String(name))
	words := wordsOf(shows)
	for i, word := range words {
		word = strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Mn, r) && r < 0x900 { // in Latin, Greek, Cyrillic; in Devanagari these are vowels
				return -1
			}
			return r
		}, norm.NFD.String(skeleton(word)))
		words[i] = namePasses.Replace(word)
	}
	slices.Sort(words)
	return strings.Join(words, "")
}

// namePasses replaces letters of names by others that they resemble.
var namePasses = strings.NewReplacer("0", "o", "1", "l", "5", "s", "i", "l", "rn", "m", "vv", "w")
