package app

import (
	"cmp"
	"context"
	"slices"

	"payrun/ledger"
	"payrun/submitter"
)

// OTPs is what waits for an OTP, for the people who enter them one after the other.
type OTPs struct {
	// Held are the batches that wait for their OTPs, in the order of the requests; those without tries
	// left come last, and no one is asked for theirs.
	Held []Asked
	// ToType is the total that is typed with each OTP (policy.confirm_above); nil
	// where none is.
	ToType *NeedsConfirmation
	// Next is, for each debit account that may have one more held, the batch to initiate next: it
	// needs no further approval.
	Next []ledger.Batch
}

// Spent reports whether the batch has no tries left.
func (a Asked) Spent() bool { return a.Tries > 0 && a.Try > a.Tries }

// Holds is nil while every batch is as it was shown, else ledger.ErrStale. It is
// for who asks before the use case does, which asks again.
func (a *App) Holds(ctx context.Context, call Call, to ReviewedBatches) error {
	return a.read(ctx, call, func(o *operation) error {
		_, err := o.bind(ctx, &to)
		return err
	})
}

// Bound is what a decision about a batch is bound to now.
func (a *App) Bound(ctx context.Context, call Call, id string) (ledger.Bound, error) {
	return look(ctx, a, call, func(o *operation) (ledger.Bound, error) { return o.bound(ctx, id) })
}

// OTPs lists what waits for an OTP. The bank is not asked.
func (a *App) OTPs(ctx context.Context, call Call) (OTPs, error) {
	return look(ctx, a, call, func(o *operation) (OTPs, error) { return o.otps(ctx) })
}

func (o *operation) otps(ctx context.Context) (list OTPs, err error) {
	held, err := o.store.BatchesIn(ctx, ledger.BatchHeld)
	if err != nil {
		return list, err
	}
	sheets, err := o.store.Sheets(ctx)
	if err != nil {
		return list, err
	}
	perAccount := map[string]int{}
	for _, b := range held {
		asked := o.asked(b, sheets).at(o.env.Now())
		if asked.Bound, err = o.bound(ctx, b.ID); err != nil {
			return list, err
		}
		list.Held = append(list.Held, asked)
		perAccount[b.BankAccountID]++
	}
	slices.SortStableFunc(list.Held, func(a, b Asked) int {
		return cmp.Or(map[bool]int{true: 1}[a.Spent()]-map[bool]int{true: 1}[b.Spent()], a.Since.Compare(b.Since))
	})
	engine := submitter.New(o.store, nil, o.engineSettings()) // what it would confirm, it reads of the ledger
	if list.ToType, err = o.toType(ctx, engine, held, true); err != nil {
		return list, err
	}
	planned, err := o.store.BatchesIn(ctx, ledger.BatchPlanned)
	most := int(o.set.OTP.HeldAtOnce)
	next := map[string]bool{}
	for _, b := range planned {
		asks := b.AsksUnder(o.policy.TwoPerson)
		if waits := asks == ledger.ToBeApproved || asks == ledger.SentBack; waits || next[b.BankAccountID] {
			continue
		}
		if next[b.BankAccountID] = true; most <= 0 || perAccount[b.BankAccountID] < most {
			list.Next = append(list.Next, b)
		}
	}
	return list, err
}
