package sqlite

import (
	"context"
	"math"
	"slices"
	"strings"

	"payrun/ledger"
)

// EventsWhere calls fn for the events that a filter selects, oldest first.
func (s *Tables) EventsWhere(ctx context.Context, f ledger.EventFilter, fn func(ledger.Event) error) error {
	where, args := []string{"true"}, []any{}
	add := func(asked bool, words string, with ...any) {
		if asked {
			where, args = append(where, words), append(args, with...)
		}
	}
	end := f.About + "~" // behind every id that begins so
	add(f.About != "", `(batch_id <> '' AND batch_id >= ? AND batch_id < ? OR sheet_id >= ? AND sheet_id < ?)`, f.About, end, f.About, end)
	add(f.Actor != "", `lower(actor) = ?`, asciiLower(f.Actor))
	add(f.Kind != "", `kind = ?`, f.Kind)
	add(slices.Contains(ledger.LoginKinds[:], f.Kind), `batch_id = '' AND sheet_id = ''`) // by the index events_of_none
	add(!f.Since.IsZero(), `at >= ?`, f.Since.UnixMicro())
	add(!f.Until.IsZero(), `at < ?`, f.Until.UnixMicro())
	add(f.After > 0, `seq > ?`, f.After)
	add(f.Before > 0, `seq < ?`, f.Before)
	newest := `seq IN (SELECT seq FROM events WHERE ` + strings.Join(where, " AND ") + ` ORDER BY seq DESC LIMIT ?)`
	most := f.Most
	if most == 0 {
		most = math.MaxInt64
	}
	return damage("read the audit trail", eachEvent(ctx, s.db, fn, newest, append(args, most)...))
}

// EventsOf calls fn for the events of the filter's batches, oldest first.
func (s *Tables) EventsOf(ctx context.Context, f ledger.Filter, fn func(ledger.Event) error) error {
	where, args := batchFilter(f)
	return damage("read the events of batches", eachEvent(ctx, s.db, fn, ofBatches(where), args...))
}

// ofBatches is the condition that selects the events of the batches of another.
func ofBatches(where string) string {
	return `batch_id <> '' AND batch_id IN (SELECT b.id FROM batches b JOIN sheets s ON s.no = b.sheet_no WHERE ` + where + `)`
}

// Observations calls fn for what was observed of a payout's attempts, in order.
func (s *Tables) Observations(ctx context.Context, payoutID int64, fn func(ledger.NewObservation) error) error {
	return damage("read what was observed", eachObservation(ctx, s.db, fn, Select{Columns: observations.of("o"), From: `FROM observations o WHERE o.payout_id = ? ORDER BY o.number, o.seq`, Lies: true}, payoutID))
}
