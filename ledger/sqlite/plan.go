package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"payrun/ledger"
)

// newBatch is a batch about to be recorded.
type newBatch struct {
	ledger.PlannedBatch
	no                int64
	id                string
	sheetNo, routeNo  int64
	sheetID           string
	sequence, attempt int
	at                time.Time
	members           *string // of a batch that a sheet brought, whose attempts are made later
}

// insertBatch records a batch and its event behind head, and returns the new
// head.
func (s *Store) insertBatch(ctx context.Context, tx execer, head ledger.AuditHead, b newBatch) (ledger.AuditHead, error) {
	at := micros(b.at)
	_, err := tx.ExecContext(ctx, `INSERT INTO batches (no, id, sheet_no, sequence, attempt, route_no, partner_bank_id, kind, bene_lei,
		count, total, reason, created_at, updated_at, state_since, members, made)
		VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?13, ?13, ?14, iif(?14 IS NULL, 2, 0))`,
		b.no, b.id, b.sheetNo, b.sequence, b.attempt, b.routeNo, b.PartnerBankID, b.Kind, b.BeneLEI,
		len(b.Members), b.Total, b.Reason, at, b.members)
	if err != nil {
		return head, fmt.Errorf("batch %s: %w", b.id, againstRules(err))
	}
	return s.chainEvent(ctx, tx, head, ledger.Event{At: b.at, Kind: "batch_planned", SheetID: b.sheetID, BatchID: b.id,
		Detail: fmt.Sprintf("%d payouts of %s; attempt %d", len(b.Members), b.Total, b.attempt)})
}

// prepared prepares each statement once, for those that run thousands of
// times.
type prepared struct {
	conn  *sql.Conn
	stmts map[string]*sql.Stmt
}

func (p *prepared) ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error) {
	stmt, ok := p.stmts[query]
	if !ok {
		var err error
		if stmt, err = p.conn.PrepareContext(ctx, query); err != nil {
			return nil, err
		}
		p.stmts[query] = stmt
	}
	return stmt.ExecContext(ctx, args...)
}

func (p *prepared) close() {
	for _, stmt := range p.stmts {
		_ = stmt.Close()
	}
}

// storedKey is what a payout keeps of its folded reference: nothing where the
// schema can tell it from the reference, which is nearly always.
func storedKey(ref, key string) any {
	if isLower(key, ref) {
		return nil
	}
	return key
}

// isLower reports whether key is lower(ref) of SQLite for an ASCII ref.
func isLower(key, ref string) bool {
	if len(key) != len(ref) {
		return false
	}
	for i := range len(ref) {
		c := ref[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != key[i] || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// nextAttempt records a further attempt of a payout in a batch: the smallest
// reference from <ref>-R<number> on that was never used. Its key is the key
// of the payout's reference and the suffix in lower case, because folding is
// NFKC and case folding, and the suffix is ASCII that neither composes nor
// reorders with what stands before it.
func nextAttempt(ctx context.Context, tx *sql.Tx, payoutID int64, number int, batchNo int64) error {
	var ref, key string
	err := tx.QueryRowContext(ctx, `SELECT ref, ifnull(ref_key, lower(ref)) FROM payouts WHERE id = ?`, payoutID).Scan(&ref, &key)
	if err != nil {
		return err
	}
	for k := number; ; k++ {
		wireRef := ledger.WireRef(ref, k)
		wireKey := key + strings.ToLower(strings.TrimPrefix(wireRef, ref))
		r, err := tx.ExecContext(ctx, `INSERT INTO wire_keys (key, payout_id, number) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`, wireKey, payoutID, number)
		if err != nil {
			return err
		}
		n, err := r.RowsAffected()
		if err != nil {
			return err
		}
		if n == 0 {
			continue
		}
		_, err = tx.ExecContext(ctx, `INSERT INTO further_attempts (payout_id, number, wire_ref, batch_no) VALUES (?, ?, ?, ?)`, payoutID, number, wireRef, batchNo)
		return err
	}
}

// shrinkLog moves what is committed from the write-ahead log to the ledger.
// Nothing is lost when it cannot: the log is part of the ledger, and the next
// checkpoint tries again.
func (s *Store) shrinkLog(ctx context.Context) {
	_, _ = s.write.ExecContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`)
}
