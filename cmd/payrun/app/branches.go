package app

import (
	"context"
	"errors"

	"payrun/ledger"
	"payrun/validate/ifsc"
)

// BranchList is the branch list in the ledger; its name is "" if there is none.
type BranchList struct {
	ledger.BranchList
	Age string // in words; "" without a list
}

// BankTally sums up the payouts of a sheet to one bank.
type BankTally = ifsc.BankTally

// ImportBranches replaces the branch list with the one in the file.
func (a *App) ImportBranches(ctx context.Context, call Call, path string) (list BranchList, err error) {
	if err := given(path); err != nil {
		return list, err
	}
	err = a.write(ctx, call, func(o *operation) error {
		read, branches, err := ifsc.ReadList(path)
		if refused, ok := errors.AsType[*ifsc.ListError](err); ok {
			return Fail(SheetRefused, "%s: %s; nothing of it was imported", ledger.Plain(path), ledger.Plain(refused.Error())).Because(err).
				Then(Say("correct the list, or get it again; payrun still uses the earlier one"))
		}
		if err != nil {
			return err
		}
		read.ImportedAt, read.ImportedBy = o.env.Now(), o.call.Actor
		list = a.aged(read)
		return o.store.ImportBranches(ctx, read, branches)
	})
	return list, err
}

// BranchList returns the branch list in use.
func (a *App) BranchList(ctx context.Context, call Call) (BranchList, error) {
	return reading(ctx, a, call, func(o *operation) (BranchList, error) {
		found, err := o.store.BranchList(ctx)
		if errors.Is(err, ledger.ErrNotFound) {
			return BranchList{}, nil
		}
		return a.aged(found), err
	})
}

func (a *App) aged(l ledger.BranchList) BranchList {
	return BranchList{l, ifsc.AgeWords(a.env.Now().Sub(l.ImportedAt))}
}

// Branch returns the branch of an IFSC.
func (a *App) Branch(ctx context.Context, call Call, code string) (ledger.Branch, error) {
	return reading(ctx, a, call, func(o *operation) (b ledger.Branch, err error) {
		list, err := o.store.BranchList(ctx)
		if errors.Is(err, ledger.ErrNotFound) {
			return b, Fail(Failed, "there is no branch list").Then(Say("import one: payrun help ifsc import"))
		}
		if err != nil {
			return b, err
		}
		found, err := o.store.Branches(ctx, []string{code})
		b, known := found[code]
		if err == nil && !known {
			err = Fail(Failed, "%s has no branch %s", ledger.Plain(list.Name), ledger.Plain(code))
		}
		return b, err
	})
}
