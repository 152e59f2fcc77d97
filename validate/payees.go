package validate

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"payrun/ledger"
)

const (
	// namesMost is the number of accounts up to which a name is somebody's:
	// with more it is "Refund", or a name that many people have.
	namesMost = 20
	// usualMost is how many of an account's latest payouts say what is usual.
	usualMost = 100
	// unusualFactor times the median is where an amount is unusual: a point
	// that was left out makes a hundred of it, a zero too many ten.
	unusualFactor = 10
	// unusualLeast is how many earlier payouts make something usual.
	unusualLeast = 5
)

// FoldName gives what payees' names are compared by: NFKC, case folded, with
// single spaces. A name of which nothing is left names nobody.
func FoldName(name string) string {
	for i := range len(name) {
		if name[i] >= 0x80 {
			name = norm.NFKC.String(cases.Fold().String(norm.NFKC.String(name)))
			return strings.Join(strings.Fields(name), " ")
		}
	}
	folded, ended := make([]byte, 0, 64), false // a word, before the next of which a space is due
	for i := range len(name) {
		c := name[i]
		if c == ' ' || c >= '\t' && c <= '\r' {
			ended = len(folded) > 0
			continue
		}
		if ended {
			folded, ended = append(folded, ' '), false
		}
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		folded = append(folded, c)
	}
	return string(folded)
}

// knownPayee is where a name was paid before: the latest account that was new
// for it, and the payout that brought it.
type knownPayee struct {
	ledger.Account
	accounts int // how many the name has
	use      ledger.ReferenceUse
}

// newAccounts tells which of the names of the chunk were paid before, though
// never at that account, and where instead.
func (p *past) newAccounts(ctx context.Context) (map[ledger.NamedAccount]knownPayee, error) {
	if p.payees == nil {
		return nil, nil
	}
	elsewhere, err := p.payees.PaidElsewhere(ctx, p.named)
	if err != nil || len(elsewhere) == 0 {
		return nil, err
	}
	var names []string
	for n := range elsewhere {
		names = append(names, n.VendorName)
	}
	accounts, err := p.payees.AccountsOf(ctx, names, namesMost)
	if err != nil {
		return nil, err
	}
	latest := map[string]int64{} // by name, the payout that brought its latest account
	for name, first := range accounts {
		if len(first) > 0 && len(first) <= namesMost {
			latest[name] = slices.MaxFunc(first, func(a, b ledger.Payment) int { return cmp.Compare(a.PayoutID, b.PayoutID) }).PayoutID
		}
	}
	payouts, err := p.payees.PastPayouts(ctx, slices.Collect(maps.Values(latest)))
	if err != nil {
		return nil, err
	}
	found := map[ledger.NamedAccount]knownPayee{}
	for n := range elsewhere {
		past, ok := payouts[latest[n.VendorName]]
		if ok && FoldName(past.VendorName) == FoldName(n.VendorName) {
			found[n] = knownPayee{Account: past.Account, accounts: len(accounts[n.VendorName]), use: past.Use}
		}
	}
	return found, nil
}

// paymentPattern is what an account was paid before.
type paymentPattern struct {
	median  ledger.Paise        // of the amounts looked at
	payouts int                 // how many were looked at
	last    ledger.ReferenceUse // the latest of them
}

// farAbove tells which payees of the chunk get at least unusualFactor times the
// median of what their account was paid before, by at least unusualLeast
// payouts. Counted are those of the account's latest that did not fail, come
// back or end cancelled.
func (p *past) farAbove(ctx context.Context) (map[ledger.Payee]paymentPattern, error) {
	if p.payees == nil {
		return nil, nil
	}
	accounts := make([]ledger.Account, len(p.asked))
	for i, payee := range p.asked {
		accounts[i] = payee.Account
	}
	latest, err := p.payees.LatestPayments(ctx, accounts, unusualLeast, usualMost)
	if err != nil {
		return nil, err
	}
	var doubtful []ledger.Payee
	var ids []int64
	for _, payee := range p.asked {
		if payments := latest[payee.Account]; mayBeFarAbove(payee.Amount, payments) {
			doubtful = append(doubtful, payee)
			for _, payment := range payments {
				ids = append(ids, payment.PayoutID)
			}
		}
	}
	if len(doubtful) == 0 {
		return nil, nil
	}
	payouts, err := p.payees.PastPayouts(ctx, ids)
	if err != nil {
		return nil, err
	}
	found := map[ledger.Payee]paymentPattern{}
	for _, payee := range doubtful {
		pattern := patternOf(payee.Account, latest[payee.Account], payouts)
		if pattern.payouts >= unusualLeast && payee.Amount/unusualFactor >= pattern.median {
			found[payee] = pattern
		}
	}
	return found, nil
}

// mayBeFarAbove: no median is below the smallest amount. Nearly every payee
// ends here, before anybody asks what became of its payouts.
func mayBeFarAbove(amount ledger.Paise, payments []ledger.Payment) bool {
	return len(payments) >= unusualLeast &&
		slices.ContainsFunc(payments, func(p ledger.Payment) bool { return amount/unusualFactor >= p.Amount })
}

// patternOf sums up the payments to the account that were made or still may be.
func patternOf(account ledger.Account, payments []ledger.Payment, payouts map[int64]ledger.PastPayout) paymentPattern {
	var pattern paymentPattern
	var amounts []ledger.Paise
	for _, payment := range payments { // in the order of loading
		if past, ok := payouts[payment.PayoutID]; ok && past.Same(account) && !past.Use.State.Retryable() {
			amounts, pattern.last = append(amounts, past.Amount), past.Use
		}
	}
	pattern.payouts, pattern.median = len(amounts), median(amounts)
	return pattern
}

// median of an even number is the mean of the middle two, rounded down to the
// paisa.
func median(amounts []ledger.Paise) ledger.Paise {
	if len(amounts) == 0 {
		return 0
	}
	slices.Sort(amounts)
	low, high := amounts[(len(amounts)-1)/2], amounts[len(amounts)/2]
	return low + (high-low)/2
}
