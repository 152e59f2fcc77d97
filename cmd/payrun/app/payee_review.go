package app

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"payrun/ledger"
	"payrun/validate"
)

// Whom is what is known of the payees, compared with what was known before their sheet was loaded.
type Whom struct {
	New       Few[ledger.Payout]   // to accounts that were never paid from this ledger
	FirstTime Few[ledger.Payout]   // the same but for Changed
	Changed   Few[ChangedAccount]  // to payees who had another account until now
	Unusual   Few[ledger.Finding]  // another account than the payee ever had, paid lately, far above what is usual
	Groups    []UnusualGroup       // the same but for changed accounts, by what is unusual
	Repeated  Few[[]ledger.Payout] // the same amount to the same account, within one batch
	Largest   []ledger.Payout      // the largest first
}

// ChangedAccount is a payout to a payee who had another account until now.
type ChangedAccount struct {
	ledger.Payout
	validate.ChangedAccount
}

// UnusualGroup is what is unusual in one way.
type UnusualGroup struct {
	Code string // of its findings
	Few[ledger.Finding]
}

// Few is a list of which only the beginning is kept: the first, and how many and
// how much in all.
type Few[T any] struct {
	First []T
	All   ledger.Tally
}

// keptOfList bounds what is kept of each list of a review.
const keptOfList = 1000

func (f *Few[T]) add(one T, amount ledger.Paise) error {
	if len(f.First) < keptOfList {
		f.First = append(f.First, one)
	}
	return f.All.Add(amount)
}

func (w *Whom) addLargest(payouts []ledger.Payout) {
	w.Largest = largestOf(slices.Concat(w.Largest, payouts))
}

// payeesAtOnce is the least number of payouts whose payees are looked up together, if a sheet has
// more: a query for each batch would cost as much as a hundred payouts.
const payeesAtOnce = 1024

// askPayees adds whom these batches pay, in their order.
func (o *operation) askPayees(ctx context.Context, w *Whom, batches []ledger.Batch) error {
	var known ledger.Payees     // before the sheet of the batches at hand
	var payouts []ledger.Payout // of the batches at hand
	for i, b := range batches {
		own, err := o.payoutsOf(ctx, b.ID)
		if err != nil {
			return err
		}
		if known == nil {
			known = o.store.PayeesBefore(validate.FoldName, b.ID)
		}
		for _, same := range repeated(own) {
			if err := w.Repeated.add(same, same[0].Amount); err != nil {
				return err
			}
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
			if err := w.Changed.add(ChangedAccount{payouts[c.Position], c}, payouts[c.Position].Amount); err != nil {
				return err
			}
		}
		if err := w.addNew(ctx, known, payouts, changed); err != nil {
			return err
		}
		unusual, err := validate.Unusual(ctx, known, o.recently(), payouts)
		if err != nil {
			return err
		}
		at := make(map[string]int, len(payouts))
		for i := range payouts {
			at[payouts[i].Ref] = i
		}
		slices.SortStableFunc(unusual, func(a, b ledger.Finding) int { return cmp.Compare(at[a.Ref], at[b.Ref]) })
		for _, f := range unusual {
			if err := errors.Join(w.Unusual.add(f, payouts[at[f.Ref]].Amount), w.group(f, payouts[at[f.Ref]].Amount)); err != nil {
				return err
			}
		}
		payouts = payouts[:0]
		if last {
			known = nil
		}
	}
	return nil
}

// group adds a finding to those of its code. Changed lists changed accounts.
func (w *Whom) group(f ledger.Finding, amount ledger.Paise) error {
	if validate.OfNewAccount(f.Code) {
		return nil
	}
	i := slices.IndexFunc(w.Groups, func(g UnusualGroup) bool { return g.Code == f.Code })
	if i < 0 {
		i, w.Groups = len(w.Groups), append(w.Groups, UnusualGroup{Code: f.Code})
	}
	return w.Groups[i].add(f, amount)
}

// addNew adds those of the payouts that go to accounts which were never paid. changed are
// those of them to payees who had another account.
func (w *Whom) addNew(ctx context.Context, known ledger.Payees, payouts []ledger.Payout, changed []validate.ChangedAccount) error {
	never, err := validate.NeverPaid(ctx, known, payouts)
	if err != nil {
		return err
	}
	for _, i := range never {
		if err := w.New.add(payouts[i], payouts[i].Amount); err != nil {
			return err
		}
		if slices.ContainsFunc(changed, func(c validate.ChangedAccount) bool { return c.Position == i }) {
			continue
		}
		if err := w.FirstTime.add(payouts[i], payouts[i].Amount); err != nil {
			return err
		}
	}
	return nil
}
