package sqlite

import (
	"context"

	"payrun/ledger"
)

// EventsBetween calls fn for the events after one number and up to another,
// oldest first.
func (s *Store) EventsBetween(ctx context.Context, after, upTo int64, fn func(ledger.Event) error) error {
	return damage("read the audit trail", eachEvent(ctx, s.read, fn, `seq > ? AND seq <= ?`, after, upTo))
}

// BatchEvents calls fn for the events of a batch, oldest first.
func (s *Store) BatchEvents(ctx context.Context, batchID string, fn func(ledger.Event) error) error {
	return damage("read the events of batch "+batchID, eachEvent(ctx, s.read, fn, `batch_id = ? AND batch_id <> ''`, batchID))
}

// EventsOf calls fn for the events of the filter's batches, oldest first.
func (s *Store) EventsOf(ctx context.Context, f ledger.Filter, fn func(ledger.Event) error) error {
	where, args := batchFilter(f)
	return damage("read the events of batches", eachEvent(ctx, s.read, fn, ofBatches(where), args...))
}

// ofBatches is the condition that selects the events of the batches of another.
func ofBatches(where string) string {
	return `batch_id <> '' AND batch_id IN (SELECT b.id FROM batches b JOIN sheets s ON s.no = b.sheet_no WHERE ` + where + `)`
}

// Observations calls fn for what was observed of a payout's attempts, in order.
func (s *Store) Observations(ctx context.Context, payoutID int64, fn func(ledger.NewObservation) error) error {
	return damage("read what was observed", eachObservation(ctx, s.read, fn, `FROM observations o WHERE o.payout_id = ?`, payoutID))
}
