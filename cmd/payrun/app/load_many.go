package app

import (
	"context"
	"errors"

	"payrun/ledger"
	"payrun/reports/resultsheet"
	"payrun/validate"
)

// loadTogether loads sheets that were checked, in one transaction: all of them or
// none. Each is read again as it was for the check, and one whose bytes are others by
// now ends it. Then sheets tell what is loaded, and left which rows were left out.
func (o *operation) loadTogether(ctx context.Context, sheets []*Sheet, so SheetOptions) (left, err error) {
	if len(sheets) == 0 {
		return nil, nil
	}
	paths := make([]string, len(sheets))
	for i, s := range sheets {
		paths[i] = s.Path
	}
	l, err := o.store.BeginLoad(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Rollback()) }() // nothing after a commit
	past := newPendingHistory(o.store)                      // the ledger does not tell of what is not committed
	loaded := make([]Sheet, len(sheets))
	aside := make([]*resultsheet.RejectedSheet, len(sheets))
	var batches []ledger.Batch
	for i, checked := range sheets {
		last := i == len(sheets)-1
		s := &loaded[i]
		*s, aside[i], err = o.readAgain(ctx, l, checked, so, past, !last)
		defer aside[i].Discard()
		if err != nil {
			return nil, err
		}
		if last {
			batches, err = l.Commit(s.Sheet, s.plan.Batches)
		} else {
			err = l.Next(s.Sheet, s.plan.Batches)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range loaded {
		s := &loaded[i]
		n := s.OTPs()
		s.Loaded, batches = batches[:n:n], batches[n:]
		var keepErr error
		s.RejectedPath, keepErr = o.keepRejected(*s, aside[i], so.giveBack(s.Path))
		if err = errors.Join(err, keepErr); s.Refused() {
			left = errors.Join(left, s.refusal(so.SkipBad))
		}
		*sheets[i] = *s
	}
	return left, err
}

// readAgain reads a sheet that was checked into a load. Where more sheets follow, past
// remembers what it brings. Its error says why it cannot be loaded after all.
func (o *operation) readAgain(ctx context.Context, l ledger.Load, checked *Sheet, so SheetOptions, past *pendingHistory, more bool) (Sheet, *resultsheet.RejectedSheet, error) {
	options := checked.options
	options.ExpectSHA256 = checked.Sheet.SHA256
	var given []validate.Accepted
	s, aside, err := o.readInto(ctx, l, checked.Path, options, so, past, func(payouts []validate.Accepted) error {
		if more {
			given = append(given, payouts...)
		}
		return l.Add(payouts)
	})
	_, otherRows := errors.AsType[*validate.OriginError](err)
	switch {
	case otherRows, err == nil && s.Sheet.SHA256 != checked.Sheet.SHA256:
		err = Fail(SheetRefused, "%s changed after it was checked; nothing was loaded", checked.Sheet.Name).Then(Do("check", checked.Path))
	case err == nil && !s.loadable(so.SkipBad):
		err = s.refusal(so.SkipBad)
	case err == nil && more:
		past.remember(s, given)
	}
	return s, aside, err
}
