package sqlitetest

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"
)

// Rows counts the rows that SQLite writes, changes and deletes in one ledger. It can fail one of them, inside
// its statement and its transaction.
type Rows struct {
	path   string
	made   atomic.Int64
	failAt atomic.Int64
	failed atomic.Bool // a row was failed and Failed has not reported it yet
}

// watched has the Rows of a ledger, by its path.
var watched sync.Map

var errRow = errors.New("injected: the row was not written")

// registered registers the function and the hook with the driver, once.
var registered = sync.OnceFunc(func() {
	sqlite.MustRegisterScalarFunction("row_write", 1, func(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
		if r, ok := watched.Load(args[0]); ok {
			return nil, r.(*Rows).write()
		}
		return nil, nil
	})
	sqlite.RegisterConnectionHook(watch)
})

// WatchRows watches the ledger at path, on connections that are opened from now on.
func WatchRows(path string) *Rows {
	registered()
	r := &Rows{path: path}
	watched.Store(path, r)
	return r
}

// Forget ends the watch.
func (r *Rows) Forget() { watched.Delete(r.path) }

// FailAt fails the n-th row from now on, counted from 1; 0 fails none.
func (r *Rows) FailAt(n int) {
	r.made.Store(0)
	r.failed.Store(false)
	r.failAt.Store(int64(n))
}

// Failed reports, once, that the row to fail was reached.
func (r *Rows) Failed() bool { return r.failed.CompareAndSwap(true, false) }

func (r *Rows) write() error {
	if r.made.Add(1) != r.failAt.Load() {
		return nil
	}
	r.failed.Store(true)
	return errRow
}

// watch adds to a connection that writes to a watched ledger a trigger before each kind of write to each table.
// The triggers are in the connection's temporary schema: the ledger is not changed.
func watch(conn sqlite.ExecQuerierContext, dsn string) error {
	u, err := url.Parse(dsn)
	if err != nil || !strings.Contains(dsn, "journal_mode") {
		return err
	}
	if _, ok := watched.Load(u.Path); !ok {
		return nil
	}
	tables, err := tablesOf(conn)
	if err != nil {
		return err
	}
	var triggers strings.Builder
	for _, table := range tables {
		for _, verb := range []string{"INSERT", "UPDATE", "DELETE"} {
			fmt.Fprintf(&triggers, "CREATE TEMP TRIGGER watch_%s_%s BEFORE %s ON main.%s BEGIN SELECT row_write('%s'); END;\n", table, verb, verb, table, u.Path)
		}
	}
	_, err = conn.ExecContext(context.Background(), triggers.String(), nil)
	return err
}

func tablesOf(conn sqlite.ExecQuerierContext) (names []string, err error) {
	rows, err := conn.QueryContext(context.Background(), `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for {
		row := make([]driver.Value, 1)
		if err := rows.Next(row); errors.Is(err, io.EOF) {
			return names, nil
		} else if err != nil {
			return nil, err
		}
		names = append(names, row[0].(string))
	}
}
