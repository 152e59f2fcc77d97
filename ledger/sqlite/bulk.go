package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"

	"payrun/ledger"
)

// bulkWriter inserts the many rows of a sheet through the driver itself, many
// rows a statement: database/sql would check and copy every one of a million
// times ten values. It holds one connection and one transaction.
type bulkWriter struct {
	conn    *sql.Conn
	payouts manyRows
	keys    manyRows
}

// manyRows inserts rows of one table, as many a statement as wait.
type manyRows struct {
	columns int
	one     driver.Stmt // a single row
	many    driver.Stmt // rowsAtOnce rows
	args    []driver.NamedValue
}

// rowsAtOnce is where the cost of a statement stops to show beside that of
// its rows.
const rowsAtOnce = 50

func newBulkWriter(ctx context.Context, db *sql.DB) (*bulkWriter, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := &bulkWriter{conn: conn}
	// Load.checkReferences stands in for them. The pragma is deaf inside a
	// transaction, and the connection goes back with them on.
	for _, q := range []string{`PRAGMA foreign_keys = OFF`, `BEGIN IMMEDIATE`} {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			return nil, errors.Join(err, w.giveBack())
		}
	}
	return w, nil
}

// giveBack returns the connection as it was taken: with foreign keys, or not
// at all.
func (w *bulkWriter) giveBack() error {
	_, err := w.conn.ExecContext(context.Background(), `PRAGMA foreign_keys = ON`)
	if err != nil {
		_ = w.conn.Raw(func(any) error { return driver.ErrBadConn }) // the pool drops it
	}
	return errors.Join(err, w.conn.Close())
}

// prepare compiles the statements for one sheet.
func (w *bulkWriter) prepare(ctx context.Context, sheetNo int64) error {
	return w.conn.Raw(func(c any) error {
		conn := c.(driver.ConnPrepareContext)
		var errs [2]error
		errs[0] = w.payouts.prepare(ctx, conn, `INSERT INTO payouts (row, route_no, amount, ref, vendor_name, bank_account_number, ifsc,
			remarks, open_beneficiary_id, bene_lei, ref_key, sheet_no) VALUES `, fmt.Sprintf(`(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, %d)`, sheetNo), 11)
		errs[1] = w.keys.prepare(ctx, conn, `INSERT INTO wire_keys (key, payout_id, number) VALUES `, `(?, ?, 1)`, 2)
		return errors.Join(errs[:]...)
	})
}

func (m *manyRows) prepare(ctx context.Context, conn driver.ConnPrepareContext, insert, row string, columns int) error {
	var err1, err2 error
	m.columns = columns
	m.one, err1 = conn.PrepareContext(ctx, insert+row)
	m.many, err2 = conn.PrepareContext(ctx, insert+row+strings.Repeat(", "+row, rowsAtOnce-1))
	m.args = make([]driver.NamedValue, 0, columns*rowsAtOnce)
	return errors.Join(err1, err2)
}

// row adds a row, and inserts when enough wait.
func (m *manyRows) row(values ...driver.Value) error {
	for _, v := range values {
		m.args = append(m.args, driver.NamedValue{Ordinal: len(m.args) + 1, Value: v})
	}
	if len(m.args) < cap(m.args) {
		return nil
	}
	err := execute(m.many, m.args)
	m.args = m.args[:0]
	return err
}

// flush inserts the rows that wait, one by one.
func (m *manyRows) flush() error {
	waiting := m.args
	m.args = m.args[:0]
	for row := range slices.Chunk(waiting, m.columns) {
		for i := range row {
			row[i].Ordinal = i + 1
		}
		if err := execute(m.one, row); err != nil {
			return err
		}
	}
	return nil
}

// execute runs a prepared statement under the empty context: a goroutine a
// statement, to watch for cancellation, costs more than its rows.
func execute(stmt driver.Stmt, args []driver.NamedValue) error {
	_, err := stmt.(driver.StmtExecContext).ExecContext(context.Background(), args)
	return err
}

func (w *bulkWriter) payout(routeNo int64, p *ledger.Payout, key string) error {
	return w.payouts.row(int64(p.Row), routeNo, int64(p.Amount), p.Ref, p.VendorName, p.BankAccountNumber, p.IFSC,
		orNull(p.Remarks), orNull(p.OpenBeneficiaryID), orNull(p.BeneLEI), storedKey(p.Ref, key))
}

func (w *bulkWriter) wireKeys(keys []keyed) error {
	for _, k := range keys {
		if err := w.keys.row(k.key, k.id); err != nil {
			return err
		}
	}
	return w.keys.flush()
}

// close ends the transaction and gives the connection back.
func (w *bulkWriter) close(commit bool) error {
	var errs []error
	for _, stmt := range []driver.Stmt{w.payouts.one, w.payouts.many, w.keys.one, w.keys.many} {
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
	return errors.Join(append(errs, err, w.giveBack())...)
}

func orNull(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}
