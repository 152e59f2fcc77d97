package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"payrun/batcher"
	"payrun/ledger"
	"payrun/validate"
)

// readSheet checks one sheet. Only what packing needs of each payout stays in memory.
func (o *operation) readSheet(ctx context.Context, path string, options validate.Options, past validate.History, keep func([]validate.Accepted) error) (Sheet, error) {
	s := Sheet{Path: path, ledgerID: o.store.LedgerID(), pack: newPacking(int(o.set.Limits.PayoutsPerBatch))}
	reading := o.call.progress().Begin("reading "+path, "payouts")
	defer reading.End()
	groups := map[[3]string]int32{} // by what a payout says of its group
	var err error
	s.Result, err = validate.Check(ctx, path, options, past, func(payouts []validate.Accepted) error {
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
		reading.Add(len(payouts))
		return keep(payouts)
	})
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
