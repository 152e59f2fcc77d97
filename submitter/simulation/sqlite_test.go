package simulation

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"payrun/ledger"
	"payrun/ledger/sqlite"
	"payrun/ledger/sqlite/sqlitetest"
)

// sqliteHome has SQLite ledgers at one path. Its connections stay open across processes and histories. Each
// ledger is the same file, reset to its first content.
type sqliteHome struct {
	path  string
	slate *sqlitetest.Slate
	rows  *sqlitetest.Rows
	other *sqliteHome
}

// firstLedger is a new ledger from Create, made once for all histories. anotherLedger takes its place when
// it is lost.
var (
	firstLedger   = sync.OnceValues(newLedger)
	anotherLedger = sync.OnceValues(newLedger)
)

func newLedger() ([]byte, error) {
	dir, err := os.MkdirTemp("", "payrun")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "template.db")
	s, err := sqlite.Create(context.Background(), path, "asha", t0)
	if err != nil {
		return nil, err
	}
	if err := s.Close(); err != nil { // leaves one file: the WAL is folded in
		return nil, err
	}
	if err := withSmallPages(path); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// withSmallPages makes SQLite's pages a quarter of a ledger's usual size: that one is good for a million
// payouts, and these ledgers have ten.
func withSmallPages(path string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM; PRAGMA journal_mode = WAL`)
	return errors.Join(err, db.Close())
}

func newSQLiteHome(t testing.TB) home {
	t.Helper()
	dir := sqlitetest.Folder(t)
	h := &sqliteHome{path: filepath.Join(dir, "payrun.db"), other: &sqliteHome{path: filepath.Join(dir, "other.db")}}
	h.slate, h.other.slate = sqlitetest.NewSlate(h.path), sqlitetest.NewSlate(h.other.path)
	t.Cleanup(func() {
		if err := h.other.slate.Close(); err != nil {
			t.Errorf("closing connections: %v", err)
		}
		if h.rows != nil {
			h.rows.Forget()
		}
		if err := h.slate.Close(); err != nil {
			t.Errorf("closing connections: %v", err)
		}
	})
	return h
}

func (h *sqliteHome) context() context.Context { return h.slate.Context(context.Background()) }

func (h *sqliteHome) begin(*history) error {
	if err := h.failRow(0); err != nil {
		return err
	}
	file, err := firstLedger()
	if err != nil {
		return err
	}
	return h.slate.Wipe(h.context(), file)
}

func (h *sqliteHome) end() error { return nil }

func (h *sqliteHome) open(*process) (store, error) {
	s, err := sqlite.OpenExclusive(h.context(), h.path, ledger.Claim{})
	if err != nil {
		return nil, err
	}
	return sqliteStore{s, h}, nil
}

func (h *sqliteHome) unlock() error {
	if s, err := h.open(nil); !errors.Is(err, ledger.ErrLocked) {
		if s != nil {
			_ = s.Close()
		}
		return fmt.Errorf("a second process opened the ledger (%v)", err)
	}
	return os.Remove(h.path + ".lock")
}

func (h *sqliteHome) look() (view, error) {
	db := h.slate.Reader() // data_version tells one connection what others committed
	version, err := db.Prepare(`PRAGMA data_version`)
	if err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return tableView{fileTables{db, version}}, nil
}

// sqliteCopy is a ledger and its high-water mark.
type sqliteCopy struct{ file, mark []byte }

func (h *sqliteHome) copied() (any, error) {
	file, err := h.slate.File(h.context())
	if err != nil {
		return nil, err
	}
	mark, err := os.ReadFile(h.path + ".head")
	return sqliteCopy{file, mark}, err
}

func (h *sqliteHome) restore(copied any) error {
	return h.slate.Replace(h.context(), copied.(sqliteCopy).file)
}

func (h *sqliteHome) second() home { return h.other }

func (h *sqliteHome) place(copied any) error {
	if copied == nil {
		file, err := anotherLedger()
		if err != nil {
			return err
		}
		return h.slate.Wipe(h.context(), file)
	}
	c := copied.(sqliteCopy)
	if err := h.slate.Wipe(h.context(), c.file); err != nil {
		return err
	}
	return os.WriteFile(h.path+".head", c.mark, 0o600)
}

func (h *sqliteHome) lose() (noticed bool, err error) {
	file, err := anotherLedger()
	if err != nil {
		return false, err
	}
	return true, h.slate.Replace(h.context(), file)
}

func (h *sqliteHome) change(from, to string) error {
	file, err := h.slate.File(h.context())
	if err != nil {
		return err
	}
	other := bytes.ReplaceAll(file, []byte(from), []byte(to))
	if len(other) != len(file) || bytes.Equal(other, file) {
		return fmt.Errorf("%q cannot be changed into %q in place", from, to)
	}
	return h.slate.Replace(h.context(), other)
}

func (h *sqliteHome) forget() error { return os.Remove(h.path + ".head") }

// sqliteStore is the real store.
type sqliteStore struct {
	*sqlite.Store
	home *sqliteHome
}

func (s sqliteStore) Verify(ctx context.Context) ([]ledger.Problem, error) {
	return s.Store.Verify(s.home.slate.Context(ctx))
}

// fileTables runs the queries of a view through a connection that only reads.
type fileTables struct {
	db          *sql.DB
	dataVersion *sql.Stmt
}

func (f fileTables) query(query string, args ...any) (rows, error) { return f.db.Query(query, args...) }

func (f fileTables) version() (n int64, err error) { return n, f.dataVersion.QueryRow().Scan(&n) }

func (f fileTables) close() error { return errors.Join(f.dataVersion.Close(), f.db.Close()) }
