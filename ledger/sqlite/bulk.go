package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"slices"

	"payrun/ledger"
)

// bulkWriter inserts the many rows of a sheet through the driver itself:
// database/sql would check and copy every one of a million times ten values.
// It holds one connection and one transaction.
type bulkWriter struct {
	conn     *sql.Conn
	payouts  driver.Stmt
	keys     driver.Stmt
	attempts driver.Stmt
	args     []driver.NamedValue
}

func newBulkWriter(ctx context.Context, db *sql.DB) (*bulkWriter, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &bulkWriter{conn: conn, args: make([]driver.NamedValue, 13)}
	for i := range w.args {
		w.args[i].Ordinal = i + 1
	}
	if _, err := conn.ExecContext(ctx, `BEGIN IMMEDIATE`); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if err := w.prepare(ctx); err != nil {
		return nil, errors.Join(err, w.close(false))
	}
	return w, nil
}

func (w *bulkWriter) prepare(ctx context.Context) error {
	return w.conn.Raw(func(c any) error {
		for stmt, query := range map[*driver.Stmt]string{
			&w.payouts: `INSERT INTO payouts (id, sheet_no, row, route_no, amount, ref, vendor_name, bank_account_number, ifsc,
				remarks, open_beneficiary_id, bene_lei, ref_key) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			&w.keys:     `INSERT INTO wire_keys (key, payout_id, number) VALUES (?, ?, 1)`,
			&w.attempts: `INSERT INTO attempts (payout_id, number, batch_no) VALUES (?, 1, ?)`,
		} {
			var err error
			if *stmt, err = c.(driver.ConnPrepareContext).PrepareContext(ctx, query); err != nil {
				return err
			}
		}
		return nil
	})
}

// exec runs a prepared statement with the first n of w.args. The context is
// the empty one: a goroutine a row, to watch for cancellation, costs more than
// the row.
func (w *bulkWriter) exec(stmt driver.Stmt, n int) error {
	_, err := stmt.(driver.StmtExecContext).ExecContext(context.Background(), w.args[:n])
	return err
}

func (w *bulkWriter) payout(id, sheetNo, routeNo int64, p *ledger.Payout, key string) error {
	a := w.args
	a[0].Value, a[1].Value, a[2].Value, a[3].Value, a[4].Value = id, sheetNo, int64(p.Row), routeNo, int64(p.Amount)
	a[5].Value, a[6].Value, a[7].Value, a[8].Value = p.Ref, p.VendorName, p.BankAccountNumber, p.IFSC
	a[9].Value, a[10].Value, a[11].Value = orNull(p.Remarks), orNull(p.OpenBeneficiaryID), orNull(p.BeneLEI)
	a[12].Value = storedKey(p.Ref, key)
	return w.exec(w.payouts, 13)
}

func (w *bulkWriter) wireKeys(keys []keyed) error {
	for _, k := range keys {
		w.args[0].Value, w.args[1].Value = k.key, k.id
		if err := w.exec(w.keys, 2); err != nil {
			return err
		}
	}
	return nil
}

// firstAttempts puts payouts into a batch, in their order, so that the tree
// grows at its end.
func (w *bulkWriter) firstAttempts(batchNo, firstPayout int64, members []int32) error {
	sorted := members
	if !slices.IsSorted(members) {
		sorted = slices.Sorted(slices.Values(members))
	}
	w.args[1].Value = batchNo
	for _, m := range sorted {
		w.args[0].Value = firstPayout + int64(m)
		if err := w.exec(w.attempts, 2); err != nil {
			return err
		}
	}
	return nil
}

// close ends the transaction and gives the connection back.
func (w *bulkWriter) close(commit bool) error {
	var errs []error
	for _, stmt := range []driver.Stmt{w.payouts, w.keys, w.attempts} {
		if stmt != nil {
			errs = append(errs, stmt.Close())
		}
	}
	end := `ROLLBACK`
	if commit {
		end = `COMMIT`
	}
	_, err := w.conn.ExecContext(context.Background(), end)
	if err != nil && commit {
		_, _ = w.conn.ExecContext(context.Background(), `ROLLBACK`) // fails when SQLite did it already
	}
	return errors.Join(append(errs, err, w.conn.Close())...)
}

func orNull(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}
