package app

import (
	"context"

	"payrun/validate"
)

// Check reads and judges sheets and plans their batches, and records nothing.
// Of several sheets it says what loading them in this order would do. The
// error tells which would be refused; what was read before comes with it.
func (a *App) Check(ctx context.Context, call Call, paths []string, o SheetOptions) ([]Sheet, error) {
	if err := given(paths...); err != nil {
		return nil, err
	}
	var sheets []Sheet
	err := a.readOwn(ctx, call, func(op *operation) error {
		var refused refusals
		past := newPendingHistory(op.store)
		for i, path := range paths {
			s, err := op.dryRun(ctx, path, o, past, i < len(paths)-1)
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

// dryRun reads a sheet and records nothing. Where more sheets follow, past
// remembers what loading this one would have recorded.
func (o *operation) dryRun(ctx context.Context, path string, so SheetOptions, past *pendingHistory, more bool) (Sheet, error) {
	options, err := o.optionsNow(ctx, so)
	if err != nil {
		return Sheet{Path: path}, err
	}
	var given []validate.Accepted
	s, err := o.dryRunOf(ctx, path, options, past, func(payouts []validate.Accepted) error {
		if more {
			given = append(given, payouts...)
		}
		return nil
	})
	if err == nil && (!s.Refused() || so.SkipBad && !s.FileRefused()) {
		past.remember(s, given)
	}
	return s, err
}

// dryRunOf is one pass: it shows see what is read, and past remembers nothing of it.
func (o *operation) dryRunOf(ctx context.Context, path string, options validate.Options, past validate.History, see func([]validate.Accepted) error) (Sheet, error) {
	s, err := o.readSheet(ctx, path, options, past, see)
	if options, err = o.asOrigin(ctx, options, err); err == nil && options.Origin != nil {
		s, err = o.readSheet(ctx, path, options, past, see)
	}
	if err == nil {
		err = s.makePlan()
	}
	s.Sheet.LoadedAt, s.options = o.env.Now(), options
	return s, err
}
