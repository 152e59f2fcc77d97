// Package sqlitetest lets a test run thousands of ledgers one after another at one path. Connections outlive
// the ledgers that close them and keep the schema they read and the statements they compiled. The file gets its
// first content back instead of being created again. Only tests import the package.
package sqlitetest

import (
	"bytes"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"math"
	"net/url"
	"os"
	"strings"
	"sync"

	"payrun/ledger/sqlite/internal/connect"
)

// Slate is a place for one ledger after another. SQLite's guarantees between connections still hold: a slate
// only saves opening and closing them.
type Slate struct {
	path string

	mu   sync.Mutex
	idle map[string][]*slateConn // by DSN
	made bool                    // the file exists, and only SQLite has touched it
}

// NewSlate returns a slate for ledgers at path. Wipe puts the first one there.
func NewSlate(path string) *Slate {
	return &Slate{path: path, idle: map[string][]*slateConn{}}
}

// Context returns a context in which sqlite.Open and OpenExclusive use the connections of the slate.
func (s *Slate) Context(ctx context.Context) context.Context { return connect.With(ctx, s.open) }

// Reader opens a pool of one connection that only reads, for a test that looks into the ledger.
func (s *Slate) Reader() *sql.DB {
	u := url.URL{Scheme: "file", Path: s.path, RawQuery: "mode=ro&_pragma=query_only(1)"}
	return connect.Pool(s.Context(context.Background()), u.String(), 1)
}

func (s *Slate) open(ctx context.Context, dsn string) (connect.Conn, error) {
	s.mu.Lock()
	if n := len(s.idle[dsn]); n > 0 {
		c := s.idle[dsn][n-1]
		s.idle[dsn] = s.idle[dsn][:n-1]
		s.mu.Unlock()
		return c, nil
	}
	s.mu.Unlock()
	c, err := connect.Open(ctx, dsn)
	if err != nil {
		return nil, err
	}
	return &slateConn{Conn: c, keyed: c, slate: s, dsn: dsn}, nil
}

// slateConn goes back to the slate when it is closed. What was not committed is rolled back.
type slateConn struct {
	connect.Conn // the connection in use: keyed or keyless
	keyed        connect.Conn
	keyless      connect.Conn // without foreign keys; nil before they are first turned off
	slate        *Slate
	dsn          string
}

func (c *slateConn) Close() error {
	if !c.IsValid() {
		return c.close()
	}
	_ = exec(context.Background(), c.Conn, `ROLLBACK`) // it fails if there is no transaction
	c.Conn = c.keyed
	c.slate.mu.Lock()
	defer c.slate.mu.Unlock()
	c.slate.idle[c.dsn] = append(c.slate.idle[c.dsn], c)
	return nil
}

func (c *slateConn) close() error {
	if c.keyless == nil {
		return c.keyed.Close()
	}
	return errors.Join(c.keyless.Close(), c.keyed.Close())
}

// PrepareContext does not turn foreign keys off and on, because then every kept statement is compiled again. It
// switches to another connection where they are off. Both texts come outside of transactions.
func (c *slateConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	switch query {
	case `PRAGMA foreign_keys = OFF`:
		if c.keyless == nil {
			other, err := connect.Open(ctx, c.dsn)
			if err != nil {
				return nil, err
			}
			c.keyless = other
			if err := exec(ctx, other, query); err != nil {
				return nil, err
			}
		}
		c.Conn, query = c.keyless, nothing
	case `PRAGMA foreign_keys = ON`:
		c.Conn, query = c.keyed, nothing
	}
	return c.Conn.PrepareContext(ctx, query)
}

// nothing is a statement that does nothing.
const nothing = `SELECT 1`

func exec(ctx context.Context, c connect.Conn, query string) error {
	stmt, err := c.PrepareContext(ctx, query)
	if err != nil {
		return err
	}
	_, err = stmt.(driver.StmtExecContext).ExecContext(ctx, nil)
	return errors.Join(err, stmt.Close())
}

// Close closes the connections and leaves a single file.
func (s *Slate) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.made = false
	var readers, writers []*slateConn
	for dsn, list := range s.idle {
		if strings.Contains(dsn, "query_only") {
			readers = append(readers, list...)
		} else {
			writers = append(writers, list...)
		}
		delete(s.idle, dsn)
	}
	var errs []error
	for _, c := range append(readers, writers...) { // a reader that closes last would leave the log
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

// Wipe replaces the last ledger with file, the bytes of a ledger that no one has open, and removes the files
// next to it. No one may have the ledger open.
func (s *Slate) Wipe(ctx context.Context, file []byte) error {
	for _, suffix := range []string{".lock", ".head"} {
		_ = os.Remove(s.path + suffix)
	}
	if s.made {
		return s.Replace(ctx, file)
	}
	if err := s.Close(); err != nil {
		return err
	}
	for _, suffix := range []string{"-wal", "-shm"} {
		_ = os.Remove(s.path + suffix)
	}
	s.made = true
	return os.WriteFile(s.path, file, 0o600)
}

// Replace replaces the ledger and leaves the files next to it. Both ledgers must have the same schema. It
// writes the pages that differ in a transaction, so that connections see them like any other commit: the schema
// they read and their statements stay valid.
func (s *Slate) Replace(ctx context.Context, file []byte) error {
	return s.inTx(ctx, func(tx *sql.Tx) error {
		size := pageSize(file)
		var differ []int
		err := eachPage(ctx, tx, len(file)/size, func(n int, data []byte) {
			if !bytes.Equal(data, file[(n-1)*size:n*size]) {
				differ = append(differ, n)
			}
		})
		if err != nil {
			return err
		}
		var pages int
		if err := tx.QueryRowContext(ctx, `SELECT page_count FROM pragma_page_count`).Scan(&pages); err != nil {
			return err
		}
		for n := pages + 1; n <= len(file)/size; n++ {
			differ = append(differ, n)
		}
		for _, n := range differ {
			if _, err := tx.ExecContext(ctx, `INSERT INTO sqlite_dbpage (pgno, data) VALUES (?, ?)`, n, file[(n-1)*size:n*size]); err != nil {
				return fmt.Errorf("page %d: %w", n, err)
			}
		}
		return nil
	})
}

// File returns the ledger as the bytes of a file that no one has open.
func (s *Slate) File(ctx context.Context) (file []byte, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		return eachPage(ctx, tx, math.MaxInt32, func(_ int, data []byte) { file = append(file, data...) })
	})
	return file, err
}

func (s *Slate) inTx(ctx context.Context, fn func(*sql.Tx) error) (err error) {
	u := url.URL{Scheme: "file", Path: s.path, RawQuery: "mode=rw&_txlock=immediate&_pragma=synchronous(0)"}
	pool := connect.Pool(s.Context(ctx), u.String(), 0)
	defer func() { err = errors.Join(err, pool.Close()) }()
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it does nothing, before it the error is already returned
	if err := fn(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// eachPage reads the pages up to last, as the transaction sees them.
func eachPage(ctx context.Context, tx *sql.Tx, last int, fn func(n int, data []byte)) error {
	rows, err := tx.QueryContext(ctx, `SELECT pgno, data FROM sqlite_dbpage WHERE pgno <= ?`, last)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var n int
		var data sql.RawBytes
		if err := rows.Scan(&n, &data); err != nil {
			return err
		}
		fn(n, data)
	}
	return rows.Err()
}

// pageSize is in the file's header; 1 means 65536, which no ledger has.
func pageSize(file []byte) int { return int(file[16])<<8 | int(file[17]) }
