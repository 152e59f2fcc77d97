package app

import (
	"context"
	"errors"
	"maps"
	"slices"

	"payrun/ledger"
	"payrun/validate"
)

// SinceLast is a sheet, or what of it is paid from one debit account, held against
// the newest sheet that was loaded before it and pays from the same account. Rows that
// a sheet had left out and a later one brought count with the sheet that left them out,
// and only what was or may still be paid counts.
type SinceLast struct {
	Sheet   string // its name
	Debit   ledger.DebitAccount
	Before  ledger.Sheet // the one before it; the zero value where there is none
	TooMany bool         // one of them has more payouts than are held against each other
	validate.Since
	Stands, Stood Standing // of the sheet, and of the one before
	Alike         Alikes   // payees who look like each other, or like one of the sheet before
}

// What payrolls are held against each other by is validate's; who shows it knows it
// by these.
type (
	Change = validate.Change
	Alike  = validate.Alike
	Alikes = validate.Alikes
)

// sinceLast holds the sheets of these batches, whole, each against the one before it.
func (o *operation) sinceLast(ctx context.Context, batches []ledger.Batch) (all []SinceLast, err error) {
	seen := map[string]bool{} // sheets
	for _, b := range batches {
		if seen[b.SheetID] {
			continue
		}
		sheets, err := o.store.SheetAndRest(ctx, b.SheetID)
		if err != nil {
			return nil, err
		}
		for _, s := range sheets {
			seen[s.ID] = true
		}
		found, err := o.sinceOf(ctx, sheets, b)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

// sinceOf holds a sheet, which is one of a sheet and its rest, against the one before
// them. b is a batch of the sheet.
func (o *operation) sinceOf(ctx context.Context, sheets []ledger.Sheet, b ledger.Batch) ([]SinceLast, error) {
	rolls, err := o.payrollsOf(ctx, sheets)
	if err != nil {
		return nil, err
	}
	before, err := o.sheetsBefore(ctx, slices.Sorted(maps.Keys(rolls.by)), sheets[0].ID)
	if err != nil {
		return nil, err
	}
	return o.compareRolls(ctx, rolls, before, o.store.PayeesBefore(validate.FoldName, b.ID))
}

// sinceOfRun holds the sheets of a run that are not loaded yet against those that are.
func (o *operation) sinceOfRun(ctx context.Context, out *Outgoing) error {
	for _, rolls := range out.rolls {
		found, err := o.sinceOfRead(ctx, rolls)
		if err != nil {
			return err
		}
		out.Since = append(out.Since, found...)
	}
	return nil
}

// sinceOfRead holds a sheet that is not loaded yet against those that are.
func (o *operation) sinceOfRead(ctx context.Context, rolls *payrolls) ([]SinceLast, error) {
	first := ""
	if from := rolls.restOf(); from != "" {
		sheets, err := o.store.SheetAndRest(ctx, from)
		if err != nil {
			return nil, err
		}
		if err := o.addLoaded(ctx, rolls, sheets); err != nil {
			return nil, err
		}
		rolls.sheet, first = sheets[0].Name, sheets[0].ID
	}
	before, err := o.sheetsBefore(ctx, slices.Sorted(maps.Keys(rolls.by)), first)
	if err != nil {
		return nil, err
	}
	return o.compareRolls(ctx, rolls, before, o.store.Payees(validate.FoldName))
}

// payrollsOf reads whom a loaded sheet and its rest pay.
func (o *operation) payrollsOf(ctx context.Context, sheets []ledger.Sheet) (*payrolls, error) {
	rolls := newPayrolls(sheets[0].Name)
	return rolls, o.addLoaded(ctx, rolls, sheets)
}

// addLoaded adds whom loaded sheets pay.
func (o *operation) addLoaded(ctx context.Context, rolls *payrolls, sheets []ledger.Sheet) error {
	for _, s := range sheets {
		if rolls.many {
			return nil
		}
		err := o.store.EachPayout(ctx, ledger.Filter{SheetID: s.ID}, func(a ledger.Attempt) error { return rolls.add(&a.Payout, a.State) })
		if err != nil && !errors.Is(err, errTooMany) {
			return err
		}
	}
	return nil
}

// sheetsBefore are the sheets to compare with, each with its rest, by debit account.
type sheetsBefore map[string][]ledger.Sheet

// sheetsBefore finds of each debit account the newest of the sheets before one, or with
// "" of all, that paid from it, or still may.
func (o *operation) sheetsBefore(ctx context.Context, accounts []string, sheetID string) (sheetsBefore, error) {
	before := sheetsBefore{}
	for _, account := range accounts {
		last, err := o.store.PaysBefore(ctx, account, sheetID)
		if errors.Is(err, ledger.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if before[account], err = o.store.SheetAndRest(ctx, last.ID); err != nil {
			return nil, err
		}
	}
	return before, nil
}

// compareRolls holds what a sheet pays from each debit account against the sheet
// before it. known is who was paid before it.
func (o *operation) compareRolls(ctx context.Context, rolls *payrolls, before sheetsBefore, known ledger.Payees) (all []SinceLast, err error) {
	read := map[string]*payrolls{} // by sheet
	for _, account := range slices.Sorted(maps.Keys(rolls.by)) {
		now := rolls.by[account]
		if now.Paid.Count == 0 && !rolls.many {
			continue
		}
		one := SinceLast{Sheet: rolls.sheet, Debit: o.debit(ledger.Batch{BankAccountID: account})}
		last := newPayrolls("")
		if sheets := before[account]; len(sheets) > 0 {
			one.Before = sheets[0]
			if last = read[one.Before.ID]; last == nil {
				if last, err = o.payrollsOf(ctx, sheets); err != nil {
					return nil, err
				}
				read[one.Before.ID] = last
			}
		}
		was := last.of(account)
		if one.TooMany = rolls.many || last.many; !one.TooMany {
			one.Since, one.Stands, one.Stood = now.paid.Since(was.paid), now.Standing, was.Standing
			if one.Alike, err = alike(ctx, now.paid, was.paid, one.Before, known); err != nil {
				return nil, err
			}
		}
		all = append(all, one)
	}
	return all, nil
}

// alike finds payees who look like each other, like one of the sheet before, or whose
// account was last paid under another name, whenever that was.
func alike(ctx context.Context, now, was *validate.Payroll, before ledger.Sheet, known ledger.Payees) (Alikes, error) {
	all := now.Alike(was, ledger.ReferenceUse{SheetID: before.ID, SheetName: before.Name, LoadedAt: before.LoadedAt})
	var named []Alike
	for chunk := range now.Payees(askedAtOnce) {
		found, err := validate.NamedOtherwise(ctx, known, chunk)
		if err != nil {
			return all, err
		}
		all.Count += len(found)
		named = append(named, found[:min(len(found), validate.AlikesMost-len(named))]...)
	}
	all.First = append(named, all.First...)
	all.First = all.First[:min(len(all.First), validate.AlikesMost)]
	return all, nil
}
