package app

import (
	"context"
	"errors"
	"os"
	"slices"

	"payrun/ledger"
	"payrun/reports/resultsheet"
	"payrun/validate"
)

// leftOut writes the rows of a loaded sheet that are not in the ledger, in the person's own columns
// with reason and fix, ready to be corrected and loaded, into the operation's folder. It uses the
// ledger alone: the ledger has the sheet's bytes, and the reason is what is wrong with the row today.
// Rows that came with a later sheet are no longer left out. ledger.ErrNotFound if no row is left out.
func (o *operation) leftOut(ctx context.Context, sheetID string) (path string, err error) {
	sheet, err := o.sheet(ctx, sheetID)
	if err != nil {
		return "", err
	}
	if sheet.Rejected.Count == 0 {
		return "", ledger.ErrNotFound
	}
	r := resultsheet.Rejected{Sheet: sheet, At: o.env.Now(), Dirs: []string{o.folder}}
	if r.Rows, r.Findings, err = o.stillLeft(ctx, sheet); err != nil {
		return "", err
	}
	if len(r.Rows) == 0 {
		return "", ledger.ErrNotFound
	}
	left, err := resultsheet.WriteRejected(ctx, r, func() (resultsheet.Rows, error) { return o.ownSheet(ctx, sheet) })
	if err != nil {
		return "", err
	}
	return left.Keep()
}

// stillLeft are the rows of a loaded sheet that stand for no payout, and what is
// found about them now.
func (o *operation) stillLeft(ctx context.Context, sheet ledger.Sheet) (rows []int, found []ledger.Finding, err error) {
	recorded := map[int]bool{}
	err = o.store.EachPayout(ctx, ledger.Filter{SheetID: sheet.ID}, func(a ledger.Attempt) error { recorded[a.Row] = true; return nil })
	if err != nil {
		return nil, nil, err
	}
	err = o.store.Elsewhere(ctx, sheet.ID, func(row int, _ ledger.Attempt) error { recorded[row] = true; return nil })
	if err != nil {
		return nil, nil, err
	}
	path, options, err := o.ownFile(ctx, sheet)
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(path)) }()
	options.RefPrefix, options.Name = sheet.RefPrefix, sheet.Name
	add := func(row int) {
		if !recorded[row] {
			rows = append(rows, row)
		}
	}
	s, err := o.dryRunOf(ctx, path, options, &withoutSheet{newPendingHistory(o.store), sheet.ID}, func(payouts []validate.Accepted) error {
		for i := range payouts {
			add(payouts[i].Row)
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, c := range s.Corrections {
		add(c.Is.Row)
	}
	for _, row := range s.RejectedRows {
		add(row)
	}
	slices.Sort(rows)
	return slices.Compact(rows), s.Findings, nil
}

// withoutSheet is the ledger's past as if one sheet had not been loaded.
type withoutSheet struct {
	*pendingHistory
	id string
}

// UsedReferences implements validate.History.
func (h *withoutSheet) UsedReferences(ctx context.Context, keys []string) (map[string]ledger.ReferenceUse, error) {
	found, err := h.pendingHistory.UsedReferences(ctx, keys)
	for key, use := range found {
		if use.SheetID == h.id {
			delete(found, key)
		}
	}
	return found, err
}

// SheetBy implements validate.History.
func (h *withoutSheet) SheetBy(context.Context, ledger.Sheet) (ledger.Sheet, error) {
	return ledger.Sheet{}, ledger.ErrNotFound
}

// SheetUnderAnotherPrefix implements validate.History.
func (h *withoutSheet) SheetUnderAnotherPrefix(context.Context, ledger.Sheet) (ledger.Sheet, error) {
	return ledger.Sheet{}, ledger.ErrNotFound
}
