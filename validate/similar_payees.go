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

// SimilarPayees are two payees who may be one, or of whom one may pass for the other.
type SimilarPayees struct {
	Kind       SimilarKind
	One, Other Paid
	In         ledger.ReferenceUse // the place of the other; the zero value: in the same sheet
}

// SimilarKind is what two payees have in common.
type SimilarKind string

const (
	// OneAccount: one account is paid under two names.
	OneAccount SimilarKind = "one_account"
	// NamesAlike: two accounts under names that look the same and are written
	// otherwise: Asha Traders and Asha Tráders.
	NamesAlike SimilarKind = "names_alike"
	// OneName: two accounts of one sheet under one name.
	OneName SimilarKind = "one_name"
)

// SimilarList are some of them, the first, and how many there are.
type SimilarList struct {
	First []SimilarPayees
	Count int
}

// SimilarMost bounds what is kept of them.
const SimilarMost = 1000

func (a *SimilarList) add(one SimilarPayees) {
	if a.Count++; len(a.First) < SimilarMost {
		a.First = append(a.First, one)
	}
}

// Similar finds payees of the payroll who look like each other, or like one of the
// payroll before it. Those of one name come last: many people are called alike.
func (p *Payroll) Similar(before *Payroll, in ledger.ReferenceUse) (all SimilarList) {
	all.First, all.Count = slices.Clone(p.renamed.First), p.renamed.Count
	var same SimilarList
	byLook := make(map[string]int, len(p.paid)) // the first of them
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
			continue // who has one name and another account has moved
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

// NamedOtherwise finds the accounts of the payroll that were last paid under another
// name. known must not know the payouts of the payroll.
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

// OtherName reports whether two names are those of two payees. One that has the
// other within it, as M/s Asha Traders has, or that looks like it, is not.
func OtherName(a, b string) bool { return a != b && unlike(a, b) && Appearance(a) != Appearance(b) }

// Appearance is what the name of a payee looks like: in any case, without accents,
// spaces, punctuation and what does not show, with the letters and digits of which one
// passes for the other as one of them, and its words in any order.
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
			if unicode.Is(unicode.Mn, r) && r < 0x900 { // of Latin, Greek, Cyrillic; those of Devanagari are vowels
				return -1
			}
			return r
		}, norm.NFD.String(skeleton(word)))
		words[i] = namePasses.Replace(word)
	}
	slices.Sort(words)
	return strings.Join(words, "")
}

// namePasses are letters of names that pass for others.
var namePasses = strings.NewReplacer("0", "o", "1", "l", "5", "s", "i", "l", "rn", "m", "vv", "w")
