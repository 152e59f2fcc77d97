package postgres

import (
	"context"
	"errors"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// Import creates the tables of a ledger in the database and fills them with an export, completely or not at
// all; see sqlite.Import. The new ledger is a copy.
func (s *Server) Import(ctx context.Context, fold func(ref string) string, give func(out ledger.Export) (ledger.AuditHead, error)) (made ledger.Backup, err error) {
	const doing = "import the ledger"
	e := &engine{pool: s.pool, writable: true}
	tx, err := e.beginWrite(ctx)
	if err != nil {
		return made, sqlite.Damage(doing, err)
	}
	l := &load{transaction: tx, e: e}
	if err = tx.makeTables(ctx); err == nil {
		err = tx.guards(ctx, "DISABLE")
	}
	if err != nil {
		return made, errors.Join(sqlite.Damage(doing, err), l.End(false))
	}
	var verified error
	head, err := sqlite.Fill(ctx, l, fold, give, func() error {
		if err := tx.guards(ctx, "ENABLE"); err != nil {
			return err
		}
		made.Head, verified = tx.inspect(ctx)
		return verified
	})
	switch {
	case verified != nil && ctx.Err() == nil, errors.Is(err, ledger.ErrRule), errors.Is(err, ledger.ErrDuplicate):
		err = ledger.NotExport("%w", err)
	case err == nil && made.Head != head:
		err = ledger.NotExport("its last line tells another head of the audit trail than its events")
	}
	return made, sqlite.Damage(doing, err)
}

// guards turns off or on the triggers that check steps, and the references to rows that come later.
func (tx *transaction) guards(ctx context.Context, how string) error {
	constraints := map[string]string{"DISABLE": "DEFERRED", "ENABLE": "IMMEDIATE"}[how]
	return tx.script(ctx, `SET CONSTRAINTS ALL `+constraints+`; DO $$ DECLARE t record; BEGIN
		FOR t IN SELECT tgrelid::regclass AS of, tgname FROM pg_trigger JOIN pg_class c ON c.oid = tgrelid
			WHERE c.relnamespace = 'payrun'::regnamespace AND NOT tgisinternal AND tgname NOT LIKE '%\_number'
		LOOP EXECUTE format('ALTER TABLE %s `+how+` TRIGGER %I', t.of, t.tgname); END LOOP;
	END $$`)
}

// inspect verifies the contents of the transaction.
func (tx *transaction) inspect(ctx context.Context) (head ledger.AuditHead, err error) {
	var id string
	if err := tx.QueryRow(ctx, `SELECT id FROM ledger`).Scan(&id); err != nil {
		return head, err
	}
	problems, err := sqlite.NewTables(id, "", nil).VerifyParts(ctx, []sqlite.Snapshot{tx})
	if err == nil && len(problems) > 0 {
		return head, sqlite.Unsound(problems)
	}
	if err == nil {
		head, err = sqlite.Head(ctx, tx)
	}
	return head, err
}
