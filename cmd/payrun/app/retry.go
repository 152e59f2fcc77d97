package app

import (
	"context"
	"errors"

	"payrun/batcher"
	"payrun/ledger"
)

// Retry plans new attempts for the payouts of a sheet or batch that failed,
// came back or were cancelled. Nothing is sent. Work without results: there was
// nothing to retry.
func (a *App) Retry(ctx context.Context, call Call, sheetOrBatch string) (work *Work, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		planned, err := o.retry(ctx, sheetOrBatch)
		if err != nil {
			return err
		}
		work = &Work{}
		for _, b := range planned {
			work.Results = append(work.Results, Result{Batch: b, Outcome: string(ledger.BatchPlanned), Message: b.Reason})
		}
		const few = 3
		switch n := len(planned); {
		case n > few:
			work.Next = []Hint{Do("initiate", "--all")}
		case n > 0:
			work.Next = []Hint{Do(append([]string{"initiate"}, ids(planned)...)...)}
		}
		return o.attention(ctx, concern{})
	})
	return work, err
}

func (o *operation) retry(ctx context.Context, sheetOrBatch string) ([]ledger.Batch, error) {
	attempts, err := o.store.Retryable(ctx, sheetOrBatch)
	if errors.Is(err, ledger.ErrNotFound) {
		return nil, Fail(Usage, "there is no sheet and no batch %q; nothing was planned", ledger.Plain(sheetOrBatch)).Because(err).
			Then(Do("sheets").Which("and payrun status list them"))
	}
	if err != nil || len(attempts) == 0 {
		return nil, err
	}
	plan, err := o.planRetry(ctx, attempts)
	if err != nil {
		return nil, err
	}
	return o.store.PlanRetry(ctx, o.call.Actor, o.env.Now(), attempts, plan.Batches)
}

// planRetry packs the attempts under the debit accounts that they had. What an
// account is says today's configuration, where it has it: it was wrong before,
// perhaps, and is mended.
func (o *operation) planRetry(ctx context.Context, attempts []ledger.Attempt) (batcher.Plan, error) {
	in := newPacking(int(o.set.Limits.PayoutsPerBatch))
	groups := map[string]int32{} // by batch
	for _, at := range attempts {
		group, ok := groups[at.BatchID]
		if !ok {
			b, err := o.store.Batch(ctx, at.BatchID)
			if err != nil {
				return batcher.Plan{}, err
			}
			bank, kind := o.configured(b)
			group = in.group(batcher.Group{
				BankAccountID: b.BankAccountID, PartnerBankID: bank, Kind: kind,
				SubMerchantID: b.SubMerchantID, TransactionTypeID: b.TransactionTypeID,
			})
			groups[at.BatchID] = group
		}
		in.add(group, at.BeneLEI, at.Amount)
	}
	return batcher.Make(in.input())
}

// configured is what the batch's debit account is by today's configuration, and
// says so where that is not what the batch was planned for.
func (o *operation) configured(b ledger.Batch) (partnerBank int, kind ledger.AccountKind) {
	a, found := o.set.Account(b.BankAccountID)
	if !found || a.PartnerBankID == b.PartnerBankID && a.Kind == b.Kind {
		return b.PartnerBankID, b.Kind
	}
	o.warn("batch %s was planned for partner bank %d, and the configuration now says %d for %s: its payouts are planned anew for that one",
		b.ID, b.PartnerBankID, a.PartnerBankID, ledger.Plain(a.Name))
	return a.PartnerBankID, a.Kind
}
