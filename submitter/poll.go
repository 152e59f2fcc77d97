package submitter

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"payrun/ledger"
)

// asideWatch is how long a batch that was set aside is polled: its submit may still arrive (safety.md, "Watch").
const asideWatch = 30 * 24 * time.Hour

// Poll reads once the status of the named batches, or of every open and watched one. With wait it repeats until
// all are final or wait has passed. It stops at the first 401 and at a local fault.
func (e *Engine) Poll(ctx context.Context, ids []string, wait time.Duration) ([]Result, error) {
	batches, err := e.pollable(ctx, ids)
	if err != nil {
		return nil, err
	}
	results, err := e.pollAll(ctx, batches, ledger.Patient)
	if err != nil || wait <= 0 {
		return results, err
	}
	return e.pollUntil(ctx, results, e.set.Now().Add(wait))
}

func (e *Engine) pollable(ctx context.Context, ids []string) ([]ledger.Batch, error) {
	batches, err := e.pick(ctx, ids, ledger.BatchesPolled[:]...)
	if err != nil || len(ids) > 0 {
		return batches, err
	}
	watched, err := e.store.Watched(ctx, e.set.Now().Add(-e.set.SuccessWatch), e.set.Now().Add(-max(asideWatch, e.set.SuccessWatch)))
	return append(batches, watched...), err
}

// pollAll reads each batch once, limits.requests_in_flight at a time, and returns the results in the order of
// batches. A misconfigured account number and rows that were changed by other means only stop the read of their
// own batches; the error says so at the end.
func (e *Engine) pollAll(ctx context.Context, batches []ledger.Batch, tries ledger.Patience) ([]Result, error) {
	results, own := make([]Result, len(batches)), make([]error, len(batches))
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(e.set.InFlight)
	for i, b := range batches {
		g.Go(func() (err error) {
			if gctx.Err() != nil {
				return gctx.Err()
			}
			results[i], err = e.pollOne(gctx, b, tries)
			if errors.Is(err, ErrAccountNumber) || errors.Is(err, ledger.ErrTampered) {
				own[i], err = err, nil
			}
			return err
		})
	}
	err := cmp.Or(g.Wait(), errors.Join(own...))
	return slices.DeleteFunc(results, func(r Result) bool { return r.Outcome == "" }), err
}

// pollUntil polls open batches repeatedly. The wait doubles while nothing changes, up to poll.most, and starts
// over after a change. A tenth of jitter keeps machines from asking at the same time.
func (e *Engine) pollUntil(ctx context.Context, results []Result, deadline time.Time) ([]Result, error) {
	for wait := e.set.PollFirst; ; {
		var open []string
		for _, r := range results {
			if r.Batch.State.Open() {
				open = append(open, r.Batch.ID)
			}
		}
		next := wait + rand.N(wait/10+1)
		if len(open) == 0 || e.set.Now().Add(next).After(deadline) {
			return results, nil
		}
		if e.Pausing != nil {
			e.Pausing(ctx, next)
		}
		if err := pause(ctx, next); err != nil {
			return results, err
		}
		batches, err := e.pick(ctx, open)
		if err != nil {
			return results, err
		}
		fresh, err := e.pollAll(ctx, batches, ledger.Patient)
		if err != nil {
			return results, err
		}
		wait = min(wait*2, max(e.set.PollMost, e.set.PollFirst))
		for i, r := range fresh {
			if !r.Batch.UpdatedAt.Equal(batches[i].UpdatedAt) {
				wait = e.set.PollFirst
			}
			replace(results, r)
		}
	}
}

// pollOne reads one batch and records what follows from it. Its errors are local faults and a 401.
func (e *Engine) pollOne(ctx context.Context, b ledger.Batch, tries ledger.Patience) (Result, error) {
	if b.State == ledger.BatchPlanned || b.State.InProgress() {
		return Result{Batch: b, Outcome: OutcomeUnchanged, Message: "nothing to ask the bank about: " + string(b.State)}, nil
	}
	attempts, err := e.attempts(ctx, b.ID)
	if err != nil {
		return Result{}, err
	}
	if b.State == ledger.BatchInitiateUnknown || b.State == ledger.BatchSubmitUnknown {
		if err := e.learnNotFound(ctx); err != nil {
			return Result{}, err
		}
	}
	read, err := e.hear(attempts).ReadStatus(ctx, b.ID, len(attempts), tries)
	if ctx.Err() != nil {
		return Result{}, ctx.Err()
	}
	if errors.Is(err, ledger.ErrUnauthorized) {
		return Result{Batch: b, Outcome: OutcomeUnauthorized, Message: "the bank refused the credentials"}, err
	}
	silent, localErr := e.silent(ctx, read, err)
	if localErr != nil {
		return Result{}, localErr
	}
	r, localErr := e.conclude(ctx, b, attempts, read, err)
	r.Silent = silent
	return r, localErr
}

// silent reports whether the bank gave no answer to a read. "Not known" in any form is an answer.
func (e *Engine) silent(ctx context.Context, read ledger.StatusRead, err error) (bool, error) {
	if err == nil {
		return !read.Complete && len(read.Payouts) == 0, nil
	}
	word, isWord := notFoundIn(read, err)
	if !isWord || word.HTTPStatus < http.StatusInternalServerError {
		return !isWord, nil
	}
	known, err := e.store.LastNotFoundReply(ctx)
	return word != known, err
}

// conclude records what follows from a read, or from a read that failed.
func (e *Engine) conclude(ctx context.Context, b ledger.Batch, attempts []ledger.Attempt, read ledger.StatusRead, err error) (Result, error) {
	if b.State == ledger.BatchInitiateUnknown {
		return e.doubtInitiate(ctx, b, attempts, e.classed(b.ID, attempts, read, err))
	}
	switch {
	case err != nil:
		return e.unread(ctx, b, "the bank gave no status: "+callFailed(err).Said())
	case len(read.Payouts) == 0 && read.Complete:
		return e.unread(ctx, b, "the bank's answer shows none of its payouts")
	case len(read.Payouts) == 0:
		return e.unread(ctx, b, "the status could not be read to its end: "+read.Why)
	}
	return e.observe(ctx, b, attempts, read) // what is shown counts, even if the read broke off
}

// unread: nothing follows from a read without payouts, except that time passes.
func (e *Engine) unread(ctx context.Context, b ledger.Batch, message string) (Result, error) {
	if b.State.Over() { // no more changes are expected, but the batch is still watched
		return Result{Batch: b, Outcome: string(b.State), Message: message}, nil
	}
	step := ledger.Step{BatchID: b.ID, From: b.State, At: e.set.Now(), Note: b.Note, Attention: b.Attention}
	e.overdue(b, &step)
	outcome := OutcomeUnread
	if b.State == ledger.BatchHeld { // the interface does not say that it lists batches before they are submitted
		outcome, message = OutcomeHeld, waitsFor(b)
	}
	return e.noted(ctx, b, step, outcome, message)
}
