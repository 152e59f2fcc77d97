package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"payrun/ledger"
)

// appendEvent adds one event to the audit trail, in the transaction of the change that it records.
func (s *Tables) appendEvent(ctx context.Context, tx Writer, e ledger.Event) error {
	chain, err := s.chain(ctx, tx)
	if err != nil {
		return err
	}
	return chainEvent(ctx, tx, &chain, e)
}

// chain returns the audit chain as of the last commit, or as this transaction left it. It returns
// ledger.ErrMoved if the ledger was moved since this run opened it.
func (s *Tables) chain(ctx context.Context, r Reader) (ledger.Chain, error) {
	head, kind, err := newestEvent(ctx, r, "")
	if err == nil && kind == ledger.EventMoved {
		err = moved(ctx, r)
	}
	return ledger.Chain{LedgerID: s.id, Proof: s.proof, Head: head}, err
}

// chainEvent adds e to the chain. A caller can add many events without reading the head again.
func chainEvent(ctx context.Context, tx Writer, chain *ledger.Chain, e ledger.Event) error {
	if strings.TrimSpace(e.Actor) == "" {
		return fmt.Errorf("%s: it has no name of a person", e.Kind)
	}
	e = chain.Append(e)
	return events.insert(ctx, tx, &e, "")
}

// events are the events of the audit trail.
var events = table[ledger.Event]{"events", "at, actor, kind, sheet_id, state_digest, proof, seq, batch_id, detail, digest, hash", func(e *ledger.Event) []any {
	return []any{moment{&e.At}, &e.Actor, &e.Kind, &e.SheetID, &e.StateDigest, &e.Proof, &e.Seq, &e.BatchID, &e.Detail, &e.Digest, &e.Hash}
}}

// AuditHead returns the newest event of the audit chain.
func (s *Tables) AuditHead(ctx context.Context) (ledger.AuditHead, error) {
	head, err := auditHead(ctx, s.db)
	return head, damage("read the audit trail", err)
}

// StandsSince returns the newest event, logins excepted (ledger.LoginKinds). While it is the same, everything
// else in the ledger is unchanged.
func (s *Tables) StandsSince(ctx context.Context) (ledger.AuditHead, error) {
	logins := ledger.LoginKinds[:]
	head, _, err := newestEvent(ctx, s.db, `WHERE kind NOT IN (`+marks(len(logins))+`)`, named(logins)...)
	return head, damage("read the audit trail", err)
}

// Head returns the newest event that a reader sees.
func Head(ctx context.Context, r Reader) (ledger.AuditHead, error) { return auditHead(ctx, r) }

func auditHead(ctx context.Context, r Reader) (ledger.AuditHead, error) {
	head, _, err := newestEvent(ctx, r, "")
	return head, err
}

// newestEvent returns the newest event that a condition selects, and its kind.
func newestEvent(ctx context.Context, r Reader, where string, args ...any) (head ledger.AuditHead, kind string, err error) {
	err = r.QueryRow(ctx, `SELECT seq, at, hash, kind FROM events `+where+` ORDER BY seq DESC LIMIT 1`, args...).Scan(&head.Length, moment{&head.At}, &head.Hash, &kind)
	return head, kind, orNone(err)
}

// Events calls fn for every event of the audit trail, from the first.
func (s *Tables) Events(ctx context.Context, fn func(ledger.Event) error) error {
	return damage("read the audit trail", eachEvent(ctx, s.db, fn, `true`))
}

// eachEvent calls fn for the events that a condition selects, oldest first.
func eachEvent(ctx context.Context, r Reader, fn func(ledger.Event) error, where string, args ...any) error {
	return eachOf(ctx, r, events.fields, fn, `SELECT `+events.columns+` FROM events WHERE `+where+` ORDER BY seq`, args...)
}

// EventsWhere calls fn for the events that a filter selects, oldest first.
func (s *Tables) EventsWhere(ctx context.Context, f ledger.EventFilter, fn func(ledger.Event) error) error {
	var c conditions
	end := f.About + "~" // after every id with this beginning
	c.add(f.About != "", `(batch_id <> '' AND batch_id >= ? AND batch_id < ? OR sheet_id >= ? AND sheet_id < ?)`, f.About, end, f.About, end)
	c.add(f.Actor != "", `lower(actor) = ?`, asciiLower(f.Actor))
	c.add(f.Kind != "", `kind = ?`, f.Kind)
	c.add(slices.Contains(ledger.LoginKinds[:], f.Kind), `batch_id = '' AND sheet_id = ''`) // index events_of_none
	c.add(!f.Since.IsZero(), `at >= ?`, f.Since.UnixMicro())
	c.add(!f.Until.IsZero(), `at < ?`, f.Until.UnixMicro())
	c.add(f.After > 0, `seq > ?`, f.After)
	c.add(f.Before > 0, `seq < ?`, f.Before)
	newest := `seq IN (SELECT seq FROM events WHERE ` + c.where() + ` ORDER BY seq DESC LIMIT ?)`
	return damage("read the audit trail", eachEvent(ctx, s.db, fn, newest, append(c.args, cmp.Or(f.Most, math.MaxInt))...))
}

// EventsOf calls fn for the events of the filter's batches, oldest first.
func (s *Tables) EventsOf(ctx context.Context, f ledger.Filter, fn func(ledger.Event) error) error {
	where, args := batchFilter(f)
	return damage("read the events of batches", eachEvent(ctx, s.db, fn, ofBatches(where), args...))
}

// ofBatches returns the condition that selects the events of the batches that where selects.
func ofBatches(where string) string {
	return `batch_id <> '' AND batch_id IN (SELECT b.id FROM batches b JOIN sheets s ON s.no = b.sheet_no WHERE ` + where + `)`
}
