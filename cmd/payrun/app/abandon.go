package app

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"payrun/ledger"
)

// AbandonRequest names batches to abandon.
type AbandonRequest struct {
	Batches         []string
	Sheet           string           // replaces Batches: the planned and held batches of this sheet
	Reason          string           // written by the person; kept in the audit trail
	ReviewedBatches *ReviewedBatches // replaces Batches, and says what was shown of them
}

// Abandon cancels batches that were never submitted, or records that a person dealt with refused ones.
// It first asks the bank about a batch that the bank may know. A batch that cannot be abandoned does
// not stop the others.
func (a *App) Abandon(ctx context.Context, call Call, req AbandonRequest) (work *Work, err error) {
	err = a.decide(ctx, call, nil, func(o *operation) error {
		chosen, err := o.toAbandon(ctx, req)
		if err == nil {
			err = o.mayGiveUp(ctx, chosen)
		}
		if err != nil {
			return err
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		var failed error
		for _, b := range chosen {
			if ctx.Err() != nil {
				break
			}
			result, again, err := o.abandon(ctx, b, req.Reason)
			if result.Outcome != "" || err == nil {
				work = cmp.Or(work, &Work{})
				work.Results = append(work.Results, result)
				work.Next = append(work.Next, again...)
			}
			failed = errors.Join(failed, err)
		}
		if failed != nil {
			return failed
		}
		return o.attention(ctx, scope{named: ids(chosen)})
	})
	return work, err
}

// toAbandon returns the batches of the request.
func (o *operation) toAbandon(ctx context.Context, req AbandonRequest) ([]ledger.Batch, error) {
	if req.Sheet == "" {
		named, err := o.named(ctx, req.Batches, req.ReviewedBatches)
		if errors.Is(err, ledger.ErrNotFound) {
			return nil, Worst(err).Then(Say("to abandon all batches of a sheet, name it with --sheet"))
		}
		if err != nil {
			return nil, err
		}
		return o.batches(ctx, named)
	}
	id, err := o.sheetID(ctx, req.Sheet)
	if err != nil {
		return nil, err
	}
	all, err := o.store.Batches(ctx, ledger.Filter{SheetID: id})
	chosen := slices.DeleteFunc(all, func(b ledger.Batch) bool { return b.State != ledger.BatchPlanned && b.State != ledger.BatchHeld })
	if err == nil && len(chosen) == 0 {
		err = Fail(Usage, "no batch of sheet %s is planned or held; nothing was cancelled", id).Then(Do("status").Which("shows their states"))
	}
	return chosen, err
}

// abandon abandons one batch, and says which of its payouts can be planned again.
func (o *operation) abandon(ctx context.Context, b ledger.Batch, reason string) (Result, []Hint, error) {
	result, err := o.engine.Abandon(ctx, b.ID, reason)
	if errors.Is(err, ledger.ErrTransition) {
		why := "only a batch that was never submitted can be abandoned"
		if result.Batch.State == ledger.BatchAbandoned {
			why = "nothing was done"
		}
		not := Fail(Usage, "batch %s is %s; %s", result.Batch.ID, ledger.Lowered(result.Batch.State.Words()), why).Because(err).
			Then(Do("status", result.Batch.ID).Which("shows its state"))
		err = errors.Join(not, o.attention(ctx, scope{})) // a doubt counts
	}
	if err != nil {
		return result, nil, err
	}
	again, err := o.againAfter(ctx, result.Batch)
	return result, again, err
}

// againAfter says which payouts of an abandoned batch can be planned again, with the command, and
// which are locked or paid.
func (o *operation) againAfter(ctx context.Context, b ledger.Batch) ([]Hint, error) {
	again, locks, err := o.store.Retryable(ctx, b.ID)
	if err != nil || b.State != ledger.BatchAbandoned {
		return nil, err
	}
	left := b.Count - len(again)
	switch {
	case left == 0 && b.Refusal != "":
		return []Hint{
			Say("The bank had refused it (%s). If it says that a reference is used, someone has sent it before. Find out why first.", b.Refusal),
			Do("retry", b.ID).First("Then its payouts can be planned again."),
		}, nil
	case left == 0:
		return []Hint{Do("retry", b.ID).First("If its payouts are to be paid after all").Which("plans them again")}, nil
	case len(locks) > 0 && len(again) == 0:
		return []Hint{Say("None of its payouts can be planned again: each is locked, because %s", locks[0].Saw())}, nil
	}
	return []Hint{
		Say("%s cannot be planned again: each is locked or paid.", ledger.CountedPayouts(left)),
		Do("retry", b.ID).First("If the others are to be paid after all").Which("plans %s again", ledger.CountedPayouts(len(again))),
	}, nil
}
