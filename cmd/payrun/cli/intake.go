package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"payrun/batcher"
	"payrun/ledger"
	"payrun/validate"
)

// intake is one sheet as it was read, judged and planned.
type intake struct {
	path string
	validate.Result
	pack   *packing
	plan   batcher.Plan
	loaded []ledger.Batch // nil when nothing was loaded

	rejected string // path of the sheet of the rows left out; "" when there is none
}

// gcPercent keeps the heap near what is in use while a sheet streams through:
// a million rows leave much garbage behind and keep little.
const gcPercent = 40

// read checks one sheet. Rows are judged in one goroutine and kept in another,
// so that neither waits for the other longer than it must; only what packing
// needs of each payout stays in memory.
func (d *desk) read(ctx context.Context, path string, o validate.Options, past validate.History, keep func([]validate.Accepted) error) (intake, error) {
	const chunksBetween = 4
	in := intake{path: path, pack: newPacking(int(d.set.Limits.PayoutsPerBatch))}
	count, done := d.term.Counting("reading "+path, "payouts")
	defer done()
	chunks := make(chan []validate.Accepted, chunksBetween)
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) {
		defer close(chunks)
		in.Result, err = validate.Check(gctx, path, o, past, func(payouts []validate.Accepted) error {
			select {
			case chunks <- payouts:
				return nil
			case <-gctx.Done():
				return gctx.Err()
			}
		})
		return err
	})
	g.Go(func() error {
		groups := map[[3]string]int32{} // by what a payout says of its group
		for payouts := range chunks {
			for i := range payouts {
				p := &payouts[i]
				said := [...]string{p.BankAccountID, p.SubMerchantID, p.TransactionTypeID}
				group, ok := groups[said]
				if !ok {
					group = in.pack.group(d.groupOf(&p.Payout))
					groups[said] = group
				}
				in.pack.add(group, p.BeneLEI, p.Amount)
			}
			if err := keep(payouts); err != nil {
				return err
			}
			count.Add(len(payouts))
		}
		return nil
	})
	if err := g.Wait(); err != nil {
		return in, badSheet(err)
	}
	return in, nil
}

// makePlan plans the batches of what was read.
func (in *intake) makePlan() (err error) {
	in.pack.without(in.Withdrawn)
	if in.plan, err = batcher.Make(in.pack.input()); err != nil {
		return fmt.Errorf("planning the batches of %s: %w", in.path, err)
	}
	in.pack = nil
	return nil
}

func (d *desk) groupOf(p *ledger.Payout) batcher.Group {
	a, _ := d.set.Account(p.BankAccountID)
	return batcher.Group{
		BankAccountID: p.BankAccountID, PartnerBankID: a.PartnerBankID, Kind: a.Kind,
		SubMerchantID: p.SubMerchantID, TransactionTypeID: p.TransactionTypeID,
	}
}

// badSheet words what is wrong with the flags and not with the sheet.
func badSheet(err error) error {
	if errors.Is(err, validate.ErrUsage) {
		return usage("%v", err).because(err)
	}
	return err
}

// dryRun reads a sheet and records nothing. Where more sheets follow, past
// remembers what loading this one would have recorded.
func (d *desk) dryRun(ctx context.Context, path string, o validate.Options, past *earlier, skipBad, more bool) (intake, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	var given []validate.Accepted
	in, err := d.read(ctx, path, o, past, func(payouts []validate.Accepted) error {
		if more {
			given = append(given, payouts...)
		}
		return nil
	})
	if err == nil {
		err = in.makePlan()
	}
	if err == nil && (!in.Refused() || skipBad && !in.FileRefused()) {
		in.Sheet.LoadedAt = d.world.Now()
		past.remember(in, given)
	}
	return in, err
}

// load reads a sheet once, recording payouts as they come, and commits or
// rolls back when it is known whole. With skipBad a second pass leaves out
// what the first had recorded before it turned out to be bad.
func (d *desk) load(ctx context.Context, path string, o validate.Options, skipBad bool) (intake, error) {
	if err := d.store.IndexPayees(ctx); err != nil {
		return intake{path: path}, err
	}
	in, err := d.loadOnce(ctx, path, o, skipBad)
	if err != nil || !skipBad || len(in.Withdrawn) == 0 || in.AlreadyLoaded || in.FileRefused() {
		return in, err
	}
	o.Exclude = make(map[int]bool, len(in.RejectedRows))
	for _, row := range in.RejectedRows {
		o.Exclude[row] = true
	}
	again, err := d.loadOnce(ctx, path, o, skipBad)
	if err == nil && again.Sheet.SHA256 != in.Sheet.SHA256 {
		err = fmt.Errorf("%s changed while it was read; nothing of it was loaded", path)
	}
	return again, err
}

// loadOnce is one pass. It commits when the sheet may be loaded as it was read.
func (d *desk) loadOnce(ctx context.Context, path string, o validate.Options, skipBad bool) (in intake, err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(gcPercent))
	l, err := d.store.BeginLoad(ctx)
	if err != nil {
		return in, err
	}
	defer func() { err = errors.Join(err, l.Rollback()) }() // nothing after a commit
	o.Copy = l.Contents(readingOf(o))
	if in, err = d.read(ctx, path, o, d.store, l.Add); err != nil {
		return in, err
	}
	loadable := in.loadable(skipBad)
	var g errgroup.Group
	g.Go(in.makePlan)
	if loadable {
		g.Go(l.Last) // the last payouts are inserted while it plans
	}
	if err := g.Wait(); err != nil || !loadable {
		return in, err
	}
	left, err := d.rejectedSheet(ctx, in, o)
	if err != nil {
		return in, err
	}
	defer left.Discard()
	sheet := in.Sheet
	sheet.LoadedAt, sheet.LoadedBy = d.world.Now(), d.set.Actor
	if in.loaded, err = l.Commit(sheet, in.plan.Batches); err != nil {
		return in, err
	}
	in.rejected, err = d.keepRejected(in, left)
	return in, err
}

// loadable reports whether what was read can be committed as it is.
func (in intake) loadable(skipBad bool) bool {
	switch {
	case in.AlreadyLoaded, in.FileRefused(), len(in.Withdrawn) > 0, in.Sheet.Accepted.Count == 0:
		return false
	case in.Refused():
		return skipBad
	}
	return true
}
