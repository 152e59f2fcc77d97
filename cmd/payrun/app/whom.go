package app

import (
	"context"
	"slices"

	"payrun/ledger"
	"payrun/validate"
)

// Whom is what there is to know of those who are paid, held against what was known before
// the sheet that pays them was loaded.
type Whom struct {
	New      Few[ledger.Payout]   // to accounts that were never paid from this ledger
	Unusual  Few[ledger.Finding]  // another account than the payee ever had, paid lately, far above what is usual
	Repeated Few[[]ledger.Payout] // the same amount to the same account, within one batch
	Largest  []ledger.Payout      // the largest first
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

// join adds those of another list behind its own.
func (f *Few[T]) join(more *Few[T]) (err error) {
	f.First = append(f.First, more.First[:min(len(more.First), keptOfList-len(f.First))]...)
	f.All, err = f.All.Plus(more.All)
	return err
}

// add adds what there is to know of others, behind what is known.
func (w *Whom) add(more *Whom) error {
	w.addLargest(more.Largest)
	if err := w.New.join(&more.New); err != nil {
		return err
	}
	if err := w.Unusual.join(&more.Unusual); err != nil {
		return err
	}
	return w.Repeated.join(&more.Repeated)
}

func (w *Whom) addLargest(payouts []ledger.Payout) {
	for _, p := range payouts {
		if len(w.Largest) == largestShown && p.Amount <= w.Largest[largestShown-1].Amount {
			continue
		}
		at, _ := slices.BinarySearchFunc(w.Largest, p, func(a, b ledger.Payout) int { // behind its equals
			if a.Amount >= b.Amount {
				return -1
			}
			return 1
		})
		w.Largest = slices.Insert(w.Largest, at, p)
		w.Largest = w.Largest[:min(largestShown, len(w.Largest))]
	}
}

// payeesAtOnce is of how many payouts the payees are asked about together, at least,
// where a sheet has more: a question a batch would cost each as much as a hundred payouts.
const payeesAtOnce = 1024

// askPayees tells of each of the batches, in their order, whom it pays.
func (o *operation) askPayees(ctx context.Context, batches []ledger.Batch, tell func(ledger.Batch, Whom) error) error {
	var known ledger.Payees // before the sheet of the batches at hand
	var payouts []ledger.Payout
	begin, ends := 0, []int(nil) // of the batches at hand: the first, and where in payouts those of each end
	for i, b := range batches {
		own, err := o.payoutsOf(ctx, b.ID)
		if err != nil {
			return err
		}
		if known == nil {
			known = o.store.PayeesBefore(validate.FoldName, b.ID)
		}
		payouts, ends = append(payouts, own...), append(ends, len(payouts)+len(own))
		last := i == len(batches)-1 || batches[i+1].SheetID != b.SheetID
		if !last && len(payouts) < payeesAtOnce {
			continue
		}
		all, err := o.whom(ctx, known, payouts, ends)
		if err != nil {
			return err
		}
		for n := range all {
			if err := tell(batches[begin+n], all[n]); err != nil {
				return err
			}
		}
		begin, payouts, ends = i+1, payouts[:0], ends[:0]
		if last {
			known = nil
		}
	}
	return nil
}

// whom tells whom batches of one sheet pay, whose payouts are these: those of each end
// where ends says. known is who was paid before the sheet.
func (o *operation) whom(ctx context.Context, known ledger.Payees, payouts []ledger.Payout, ends []int) ([]Whom, error) {
	never, err := validate.NeverPaid(ctx, known, payouts)
	if err != nil {
		return nil, err
	}
	all := make([]Whom, len(ends))
	of := func(payout int) *Whom {
		n, _ := slices.BinarySearch(ends, payout+1)
		return &all[n]
	}
	for _, i := range never {
		if err := of(i).New.add(payouts[i], payouts[i].Amount); err != nil {
			return nil, err
		}
	}
	unusual, err := validate.Unusual(ctx, known, o.env.Now().Add(-recentDays), payouts)
	if err != nil {
		return nil, err
	}
	if len(unusual) > 0 {
		at := make(map[string]int, len(payouts))
		for i := range payouts {
			at[payouts[i].Ref] = i
		}
		for _, f := range unusual {
			i := at[f.Ref]
			if err := of(i).Unusual.add(f, payouts[i].Amount); err != nil {
				return nil, err
			}
		}
	}
	from := 0
	for n, end := range ends {
		for _, same := range repeated(payouts[from:end]) {
			if err := all[n].Repeated.add(same, same[0].Amount); err != nil {
				return nil, err
			}
		}
		all[n].addLargest(payouts[from:end])
		from = end
	}
	return all, nil
}
