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

// Abandon gives up a batch that was never submitted. The bank is asked first,
// where it may know the batch.
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
			return Fail(Usage, "%v", err).Because(err).Then(Say("only a batch that was never submitted can be abandoned"))
		}
		if err != nil {
			return err
		}
		again, err := o.store.Retryable(ctx, req.Batch)
		if err != nil {
			return err
		}
		if len(again) > 0 { // none where an earlier attempt is disputed
			work.Next = []Hint{Do("retry", req.Batch).First("Its payouts can be planned again.")}
		}
		return o.attention(ctx, concern{named: []string{req.Batch}})
	})
	return work, err
}
