package app

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"payrun/ledger"
	"payrun/validate"
)

// Loaded is what was read, and what of it was loaded.
type Loaded struct {
	Sheets []Sheet
	Next   []Hint
}

// Load checks sheets and records their payouts and planned batches, each sheet in
// one transaction: all rows or none, unless bad rows are skipped. The error says
// what was refused or left out. Load also returns what it read before the error.
func (a *App) Load(ctx context.Context, call Call, paths []string, o SheetOptions) (loaded Loaded, err error) {
	if err := given(paths...); err != nil {
		return loaded, err
	}
	err = a.decide(ctx, call, loaders, func(op *operation) error {
		var refused refusals
		var planned []ledger.Batch
		for _, path := range paths {
			s, err := op.load(ctx, path, o)
			if err != nil {
				return refused.with(err)
			}
			loaded.Sheets, planned = append(loaded.Sheets, s), append(planned, s.Loaded...)
			if s.Loaded == nil || s.Refused() {
				refused.add(&s, o.SkipBad)
			}
		}
		loaded.Next = op.nextOfNew(planned)
		for _, e := range refused.all {
			if e.Code == RowsLeftOut { // the others were loaded
				e.Then(loaded.Next...)
			}
		}
		return refused.with(nil)
	})
	return loaded, err
}

// load reads a sheet and records payouts as they come. At the end of the sheet it commits or rolls back.
func (o *operation) load(ctx context.Context, path string, so SheetOptions) (Sheet, error) {
	if err := o.store.IndexPayees(ctx, validate.FoldName, unindexed(path)); err != nil {
		return Sheet{Path: path}, err
	}
	options, err := o.optionsNow(ctx, so)
	if err != nil {
		return Sheet{Path: path}, err
	}
	return o.inPasses(ctx, options, true, func(options validate.Options) (Sheet, error) { return o.loadOnce(ctx, path, options, so) })
}

// unindexed returns how many recorded payouts may be missing in the index of payees while sheets
// are loaded: about as many as the smallest sheet has rows. Marking a payout in memory costs a
// fraction of indexing it, and less than loading a row.
func unindexed(paths ...string) int {
	const bytesPerRow = 64
	behind := int64(1 << 20)
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return 0 // reading it will report the error
		}
		behind = min(behind, info.Size()/bytesPerRow)
	}
	return int(behind)
}

// loadOnce is one pass. It commits if the sheet may be loaded as it was read.
func (o *operation) loadOnce(ctx context.Context, path string, options validate.Options, so SheetOptions) (s Sheet, err error) {
	l, err := o.store.BeginLoad(ctx)
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, l.Rollback()) }() // does nothing after a commit
	s, err = o.readInto(ctx, l, path, options, so, newPendingHistory(o.store))
	defer s.left.Discard()
	if err != nil || !s.loadable(so.SkipBad) {
		return s, err
	}
	if s.Loaded, err = l.Commit(s.Sheet, s.plans[0].plan.Batches); err != nil {
		return s, err
	}
	err = o.keepRejected(&s, so)
	return s, err
}

// readInto reads a sheet into a load. If the sheet is loadable, the caller ends it there, and discards s.left.
func (o *operation) readInto(ctx context.Context, l ledger.Load, path string, options validate.Options, so SheetOptions, past *pendingHistory) (s Sheet, err error) {
	options.Copy = l.Contents()
	if s, err = o.readSheet(ctx, path, options, past, l.Add); err != nil {
		return s, err
	}
	if so.agreed != nil && len(s.Withdrawn) == 0 { // if some are withdrawn, another pass follows
		if err := so.agreed(&s); err != nil {
			return s, err
		}
	}
	if !s.loadable(so.SkipBad) {
		return s, nil
	}
	if s.left, err = o.rejectedSheet(ctx, s, options, so.rejectedFolders(path)); err != nil {
		return s, err
	}
	s.Sheet.LoadedAt, s.Sheet.LoadedBy = o.env.Now(), o.call.Actor
	// The columns are recorded as they are configured now, because the configuration may change.
	l.ReadAs(ledger.ReadOptions{Encoding: options.Encoding, HiddenRows: options.HiddenRows, Columns: s.Columns})
	switch {
	case s.Keep != nil:
		l.KeepColumns(s.HeaderSHA256, s.Keep)
	case s.Forgets():
		l.KeepColumns(s.HeaderSHA256, nil)
	}
	for _, p := range s.plans[1:] {
		if err := l.Correct(p.corrected, p.plan.Batches); err != nil {
			return s, fmt.Errorf("correcting payouts by %s: %w", s.Path, err)
		}
	}
	return s, nil
}

// rejectedFolders returns the folders for the left-out rows; the first that can be written
// is used. None if the rows are requested later.
func (o SheetOptions) rejectedFolders(path string) []string {
	if o.GiveBackLater {
		return nil
	}
	if o.GiveBack != "" {
		return []string{o.GiveBack}
	}
	return []string{filepath.Dir(path), "."}
}

// loadTogether loads checked sheets in one transaction: all of them or none. It reads each
// again as in the check, and fails if the bytes of one have changed. Then sheets say what is
// loaded, and left says which rows were left out.
func (o *operation) loadTogether(ctx context.Context, sheets []*Sheet, so SheetOptions) (left, err error) {
	if len(sheets) == 0 {
		return nil, nil
	}
	l, err := o.store.BeginLoad(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, l.Rollback()) }() // does nothing after a commit
	past := newPendingHistory(o.store)                      // the ledger does not show what is not committed
	loaded := make([]Sheet, len(sheets))
	var batches []ledger.Batch
	for i, checked := range sheets {
		past.more = i < len(sheets)-1
		s := &loaded[i]
		*s, err = o.readAgain(ctx, l, checked, so, past)
		defer s.left.Discard()
		if err != nil {
			return nil, err
		}
		if past.more {
			err = l.Next(s.Sheet, s.plans[0].plan.Batches)
		} else {
			batches, err = l.Commit(s.Sheet, s.plans[0].plan.Batches)
		}
		if err != nil {
			return nil, err
		}
	}
	for i := range loaded {
		s := &loaded[i]
		n := s.OTPs()
		s.Loaded, batches = batches[:n:n], batches[n:]
		if err = errors.Join(err, o.keepRejected(s, so)); s.Refused() {
			left = errors.Join(left, s.refusal(so.SkipBad))
		}
		*sheets[i] = *s
	}
	return left, err
}

// readAgain reads a checked sheet into a load. past remembers its payouts. The error says why the
// sheet cannot be loaded after all.
func (o *operation) readAgain(ctx context.Context, l ledger.Load, checked *Sheet, so SheetOptions, past *pendingHistory) (Sheet, error) {
	options := checked.options
	options.ExpectSHA256 = checked.Sheet.SHA256
	s, err := o.readInto(ctx, l, checked.Path, options, so, past)
	_, otherRows := errors.AsType[*validate.OriginError](err)
	switch {
	case otherRows, err == nil && s.Sheet.SHA256 != checked.Sheet.SHA256:
		err = Fail(SheetRefused, "%s changed after it was checked; nothing was loaded", checked.Sheet.Name).Then(Do("check", checked.Path))
	case err == nil && !s.loadable(so.SkipBad):
		err = s.refusal(so.SkipBad)
	case err == nil:
		past.remember(s)
	}
	return s, err
}
