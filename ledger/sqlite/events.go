package sqlite

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"time"

	"payrun/ledger"
)

// appendEvent adds one event to the audit trail, in the transaction of what it
// records.
func (s *Store) appendEvent(ctx context.Context, tx *sql.Tx, e ledger.Event) error {
	head, err := auditHead(ctx, tx)
	if err != nil {
		return err
	}
	_, err = s.chainEvent(ctx, tx, head, e)
	return err
}

// chainEvent adds e behind head, in the store's actor's name, and returns the
// new head. Its caller may add many without looking the head up again.
func (s *Store) chainEvent(ctx context.Context, tx execer, head ledger.AuditHead, e ledger.Event) (ledger.AuditHead, error) {
	e.Actor = s.actor
	e.Seq, e.At = head.Length+1, e.At.UTC().Truncate(time.Microsecond)
	e.Hash = chainHash(s.prevHash(head), e)
	_, err := tx.ExecContext(ctx, `INSERT INTO events (seq, at, actor, kind, sheet_id, batch_id, detail, hash) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
		e.Seq, e.At.UnixMicro(), e.Actor, e.Kind, e.SheetID, e.BatchID, e.Detail, e.Hash)
	return ledger.AuditHead{Length: e.Seq, Hash: e.Hash, At: e.At}, err
}

type execer interface {
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// prevHash is what an event is chained to: the one before it, or for the first
// the ledger's identity.
func (s *Store) prevHash(head ledger.AuditHead) string {
	if head.Length == 0 {
		return s.id
	}
	return head.Hash
}

// chainHash is SHA-256 over the previous hash and every field of the event,
// each with its length before it, so that nothing can be moved from one field
// to the next.
func chainHash(prev string, e ledger.Event) string {
	h := sha256.New()
	number := func(n int64) { _ = binary.Write(h, binary.BigEndian, n) } // a hash does not fail
	text := func(s string) { number(int64(len(s))); h.Write([]byte(s)) }
	text(prev)
	number(e.Seq)
	number(e.At.UnixMicro())
	for _, s := range []string{e.Actor, e.Kind, e.SheetID, e.BatchID, e.Detail} {
		text(s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// AuditHead returns the newest event of the audit chain.
func (s *Store) AuditHead(ctx context.Context) (ledger.AuditHead, error) {
	head, err := auditHead(ctx, s.read)
	return head, damage("read the audit trail", err)
}

func auditHead(ctx context.Context, r reader) (ledger.AuditHead, error) {
	var head ledger.AuditHead
	var at sql.NullInt64
	err := r.QueryRowContext(ctx, `SELECT seq, at, hash FROM events ORDER BY seq DESC LIMIT 1`).Scan(&head.Length, &at, &head.Hash)
	if errors.Is(err, sql.ErrNoRows) {
		return ledger.AuditHead{}, nil
	}
	head.At = fromMicros(at)
	return head, err
}

// Events calls fn for every event of the audit trail, from the first.
func (s *Store) Events(ctx context.Context, fn func(ledger.Event) error) error {
	return damage("read the audit trail", eachEvent(ctx, s.read, fn))
}

func eachEvent(ctx context.Context, r reader, fn func(ledger.Event) error) error {
	return each(ctx, r, func(rows *sql.Rows) error {
		var e ledger.Event
		var at sql.NullInt64
		if err := rows.Scan(&e.Seq, &at, &e.Actor, &e.Kind, &e.SheetID, &e.BatchID, &e.Detail, &e.Hash); err != nil {
			return err
		}
		e.At = fromMicros(at)
		return fn(e)
	}, `SELECT seq, at, actor, kind, sheet_id, batch_id, detail, hash FROM events ORDER BY seq`)
}
