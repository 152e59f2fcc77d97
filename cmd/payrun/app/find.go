package app

import (
	"context"
	"strings"

	"payrun/ledger"
	"payrun/validate"
)

// shortestTail is how many characters of an account number's end find it.
const shortestTail = 4

// Find calls each for every attempt that a person's word is about: a part of its
// reference, of its UTR or of the payee's name, the end of the payee's account
// number, or the whole amount. An earlier attempt is found as well. Where the word
// is a whole reference or UTR it is about that payout alone, which is found at once.
func (a *App) Find(ctx context.Context, call Call, word string, each EachPayout) error {
	whole := ledger.Filter{Attempts: true, Exact: validate.RefKey(strings.TrimSpace(word)), Find: finder(word)}
	found := false
	err := a.Payouts(ctx, call, whole, func(at ledger.Attempt, asks ledger.Attention, late ledger.Late) error {
		found = true
		return each(at, asks, late)
	})
	if err != nil || found {
		return err
	}
	return a.Payouts(ctx, call, ledger.Filter{Attempts: true, Find: whole.Find}, each)
}

// finder reports whether a payout is one that the word is about.
func finder(word string) func(*ledger.Particulars) bool {
	word = strings.TrimSpace(word)
	key, name, tail := validate.RefKey(word), validate.FoldName(word), strings.ToUpper(word)
	amount, err := ParseAmount(strings.TrimSpace(strings.TrimPrefix(word, "₹")))
	within := func(text string) bool { return key != "" && strings.Contains(validate.RefKey(text), key) }
	return func(p *ledger.Particulars) bool {
		switch {
		case within(p.Ref), within(p.UTR):
			return true
		case name != "" && strings.Contains(validate.FoldName(p.VendorName), name):
			return true
		case len(word) >= shortestTail && strings.HasSuffix(strings.ToUpper(p.BankAccountNumber), tail):
			return true
		}
		return err == nil && p.Amount == amount
	}
}
