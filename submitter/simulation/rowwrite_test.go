package simulation

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	driver "modernc.org/sqlite"
)

// rowWrites counts the rows that SQLite inserts and updates in one history's
// ledger, and fails one of them, inside its statement and its transaction.
type rowWrites struct {
	made   atomic.Int64
	failAt atomic.Int64
	failed atomic.Bool // and nobody was told yet
}

// watched has the rowWrites of a ledger by its path.
var watched sync.Map

var errRowWrite = errors.New("injected: the row was not written")

func init() {
	driver.MustRegisterScalarFunction("row_write", 1, func(_ *driver.FunctionContext, args []sqldriver.Value) (sqldriver.Value, error) {
		w, ok := watched.Load(args[0])
		if !ok {
			return nil, nil
		}
		if w := w.(*rowWrites); w.made.Add(1) == w.failAt.Load() {
			w.failed.Store(true)
			return nil, errRowWrite
		}
		return nil, nil
	})
	driver.RegisterConnectionHook(watch)
}

// watch gives a connection that writes to a watched ledger a trigger before
// each kind of write to each table. They are the connection's own, in its
// temporary schema: the ledger is not changed.
func watch(conn driver.ExecQuerierContext, dsn string) error {
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
		for _, verb := range []string{"INSERT", "UPDATE"} {
			fmt.Fprintf(&triggers, "CREATE TEMP TRIGGER watch_%s_%s BEFORE %s ON main.%s BEGIN SELECT row_write('%s'); END;\n", table, verb, verb, table, u.Path)
		}
	}
	_, err = conn.ExecContext(context.Background(), triggers.String(), nil)
	return err
}

func tablesOf(conn driver.ExecQuerierContext) (names []string, err error) {
	rows, err := conn.QueryContext(context.Background(), `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name`, nil)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for {
		row := make([]sqldriver.Value, 1)
		if err := rows.Next(row); errors.Is(err, io.EOF) {
			return names, nil
		} else if err != nil {
			return nil, err
		}
		names = append(names, row[0].(string))
	}
}

// failRow has the writing connections opened anew where none is watched yet.
func (h *sqliteHome) failRow(at int) (err error) {
	if h.rows == nil {
		if at == 0 {
			return nil
		}
		h.rows = &rowWrites{}
		watched.Store(h.path, h.rows)
		err = h.slate.Close()
	}
	h.rows.made.Store(0)
	h.rows.failed.Store(false)
	h.rows.failAt.Store(int64(at))
	return err
}

func (h *sqliteHome) failedRow() bool {
	return h.rows != nil && h.rows.failed.CompareAndSwap(true, false)
}

// failRowWrite fails the at-th row that is written in the history.
func (h *history) failRowWrite(at int) {
	h.close()
	h.failsRows = true
	if err := h.home.failRow(at); err != nil {
		h.found("closing connections: %v", err)
	}
}

// tellRowWrite ends the process that met the failure, as one whose ledger
// failed. The call that met it must have said so.
func (p *process) tellRowWrite(name string, err error) {
	if !p.h.failsRows || (err == nil && name == "add") || !p.h.home.failedRow() { // the rows of add are written later
		return
	}
	p.damaged = true
	p.h.stats.injected++
	p.h.logf("a row is not written at %s", name)
	if err == nil {
		p.h.found("a row was not written, and %s said nothing", name)
	}
}

// TestEveryRowWriteThatFails fails the first, the second, the third … row that
// is written to the ledger, until a run is clean.
func TestEveryRowWriteThatFails(t *testing.T) {
	skipUnderRace(t)
	points := inEachScenario(t, []bool{false}, func(h *history, at int, _ bool) arming {
		h.failRowWrite(at)
		return func(*process, int, int) {}
	})
	t.Logf("figures: scenarios=%d row_write_failures=%d", tried(), points)
}
