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
// number, or the whole amount. An earlier attempt is found as well.
func (a *App) Find(ctx context.Context, call Call, word string, each EachPayout) error {
	is := finder(word)
	return a.Payouts(ctx, call, ledger.Filter{Attempts: true}, func(at ledger.Attempt, asks ledger.Attention, late ledger.Late) error {
		if !is(&at) {
			return nil
		}
		return each(at, asks, late)
	})
}

// finder reports whether an attempt is one that the word is about.
func finder(word string) func(*ledger.Attempt) bool {
	word = strings.TrimSpace(word)
	key, name := validate.RefKey(word), validate.FoldName(word)
	amount, err := ParseAmount(word)
	within := func(text string) bool { return key != "" && strings.Contains(validate.RefKey(text), key) }
	return func(at *ledger.Attempt) bool {
		switch {
		case within(at.Ref), within(at.WireRef), within(at.BankTxnRefID):
			return true
		case name != "" && strings.Contains(validate.FoldName(at.VendorName), name):
			return true
		case len(word) >= shortestTail && strings.HasSuffix(strings.ToUpper(at.BankAccountNumber), strings.ToUpper(word)):
			return true
		}
		return err == nil && at.Amount == amount
	}
}
