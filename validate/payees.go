package validate

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"payrun/ledger"
)

const (
	// namesMost is the most accounts with which a name still means one payee. A name with more is "Refund", or
	// common.
	namesMost = 20
	// usualMost is how many of an account's latest payouts define what is usual.
	usualMost = 100
	// An amount is unusual from unusualFactor times the median on. A missing point makes an amount a hundred
	// times as large, an extra zero ten times.
	unusualFactor = 10
	// unusualLeast is how many earlier payouts are needed to define what is usual.
	unusualLeast = 5
)

// FoldName returns the form in which payees' names are compared: like references, with single spaces. An empty
// result names no payee.
func FoldName(name string) string { return strings.Join(strings.Fields(RefKey(name)), " ") }

// knownPayee is where a name was paid before: the latest account that was new for it, and the payout that
// introduced it.
type knownPayee struct {
	ledger.Account
	accounts int // how many accounts the name has
	use      ledger.ReferenceUse
}

// newAccounts returns which names were paid before, but never at that account, and where they were paid.
func newAccounts(ctx context.Context, payees ledger.Payees, named []ledger.NamedAccount) (map[ledger.NamedAccount]knownPayee, error) {
	elsewhere, err := payees.PaidElsewhere(ctx, named, namesMost)
	if err != nil || len(elsewhere) == 0 {
		return nil, asking("known payees", err)
	}
	latest := func(first []ledger.Payment) int64 { // the payout that introduced the latest account
		return slices.MaxFunc(first, func(a, b ledger.Payment) int { return cmp.Compare(a.PayoutID, b.PayoutID) }).PayoutID
	}
	var ids []int64
	for _, first := range elsewhere {
		ids = append(ids, latest(first))
	}
	payouts, err := payees.PastPayouts(ctx, ids)
	found := map[ledger.NamedAccount]knownPayee{}
	for n, first := range elsewhere {
		past, ok := payouts[latest(first)]
		if ok && FoldName(past.VendorName) == FoldName(n.VendorName) {
			found[n] = knownPayee{Account: past.Account, accounts: len(first), use: past.Use}
		}
	}
	return found, asking("known payees", err)
}

// paymentPattern describes the earlier payouts to an account.
type paymentPattern struct {
	median  ledger.Paise        // of the amounts examined
	payouts int                 // how many were examined
	last    ledger.ReferenceUse // the latest of them
}

// farAbove returns the payees that get at least unusualFactor times the median of the earlier payouts to their
// account, if there were at least unusualLeast. Of the account's latest payouts it ignores those that failed,
// came back or ended cancelled.
func farAbove(ctx context.Context, payees ledger.Payees, asked []ledger.Payee) (map[ledger.Payee]paymentPattern, error) {
	accounts := ledger.ListOf(asked, func(p ledger.Payee) ledger.Account { return p.Account })
	latest, err := payees.LatestPayments(ctx, accounts, usualMost)
	if err != nil || len(latest) == 0 {
		return nil, asking("usual amounts", err)
	}
	maybe := map[ledger.Account][]ledger.Payment{}
	for _, payee := range asked {
		if payments := latest[payee.Account]; mayBeFarAbove(payee.Amount, payments) {
			maybe[payee.Account] = payments
		}
	}
	if len(maybe) == 0 {
		return nil, nil
	}
	before, err := pastOf(ctx, payees, accounts, maybe)
	found := map[ledger.Payee]paymentPattern{}
	for i, past := range before {
		if pattern := patternOf(past); pattern.payouts >= unusualLeast && asked[i].Amount/unusualFactor >= pattern.median {
			found[asked[i]] = pattern
		}
	}
	return found, asking("usual amounts", err)
}

// mayBeFarAbove compares with the smallest amount, which no median is below. Nearly every payee ends here,
// before a query for the states of its payouts.
func mayBeFarAbove(amount ledger.Paise, payments []ledger.Payment) bool {
	return len(payments) >= unusualLeast &&
		slices.ContainsFunc(payments, func(p ledger.Payment) bool { return amount/unusualFactor >= p.Amount })
}

// patternOf sums up the payouts to an account that were made or may still be made, given in the order of
// loading.
func patternOf(payouts []ledger.PastPayout) paymentPattern {
	var pattern paymentPattern
	var amounts []ledger.Paise
	for _, past := range payouts {
		if !past.Use.State.Retryable() {
			amounts, pattern.last = append(amounts, past.Amount), past.Use
		}
	}
	pattern.payouts, pattern.median = len(amounts), median(amounts)
	return pattern
}

// median returns the median. For an even number it is the mean of the middle two, rounded down to the paisa.
func median(amounts []ledger.Paise) ledger.Paise {
	if len(amounts) == 0 {
		return 0
	}
	slices.Sort(amounts)
	low, high := amounts[(len(amounts)-1)/2], amounts[len(amounts)/2]
	return low + (high-low)/2
}
