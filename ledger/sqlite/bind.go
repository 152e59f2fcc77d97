package sqlite

import (
	"context"
	"database/sql"
	"errors"

	"payrun/ledger"
)

// digestsFrom is the schema version that brought digests into the audit trail
// (0011_digests.sql).
const digestsFrom = 11

// binder is in whose name a ledger is brought up to date: nobody's.
const binder = "payrun"

// bindRecorded adds the events that bind what an older program recorded, in the
// transaction that brings the schema up to date. They are of the moment of the
// event before them: a ledger has no clock of its own.
func bindRecorded(ctx context.Context, conn *sql.Conn, tx *sql.Tx) error {
	var id string
	if err := tx.QueryRowContext(ctx, `SELECT id FROM ledger`).Scan(&id); err != nil {
		if errors.Is(err, sql.ErrNoRows) {
			return nil // it is only being made
		}
		return err
	}
	head, err := auditHead(ctx, tx)
	if err != nil {
		return err
	}
	add := &prepared{conn: conn, stmts: map[string]*sql.Stmt{}}
	defer add.close()
	chain := ledger.Chain{LedgerID: id, Head: head}
	f := &facts{conn: conn, id: id, report: func(int, string, string) {}} // what does not hold is verify's to tell
	return ledger.Bind(ctx, f, binder, head.At, func(e ledger.Event) error { return chainEvent(ctx, add, &chain, e) })
}
