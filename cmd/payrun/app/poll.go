package app

import (
	"context"
	"errors"
	"time"
)

// PollRequest names whose status is asked for.
type PollRequest struct {
	Batches []string      // none: every open one
	Wait    time.Duration // goes on asking until all are final or this has passed
}

// Poll asks the bank how the batches stand.
func (a *App) Poll(ctx context.Context, call Call, req PollRequest) (work *Work, err error) {
	err = a.write(ctx, call, func(o *operation) error {
		if req.Batches, err = o.batchIDs(ctx, req.Batches); err != nil {
			return err
		}
		if err := o.openBank(ctx); err != nil {
			return err
		}
		results, engine := o.poll(ctx, req.Batches, req.Wait)
		everywhere := len(req.Batches) == 0
		var waits error
		work, waits = o.done(ctx, results, concern{named: req.Batches, everywhere: everywhere, past: everywhere}, engine)
		return errors.Join(waits, notRead(results))
	})
	return work, err
}

func (o *operation) poll(ctx context.Context, named []string, wait time.Duration) ([]Result, error) {
	defer o.call.progress().Begin("asking the bank", "").End()
	return o.engine.Poll(ctx, named, wait)
}
