package app

import (
	"context"
	"slices"

	"payrun/ledger"
	"payrun/submitter"
)

// readAhead is a store that has read the facts about the batches of a whole sheet at once: one query
// for each of many batches takes far longer. It is for use cases that only read, or while they only
// read.
type readAhead struct {
	store
	attempts map[string][]ledger.Attempt      // by batch
	events   map[string][]ledger.Event        // the same
	consents map[string]ledger.ApprovalStatus // the same
}

// fewPayouts is the average number of payouts a batch up to which the attempts of a sheet are read
// ahead. With more of them a query for each batch costs little compared with its payouts, and a large
// sheet must not be in memory whole.
const fewPayouts = 20

// ahead reads the facts about these batches, which are some of the filter's. For few of them it reads
// consents and attempts when they are needed.
func (o *operation) ahead(ctx context.Context, f ledger.Filter, batches []ledger.Batch) (r readAhead, err error) {
	r = readAhead{o.store, map[string][]ledger.Attempt{}, map[string][]ledger.Event{}, nil}
	if len(batches) <= fewBatches {
		for _, b := range batches {
			if r.events[b.ID], err = o.eventsOf(ctx, b.ID); err != nil {
				return r, err
			}
		}
		return r, nil
	}
	payouts := 0
	for _, b := range batches {
		payouts += b.Count
		r.events[b.ID] = nil
	}
	f.Attempts = true
	if payouts <= fewPayouts*len(batches) {
		err = o.store.EachPayout(ctx, f, func(a ledger.Attempt) error {
			r.attempts[a.BatchID] = append(r.attempts[a.BatchID], a)
			return nil
		})
		if err != nil {
			return r, err
		}
	}
	err = o.store.EventsOf(ctx, f, func(e ledger.Event) error {
		if of, asked := r.events[e.BatchID]; asked {
			r.events[e.BatchID] = append(of, e)
		}
		return nil
	})
	if err != nil {
		return r, err
	}
	r.consents, err = o.store.Consents(ctx, f)
	return r, err
}

// Attempts implements submitter.Store.
func (r readAhead) Attempts(ctx context.Context, batchID string) ([]ledger.Attempt, error) {
	if list, ok := r.attempts[batchID]; ok {
		return slices.Clone(list), nil
	}
	return r.store.Attempts(ctx, batchID)
}

// BatchEvents implements store.
func (r readAhead) BatchEvents(ctx context.Context, batchID string, fn func(ledger.Event) error) error {
	list, ok := r.events[batchID]
	if !ok {
		return r.store.BatchEvents(ctx, batchID, fn)
	}
	for _, e := range list {
		if err := fn(e); err != nil {
			return err
		}
	}
	return nil
}

// ApprovalStatus implements submitter.People.
func (r readAhead) ApprovalStatus(ctx context.Context, batchID string) (ledger.ApprovalStatus, error) {
	if c, ok := r.consents[batchID]; ok {
		return c, nil
	}
	return r.store.ApprovalStatus(ctx, batchID)
}

// bound is what a decision about each of the planned batches is bound to now.
func (r readAhead) bound(ctx context.Context, enc submitter.Encoder, batches []ledger.Batch) ([]ledger.Bound, error) {
	list := make([]ledger.Bound, len(batches))
	for i, b := range batches {
		var told ledger.TrailDigest
		for j := range r.events[b.ID] {
			told.Replay(&r.events[b.ID][j])
		}
		var err error
		if list[i], err = submitter.BindPlanned(ctx, r, enc, b, &told); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// fewBatches is up to how many batches are read one by one, where all of their sheet could
// be read at once.
const fewBatches = 100
