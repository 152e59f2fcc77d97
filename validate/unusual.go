package validate

import (
	"context"
	"slices"
	"time"

	"payrun/ledger"
	"payrun/validate/ifsc"
)

// Unusual returns the findings about payees that Check had for these payouts before they were in the ledger:
// paid recently, a new account, far above the usual amount. Days are in the time zone of since. known must not
// include the payouts themselves.
func Unusual(ctx context.Context, known ledger.Payees, since time.Time, payouts []ledger.Payout) ([]ledger.Finding, error) {
	c := &check{o: Options{Now: since, RecentSince: since}, payees: known, branches: ifsc.NewLookup(nil, since)}
	rows := make([]candidate, len(payouts))
	for i := range payouts {
		rows[i] = candidate{Accepted: &Accepted{Payout: payouts[i]}, accepted: true}
	}
	if err := c.askPayees(ctx, rows); err != nil {
		return nil, err
	}
	return c.found.sorted(), nil
}

// ChangedAccount is a payout to a payee who is known by name, but was never paid at that account.
type ChangedAccount struct {
	Position int            // index of the payout
	Was      ledger.Account // the latest account before this one
	Accounts int            // how many accounts the payee had
	Since    time.Time      // when the sheet of the first payout to Was was loaded
	Payouts  int            // how many went to Was before this, at most 100
	Last     time.Time      // when the sheet of the latest payout to Was was loaded
}

// Changed returns the payouts that go to a payee who had another account until now. known must not include the
// payouts themselves.
func Changed(ctx context.Context, known ledger.Payees, payouts []ledger.Payout) (changed []ChangedAccount, err error) {
	named := ledger.ListOf(payouts, func(p ledger.Payout) ledger.NamedAccount { return namedOf(&p) })
	found, err := newAccounts(ctx, known, named)
	if err != nil || len(found) == 0 {
		return nil, err
	}
	var accounts []ledger.Account
	for i := range payouts {
		if k, ok := found[named[i]]; ok {
			changed = append(changed, ChangedAccount{Position: i, Was: k.Account, Accounts: k.accounts, Since: k.use.LoadedAt, Last: k.use.LoadedAt})
			accounts = append(accounts, k.Account)
		}
	}
	before, err := latestTo(ctx, known, accounts, usualMost)
	for i, list := range before {
		if changed[i].Payouts = len(list); len(list) > 0 {
			changed[i].Last = list[len(list)-1].Use.LoadedAt
		}
	}
	return changed, err
}

// earlierMost is how many of the latest payouts to an account are searched for a paid one.
const earlierMost = 50

// NeverPaid returns the positions of payouts to an account for which none of the latest 50 earlier payouts
// succeeded. A payout that is open, failed or came back was not paid. known must not include the payouts
// themselves.
func NeverPaid(ctx context.Context, known ledger.Payees, payouts []ledger.Payout) (positions []int, err error) {
	accounts := ledger.ListOf(payouts, func(p ledger.Payout) ledger.Account { return p.AccountOf() })
	before, err := latestTo(ctx, known, accounts, earlierMost)
	for i, past := range before {
		if !slices.ContainsFunc(past, func(p ledger.PastPayout) bool { return p.Use.State == ledger.PayoutSuccess }) {
			positions = append(positions, i)
		}
	}
	return positions, err
}

// latestTo returns the latest payouts to each account, at most that many, in the order of loading.
func latestTo(ctx context.Context, known ledger.Payees, accounts []ledger.Account, most int) ([][]ledger.PastPayout, error) {
	latest, err := known.LatestPayments(ctx, accounts, most)
	if err != nil {
		return nil, err
	}
	return pastOf(ctx, known, accounts, latest)
}

// pastOf returns the payouts of payments to each of the accounts, in the order of loading.
func pastOf(ctx context.Context, known ledger.Payees, accounts []ledger.Account, payments map[ledger.Account][]ledger.Payment) ([][]ledger.PastPayout, error) {
	var ids []int64
	for _, to := range payments {
		for _, p := range to {
			ids = append(ids, p.PayoutID)
		}
	}
	past, err := known.PastPayouts(ctx, ids)
	if err != nil {
		return nil, err
	}
	paid := make([][]ledger.PastPayout, len(accounts))
	for i, account := range accounts {
		for _, p := range payments[account] {
			if earlier, ok := past[p.PayoutID]; ok && earlier.Same(account) {
				paid[i] = append(paid[i], earlier)
			}
		}
	}
	return paid, nil
}

// Repeated groups the payouts that pay the same amount to the same account, as Check warns of them. It leaves
// out groups of one.
func Repeated(payouts []ledger.Payout) [][]ledger.Payout {
	at := map[payment]int{}
	var groups [][]ledger.Payout
	for _, p := range payouts {
		one := paymentOf(&p)
		g, ok := at[one]
		if !ok {
			g = len(groups)
			at[one], groups = g, append(groups, nil)
		}
		groups[g] = append(groups[g], p)
	}
	return slices.DeleteFunc(groups, func(same []ledger.Payout) bool { return len(same) == 1 })
}
