package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"payrun/ledger"
	"payrun/validate"
)

// Check reads and validates sheets and plans their batches, and records nothing. For
// several sheets it says what loading them in this order would do. The error says which
// would be refused. Check also returns what it read before the error.
func (a *App) Check(ctx context.Context, call Call, paths []string, o SheetOptions) ([]Sheet, error) {
	if err := given(paths...); err != nil {
		return nil, err
	}
	var sheets []Sheet
	err := a.readOwn(ctx, call, func(op *operation) error {
		var refused refusals
		past := newPendingHistory(op.store)
		for i, path := range paths {
			past.more = i < len(paths)-1
			s, err := op.dryRun(ctx, path, o, past, keepNone)
			if err != nil {
				return refused.with(err)
			}
			s.dry = true
			sheets = append(sheets, s)
			if s.Refused() || s.AlreadyLoaded {
				refused.add(&s, o.SkipBad)
			}
		}
		return refused.with(nil)
	})
	return sheets, err
}

// dryRun reads a sheet in as many passes as needed, and records nothing. past remembers what loading it would
// have recorded. For each pass begin returns the keeper of its payouts.
func (o *operation) dryRun(ctx context.Context, path string, so SheetOptions, past *pendingHistory, begin func() keeper) (Sheet, error) {
	options, err := o.optionsNow(ctx, so)
	if err != nil {
		return Sheet{Path: path}, err
	}
	s, err := o.inPasses(ctx, options, false, func(options validate.Options) (Sheet, error) {
		return o.readSheet(ctx, path, options, past, begin())
	})
	s.Sheet.LoadedAt = o.env.Now()
	if err == nil && s.loadable(so.SkipBad) {
		past.remember(s)
	}
	return s, err
}

// keepNone returns a keeper that keeps nothing.
func keepNone() keeper { return func([]validate.Accepted) error { return nil } }

// pendingHistory is the ledger's history plus the sheets that the same check would have loaded before this one.
// So checking several sheets says what loading them would do.
type pendingHistory struct {
	store
	ledger.Payees
	uses   map[string]ledger.ReferenceUse
	paid   map[ledger.Payee]ledger.ReferenceUse // by the account's folded form
	sheets []ledger.Sheet

	more      bool                // another sheet follows the current one
	given     []validate.Accepted // the payouts of the current sheet; only with more
	notLoaded string              // the id of a loaded sheet that is read as if it were new; "" for none

	corrected map[int64]bool                     // the payouts that these sheets correct
	came      map[ledger.RowOrigin]ledger.RowUse // rows of earlier sheets that these sheets bring
}

func newPendingHistory(s store) *pendingHistory {
	return &pendingHistory{store: s, Payees: s.Payees(validate.FoldName), uses: map[string]ledger.ReferenceUse{}, paid: map[ledger.Payee]ledger.ReferenceUse{},
		corrected: map[int64]bool{}, came: map[ledger.RowOrigin]ledger.RowUse{}}
}

// UsedReferences implements validate.History.
func (h *pendingHistory) UsedReferences(ctx context.Context, keys []string) (map[string]ledger.ReferenceUse, error) {
	found, err := h.store.UsedReferences(ctx, keys)
	if err != nil {
		return nil, err
	}
	for _, key := range keys {
		if h.notLoaded != "" && found[key].SheetID == h.notLoaded {
			delete(found, key)
		}
		if use, ok := h.uses[key]; ok && found[key] == (ledger.ReferenceUse{}) {
			found[key] = use
		}
	}
	return found, nil
}

// Correctable implements validate.History. A payout that one sheet corrects is planned for the next sheet.
func (h *pendingHistory) Correctable(ctx context.Context, keys []string) (map[string]ledger.Correctable, error) {
	found, err := h.store.Correctable(ctx, keys)
	for key, c := range found {
		if h.corrected[c.After.ID] {
			c.After.State = ledger.PayoutPlanned // planned by an earlier sheet of the same load
			found[key] = c
		}
	}
	return found, err
}

// RowsUsed implements validate.History.
func (h *pendingHistory) RowsUsed(ctx context.Context, sheetID string, rows []int) (map[int]ledger.RowUse, error) {
	found, err := h.store.RowsUsed(ctx, sheetID, rows)
	if err != nil {
		return nil, err
	}
	for _, row := range rows {
		if use, ok := h.came[ledger.RowOrigin{SheetID: sheetID, Row: row}]; ok {
			found[row] = use
		}
	}
	return found, nil
}

// SheetBy implements validate.History.
func (h *pendingHistory) SheetBy(ctx context.Context, like ledger.Sheet) (ledger.Sheet, error) {
	sheet, err := h.store.SheetBy(ctx, like)
	return h.orPending(sheet, err, func(s ledger.Sheet) bool { return s.Content == like.Content || s.RowsHash == like.RowsHash })
}

// SheetUnderAnotherPrefix implements validate.History.
func (h *pendingHistory) SheetUnderAnotherPrefix(ctx context.Context, like ledger.Sheet) (ledger.Sheet, error) {
	sheet, err := h.store.SheetUnderAnotherPrefix(ctx, like)
	return h.orPending(sheet, err, func(s ledger.Sheet) bool {
		return s.RefPrefix != like.RefPrefix && (s.SHA256 == like.SHA256 && s.Tab == like.Tab || s.Bare() == like.Bare())
	})
}

// orPending looks in the sheets of this check for a sheet that the ledger does not have.
func (h *pendingHistory) orPending(sheet ledger.Sheet, err error, is func(ledger.Sheet) bool) (ledger.Sheet, error) {
	if h.notLoaded != "" {
		return ledger.Sheet{}, ledger.ErrNotFound // it would find itself
	}
	if i := slices.IndexFunc(h.sheets, is); i >= 0 && errors.Is(err, ledger.ErrNotFound) {
		return h.sheets[i], nil
	}
	return sheet, err
}

// Some implements ledger.Payees.
func (h *pendingHistory) Some(ctx context.Context) (bool, error) {
	some, err := h.Payees.Some(ctx)
	return some || len(h.paid) > 0, err
}

// PaidSince implements ledger.Payees. The sheets of this check count as loaded just now.
func (h *pendingHistory) PaidSince(ctx context.Context, payees []ledger.Payee, since time.Time, withUse bool) (map[ledger.Payee]ledger.ReferenceUse, error) {
	found, err := h.Payees.PaidSince(ctx, payees, since, withUse)
	if err != nil || len(h.paid) == 0 {
		return found, err
	}
	all := map[ledger.Payee]ledger.ReferenceUse{}
	for _, p := range payees {
		if use, ok := h.paid[foldedPayee(p)]; ok {
			all[p] = use
		} else if use, ok := found[p]; ok {
			all[p] = use
		}
	}
	return all, nil
}

// remember adds what loading the current sheet would have recorded.
func (h *pendingHistory) remember(s Sheet) {
	for _, p := range h.given {
		use := ledger.ReferenceUse{Ref: p.Ref, SheetID: s.Sheet.ID, SheetName: s.Sheet.Name, Row: p.Row, LoadedAt: s.Sheet.LoadedAt}
		h.uses[p.Key] = use
		use.State = ledger.PayoutPlanned
		h.paid[foldedPayee(p.Payee())] = use
		if p.From != nil {
			h.came[*p.From] = ledger.RowUse{ReferenceUse: use}
		}
	}
	for _, c := range s.Corrections {
		h.corrected[c.After.ID] = true
	}
	h.sheets = append(h.sheets, s.Sheet)
}

func foldedPayee(p ledger.Payee) ledger.Payee {
	return ledger.Payee{Account: p.ByNumber().Folded(), Amount: p.Amount}
}
