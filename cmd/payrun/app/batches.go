package app

import (
	"context"
	"errors"
	"slices"
	"time"

	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/submitter"
)

// Result is the state of one batch after a use case, and what happened to it.
type Result = submitter.Result

// Outcomes are results as documents have them; never null.
func Outcomes(results []Result) []doc.Outcome {
	list := []doc.Outcome{}
	for _, r := range results {
		list = append(list, doc.Outcome{ID: r.Batch.ID, State: r.Batch.State, Outcome: r.Outcome, Message: ledger.Plain(r.Message)})
	}
	return list
}

// OTP is what a person entered, or a file or a program gave, for one batch.
type OTP = submitter.OTP

// Work is the result of a use case that works on batches.
type Work struct {
	Results     []Result
	Funds       []AccountFunds // as they were before; nil where the bank was not asked
	Next        []Hint         // where nothing is waited for; empty when nothing is left to do
	Locks       []ledger.Lock  // of payouts that must not be paid again, gravest first
	From, Until time.Time      // of a release: when the second person may say the same
}

// batch reads one batch that a person named.
func (o *operation) batch(ctx context.Context, word string) (ledger.Batch, error) {
	found, err := o.batches(ctx, []string{word})
	if err != nil {
		return ledger.Batch{}, err
	}
	return found[0], nil
}

// batches reads the batches that a person named, each once.
func (o *operation) batches(ctx context.Context, named []string) (found []ledger.Batch, err error) {
	whole, err := o.batchIDs(ctx, named)
	if err != nil {
		return nil, err
	}
	known := map[string]bool{}
	return o.batchesByID(ctx, slices.DeleteFunc(whole, func(id string) bool {
		again := known[id]
		known[id] = true
		return again
	}))
}

func (o *operation) batchesByID(ctx context.Context, ids []string) (found []ledger.Batch, err error) {
	for _, id := range ids {
		b, err := o.store.Batch(ctx, id)
		if err != nil {
			return nil, err
		}
		found = append(found, b)
	}
	return found, nil
}

// done ends a use case that worked on batches: the engine's results and error, then what waits for a
// person. Work is nil if nothing was begun.
func (o *operation) done(ctx context.Context, results []Result, c scope, engine error) (*Work, error) {
	ctx = context.WithoutCancel(ctx) // what waits is said after an interruption too
	var work *Work
	if len(results) > 0 || engine == nil {
		work = &Work{Results: results, Funds: o.funding.first}
	}
	err := errors.Join(engineFailed(engine), unanswered(results), o.attention(ctx, c))
	if err != nil {
		return work, err
	}
	planned, err := o.store.BatchesIn(ctx, ledger.BatchPlanned)
	work.Next = o.nextOfPlanned(planned)
	return work, err
}

// acted lists the batches that something happened to.
func acted(results []Result) []string {
	var out []string
	for _, r := range results {
		out = append(out, r.Batch.ID)
	}
	return out
}
