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

// Observations calls fn for what was observed of a payout's attempts, in order.
func (s *Store) Observations(ctx context.Context, payoutID int64, fn func(ledger.NewObservation) error) error {
	return damage("read what was observed", eachObservation(ctx, s.read, fn, `FROM observations o WHERE o.payout_id = ?`, payoutID))
}
