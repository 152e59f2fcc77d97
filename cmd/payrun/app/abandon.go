package app

import (
	"context"
	"errors"

	"payrun/ledger"
)

// AbandonRequest gives up one batch.
type AbandonRequest struct {
	Batch  string
	Reason string // a person's; kept in the audit trail
}

// Abandon gives up a batch that was never submitted, or records that a refused
// one is dealt with. The bank is asked first, where it may know the batch.
func (a *App) Abandon(ctx context.Context, call Call, req AbandonRequest) (work *Work, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		if _, err := o.batch(ctx, req.Batch); err != nil {
			return err
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		result, err := o.engine.Abandon(ctx, req.Batch, req.Reason)
		if result.Outcome != "" || err == nil {
			work = &Work{Results: []Result{result}}
		}
		if errors.Is(err, ledger.ErrTransition) {
			return Fail(Usage, "batch %s is %s; only a batch that was never submitted can be abandoned", result.Batch.ID, result.Batch.State).Because(err).
				Then(Do("status").Which("shows how it stands"))
		}
		if err != nil {
			return err
		}
		if work.Next, err = o.againAfter(ctx, result.Batch); err != nil {
			return err
		}
		return o.attention(ctx, concern{named: []string{req.Batch}})
	})
	return work, err
}

// againAfter says which payouts of a batch that was given up can be planned
// again: none of which an earlier attempt is disputed.
func (o *operation) againAfter(ctx context.Context, b ledger.Batch) ([]Hint, error) {
	again, err := o.store.Retryable(ctx, b.ID)
	if err != nil || b.State != ledger.BatchAbandoned {
		return nil, err
	}
	left := b.Count - len(again)
	switch {
	case left == 0 && b.Refusal != "":
		return []Hint{
			Say("The bank had answered no (%s): a reference that it calls used has been sent by someone before. Find out, and remove the cause.", b.Refusal),
			Do("retry", b.ID).First("Then its payouts can be planned again."),
		}, nil
	case left == 0:
		return []Hint{Do("retry", b.ID).First("Its payouts can be planned again.")}, nil
	case len(again) == 0:
		return []Hint{Say("None of its payouts can be planned again: an earlier attempt of each may have paid."), listDisputes()}, nil
	}
	return []Hint{
		Say("%s can not be planned again: an earlier attempt may have paid.", ledger.CountedPayouts(left)), listDisputes(),
		Do("retry", b.ID).First("%s can be planned again.", ledger.CountedPayouts(len(again))),
	}, nil
}
