package app

import (
	"cmp"
	"context"
	"slices"
	"time"

	"payrun/ledger"
	"payrun/validate"
)

// PayeeReview is what is known of the payees, compared with what other sheets pay.
type PayeeReview struct {
	New       Few[ledger.Payout]   // to accounts that this ledger never paid
	FirstTime Few[ledger.Payout]   // New without Changed
	Changed   Few[ChangedAccount]  // to payees who had another account until now
	Unusual   Few[ledger.Finding]  // an account the payee never had, paid a short time ago, far above what is usual
	Groups    []UnusualGroup       // Unusual without changed accounts, by what is unusual
	Repeated  Few[[]ledger.Payout] // the same amount to the same account, within one batch
	Largest   []ledger.Payout      // the largest first
}

// ChangedAccount is a payout to a payee who had another account until now.
type ChangedAccount struct {
	ledger.Payout
	validate.ChangedAccount
}

// UnusualGroup holds the findings that are unusual in the same way.
type UnusualGroup struct {
	Code string // the code of its findings
	Few[ledger.Finding]
}

// Few is a list of which only the beginning is kept. All counts and sums the whole list.
type Few[T any] struct {
	First []T
	All   ledger.Tally
}

// keptOfList is how many entries are kept of each list of a review.
const keptOfList = 1000

func (f *Few[T]) add(one T, amount ledger.Paise) {
	if len(f.First) < keptOfList {
		f.First = append(f.First, one)
	}
	f.All.Add(amount)
}

func (w *PayeeReview) addLargest(payouts []ledger.Payout) {
	w.Largest = largestOf(slices.Concat(w.Largest, payouts))
}

// payeesAtOnce is how many payouts at least have their payees looked up together, if a sheet has
// that many: a query for each batch would cost as much as a hundred payouts.
const payeesAtOnce = 1024

// askPayees adds the payees of these batches, in their order.
func (o *operation) askPayees(ctx context.Context, w *PayeeReview, batches []ledger.Batch) error {
	var known ledger.Payees     // without the sheet of the current batches
	var payouts []ledger.Payout // of the current batches
	for i, b := range batches {
		own, err := o.payoutsOf(ctx, b.ID)
		if err != nil {
			return err
		}
		if known == nil {
			known = o.store.PayeesWithout(validate.FoldName, b.ID)
		}
		for _, same := range validate.Repeated(own) {
			w.Repeated.add(same, same[0].Amount)
		}
		w.addLargest(own)
		payouts = append(payouts, own...)
		last := i == len(batches)-1 || batches[i+1].SheetID != b.SheetID
		if !last && len(payouts) < payeesAtOnce {
			continue
		}
		changed, err := validate.Changed(ctx, known, payouts)
		if err != nil {
			return err
		}
		for _, c := range changed {
			w.Changed.add(ChangedAccount{payouts[c.Position], c}, payouts[c.Position].Amount)
		}
		if err := w.addNew(ctx, known, payouts, changed); err != nil {
			return err
		}
		unusual, err := o.unusual(ctx, known, payouts)
		if err != nil {
			return err
		}
		at := make(map[string]int, len(payouts))
		for i := range payouts {
			at[payouts[i].Ref] = i
		}
		slices.SortStableFunc(unusual, func(a, b ledger.Finding) int { return cmp.Compare(at[a.Ref], at[b.Ref]) })
		for _, f := range unusual {
			w.Unusual.add(f, payouts[at[f.Ref]].Amount)
			w.group(f, payouts[at[f.Ref]].Amount)
		}
		payouts = payouts[:0]
		if last {
			known = nil
		}
	}
	return nil
}

// unusual returns what is unusual about payouts of one sheet, compared with what other sheets pay (known).
func (o *operation) unusual(ctx context.Context, known ledger.Payees, payouts []ledger.Payout) ([]ledger.Finding, error) {
	since := o.recently(time.Time{})
	own, err := known.PastPayouts(ctx, ledger.ListOf(payouts[:min(1, len(payouts))], func(p ledger.Payout) int64 { return p.ID }))
	if err != nil {
		return nil, err
	}
	for _, p := range own {
		since = o.recently(p.Use.LoadedAt)
	}
	return validate.Unusual(ctx, known, since, payouts)
}

// group adds a finding to the group of its code. It skips changed accounts: w.Changed lists them.
func (w *PayeeReview) group(f ledger.Finding, amount ledger.Paise) {
	if validate.OfNewAccount(f.Code) {
		return
	}
	ledger.FirstOrNew(&w.Groups, func(g UnusualGroup) bool { return g.Code == f.Code }, UnusualGroup{Code: f.Code}).add(f, amount)
}

// addNew adds the payouts to accounts that were never paid. changed are those of the
// payouts whose payee had another account.
func (w *PayeeReview) addNew(ctx context.Context, known ledger.Payees, payouts []ledger.Payout, changed []validate.ChangedAccount) error {
	never, err := validate.NeverPaid(ctx, known, payouts)
	if err != nil {
		return err
	}
	for _, i := range never {
		w.New.add(payouts[i], payouts[i].Amount)
		if slices.ContainsFunc(changed, func(c validate.ChangedAccount) bool { return c.Position == i }) {
			continue
		}
		w.FirstTime.add(payouts[i], payouts[i].Amount)
	}
	return nil
}
