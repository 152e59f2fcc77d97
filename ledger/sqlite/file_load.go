package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"strings"
)

// fileLoad is a LoadEngine on its own connection. It inserts through the driver, many rows in a statement,
// because database/sql would check and copy each of ten million values.
type fileLoad struct {
	sqlReader
	conn *sql.Conn
}

func (e fileEngine) Load(ctx context.Context) (LoadEngine, error) {
	conn, err := e.s.write.Conn(ctx)
	if err != nil {
		return nil, err
	}
	l := &fileLoad{sqlReader{conn}, conn}
	// loading.checkReferences replaces the foreign keys. The pragma has no effect inside a transaction; release
	// turns them on again.
	for _, q := range []string{`PRAGMA foreign_keys = OFF`, `BEGIN IMMEDIATE`} {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			return nil, errors.Join(err, l.release())
		}
	}
	return l, nil
}

// LockLedger does nothing: the transaction has had the lock from its start.
func (l *fileLoad) LockLedger(context.Context) error { return nil }

func (l *fileLoad) End(commit bool) error {
	if commit {
		_, err := l.conn.ExecContext(context.Background(), `COMMIT`)
		if err == nil { // the sheet is committed, even if a step below fails
			// Move the committed pages into the ledger's file. A failure loses nothing: the log is part of the
			// ledger, and the next checkpoint tries again.
			_, _ = l.conn.ExecContext(context.Background(), `PRAGMA wal_checkpoint(TRUNCATE)`)
			_ = l.release()
			return nil
		}
		_, _ = l.conn.ExecContext(context.Background(), `ROLLBACK`) // it fails if SQLite has rolled back already
		return errors.Join(err, l.release())
	}
	_, err := l.conn.ExecContext(context.Background(), `ROLLBACK`)
	return errors.Join(err, l.release())
}

// release returns the connection to the pool with foreign keys on. If that fails, the pool drops the connection.
func (l *fileLoad) release() error {
	_, err := l.conn.ExecContext(context.Background(), `PRAGMA foreign_keys = ON`)
	if err != nil {
		_ = l.conn.Raw(func(any) error { return driver.ErrBadConn })
	}
	return errors.Join(err, l.conn.Close())
}

// rowsAtOnce are the numbers of rows of the insert statements. The largest is that of a job: a statement that
// may have to be undone copies each page before it first writes to it, and the batches and events of a sheet
// write to nearly all pages of a tree. The others insert the rest.
var rowsAtOnce = []int{rowsOver, 256, 16, 1}

// Insert gives the statements to the driver, which keeps them compiled. OR FAIL: a statement need not be undoable,
// because a failure undoes the whole sheet. It cannot be cancelled: the goroutine that would watch for that costs
// more than the rows.
func (l *fileLoad) Insert(into Into, values []Arg) error {
	insert, columns := `INSERT OR FAIL INTO `+into.Table+` (`+into.Columns+`) VALUES `, into.Width()
	lead := into.Lead()
	row := strings.Repeat("?1, ", lead) + marks(columns)
	return l.conn.Raw(func(conn any) error {
		for _, rows := range rowsAtOnce {
			for most := lead + rows*columns; len(values) >= most; values = values[most-lead:] {
				args := values[:most]
				if lead > 0 {
					args[0].Value = into.First // here were nothing, or the last value of the rows before
				}
				for i := range args {
					args[i].Ordinal = i + 1
				}
				stmt, err := conn.(driver.ConnPrepareContext).PrepareContext(context.Background(), insert+tuples(rows, row))
				if err != nil {
					return err
				}
				_, err = stmt.(driver.StmtExecContext).ExecContext(context.Background(), args)
				if err := errors.Join(err, stmt.Close()); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
