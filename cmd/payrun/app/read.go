package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"golang.org/x/sync/errgroup"

	"payrun/batcher"
	"payrun/ledger"
	"payrun/validate"
)

// readSheet checks one sheet. Rows are judged in one goroutine and kept in another,
// so that neither waits for the other longer than it must; only what packing
// needs of each payout stays in memory.
func (o *operation) readSheet(ctx context.Context, path string, options validate.Options, past validate.History, keep func([]validate.Accepted) error) (Sheet, error) {
	const chunksBetween = 4
	s := Sheet{Path: path, ledgerID: o.store.LedgerID(), pack: newPacking(int(o.set.Limits.PayoutsPerBatch))}
	reading := o.call.progress().Begin("reading "+path, "payouts")
	defer reading.End()
	chunks := make(chan []validate.Accepted, chunksBetween)
	g, gctx := errgroup.WithContext(ctx)
	var broke string // the panic of the first goroutine, with its stack: in this one a desk ends one request by it, and not itself
	g.Go(func() (err error) {
		defer close(chunks)
		defer func() {
			if p := recover(); p != nil {
				broke, err = fmt.Sprintf("%v\n%s", p, debug.Stack()), errors.New("panic")
			}
		}()
		s.Result, err = validate.Check(gctx, path, options, past, func(payouts []validate.Accepted) error {
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
					group = s.pack.group(o.groupOf(&p.Payout))
					groups[said] = group
				}
				s.pack.add(group, p.BeneLEI, p.Amount, p.Priority, p.LikeLocked)
			}
			if err := keep(payouts); err != nil {
				return err
			}
			reading.Add(len(payouts))
		}
		return nil
	})
	err := g.Wait()
	if broke != "" {
		panic(broke)
	}
	if err != nil {
		return s, badSheet(cmp.Or(options.Name, filepath.Base(path)), err)
	}
	o.packCorrections(&s)
	return s, nil
}

// makePlan plans the batches of what was read.
func (s *Sheet) makePlan() (err error) {
	s.pack.without(s.Withdrawn)
	if s.plan, err = s.pack.plan(); err != nil {
		return fmt.Errorf("planning the batches of %s: %w", s.Path, err)
	}
	s.pack = nil
	for i := range s.again {
		if err := s.again[i].makePlan(); err != nil {
			return fmt.Errorf("planning what %s corrects: %w", s.Path, err)
		}
	}
	return nil
}

func (o *operation) groupOf(p *ledger.Payout) batcher.Group {
	a, _ := o.set.Account(p.BankAccountID)
	return batcher.Group{
		BankAccountID: p.BankAccountID, PartnerBankID: a.PartnerBankID, Kind: a.Kind,
		SubMerchantID: p.SubMerchantID, TransactionTypeID: p.TransactionTypeID,
	}
}

// badSheet tells what is wrong with an option and not with the sheet.
func badSheet(name string, err error) error {
	u, ok := errors.AsType[*validate.UsageError](err)
	if !ok {
		return err
	}
	e := Fail(Usage, "%s: %s", ledger.Plain(name), u.Why).Because(err)
	e.Option = u.Option
	return e
}
