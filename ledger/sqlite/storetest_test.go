package sqlite

import (
	"context"
	sqldriver "database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	driver "modernc.org/sqlite"

	"payrun/ledger/storetest"
	"payrun/reports"
	"payrun/submitter"
	"payrun/validate"
	"payrun/validate/ifsc"
)

// What the suite asks of a store is at least what anybody does.
var (
	_ submitter.Store  = storetest.Store(nil)
	_ submitter.People = storetest.Store(nil)
	_ validate.History = storetest.Store(nil)
	_ ifsc.Directory   = storetest.Store(nil)
	_ reports.Ledger   = storetest.Store(nil)

	_ storetest.Store = (*Store)(nil)
)

func TestStore(t *testing.T) {
	storetest.Run(t, func(t testing.TB) storetest.Opener { return newPlace(t) })
}

// place is a storetest.Opener: a folder with a ledger in it.
type place struct{ path string }

func newPlace(t testing.TB) *place {
	p := &place{filepath.Join(fastFolder(t), "payrun.db")}
	t.Cleanup(func() { watchedLedgers.Delete(p.path) })
	return p
}

// fastFolder is in memory where there is such a place: no power is cut here.
func fastFolder(t testing.TB) string {
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		if dir, err := os.MkdirTemp("/dev/shm", "payrun-store-"); err == nil {
			t.Cleanup(func() { os.RemoveAll(dir) })
			return dir
		}
	}
	return t.TempDir()
}

// founded has the bytes of new ledgers, by how they were made: to make one takes
// longer than most stories.
var founded sync.Map

func (p *place) Create(ctx context.Context, id, actor string, at time.Time) (storetest.Store, error) {
	how := fmt.Sprint(id, actor, at)
	file, ok := founded.Load(how)
	if !ok {
		made := p.path + ".made"
		if err := build(ctx, made, id, actor, at); err != nil {
			return nil, err
		}
		bytes, err := os.ReadFile(made)
		if err != nil {
			return nil, err
		}
		file, _ = founded.LoadOrStore(how, bytes)
	}
	for _, suffix := range []string{"", "-wal", "-shm", ".lock", markSuffix} {
		if err := os.Remove(p.path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			return nil, err
		}
	}
	if err := os.WriteFile(p.path, file.([]byte), 0o600); err != nil {
		return nil, err
	}
	return p.Open(ctx)
}

func (p *place) Open(ctx context.Context) (storetest.Store, error) {
	return asStore(OpenExclusive(ctx, p.path, Claim{}))
}

// Beside takes the lock file away first, as a careless person might.
func (p *place) Beside(ctx context.Context) (storetest.Store, error) {
	if err := os.Remove(p.path + ".lock"); err != nil {
		return nil, err
	}
	return p.Open(ctx)
}

func (p *place) View(ctx context.Context) (storetest.Store, error) {
	return asStore(Open(ctx, p.path))
}

func asStore(s *Store, err error) (storetest.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

func (p *place) FailAt(n int) {
	w, _ := watchedLedgers.LoadOrStore(p.path, &rowWrites{})
	w.(*rowWrites).made.Store(0)
	w.(*rowWrites).failAt.Store(int64(n))
}

func (p *place) Failed() bool {
	w, ok := watchedLedgers.Load(p.path)
	return ok && w.(*rowWrites).failAt.Load() > 0 && w.(*rowWrites).made.Load() >= w.(*rowWrites).failAt.Load()
}

// rowWrites counts the rows that are written to a ledger and fails one of them,
// inside its statement and its transaction.
type rowWrites struct{ made, failAt atomic.Int64 }

// watchedLedgers has the rowWrites of a ledger by its path.
var watchedLedgers sync.Map

var errRowWrite = errors.New("injected: the row was not written")

func init() {
	driver.MustRegisterScalarFunction("row_write", 1, func(_ *driver.FunctionContext, args []sqldriver.Value) (sqldriver.Value, error) {
		if w, ok := watchedLedgers.Load(args[0]); ok && w.(*rowWrites).made.Add(1) == w.(*rowWrites).failAt.Load() {
			return nil, errRowWrite
		}
		return nil, nil
	})
	driver.RegisterConnectionHook(watchLedger)
}

// watchLedger gives a connection that writes to a watched ledger a trigger
// before each kind of write to each table. They are the connection's own, in
// its temporary schema: the ledger is not changed.
func watchLedger(conn driver.ExecQuerierContext, dsn string) error {
	u, err := url.Parse(dsn)
	if err != nil || !strings.Contains(dsn, "journal_mode") {
		return err
	}
	if _, ok := watchedLedgers.Load(u.Path); !ok {
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
