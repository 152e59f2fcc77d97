package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
)

// fileEngine is SQLite's Engine: the ledger in a file.
type fileEngine struct {
	sqlReader
	s *Store
}

// querier is the common part of a pool, a connection and a transaction of database/sql.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
	ExecContext(ctx context.Context, query string, args ...any) (sql.Result, error)
}

// sqlReader is a Writer on database/sql.
type sqlReader struct{ q querier }

var _ Writer = sqlReader{}

func (r sqlReader) Query(ctx context.Context, query string, args ...any) (Rows, error) {
	rows, err := r.q.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err // a nil *sql.Rows would be a non-nil Rows
	}
	return rows, nil
}

func (r sqlReader) QueryRow(ctx context.Context, query string, args ...any) Row {
	return r.q.QueryRowContext(ctx, query, args...)
}

// Walk needs a connection, and not a pool.
func (r sqlReader) Walk(_ context.Context, q Select, args ...any) (Source, error) {
	return walkConn(r.q.(*sql.Conn), q, args)
}

func (r sqlReader) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	done, err := r.q.ExecContext(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return done.RowsAffected()
}

func (e fileEngine) Writable() bool { return e.s.write != nil }

func (e fileEngine) Moment(ctx context.Context, fn func(Snapshot) error) error {
	return within(ctx, e.s.read, `BEGIN`, func(r sqlReader) error { return fn(r) })
}

func (e fileEngine) Write(ctx context.Context, fn func(Writer) error) error {
	if !e.Writable() {
		return errors.New("the ledger was opened for reading")
	}
	return within(ctx, e.s.write, `BEGIN IMMEDIATE`, func(w sqlReader) error {
		if err := cmp.Or(fn(w), ctx.Err()); err != nil {
			return err
		}
		_, err := w.Exec(context.WithoutCancel(ctx), `COMMIT`)
		return err
	})
}

// within calls fn in a transaction on a connection of the pool. It rolls back what fn does not commit.
func within(ctx context.Context, pool *sql.DB, begin string, fn func(sqlReader) error) error {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return err
	}
	defer release([]*sql.Conn{conn})
	if _, err := conn.ExecContext(ctx, begin); err != nil {
		return err
	}
	return fn(sqlReader{conn})
}

// WritePlan is Write, because a load occupies the only connection that writes.
func (e fileEngine) WritePlan(ctx context.Context, fn func(Writer) error) error {
	return e.Write(ctx, fn)
}

// Intend raises the mark after it recorded an intent. If it cannot write the mark, the next call stops, not
// this one: this intent is recorded, and the mark may be behind.
func (e fileEngine) Intend(ctx context.Context, _ string, fn func(Writer) error) error {
	if err := e.s.mayIntend(); err != nil {
		return err
	}
	if err := e.Write(ctx, fn); err != nil {
		return err
	}
	_ = e.s.raiseMark(context.WithoutCancel(ctx)) // kept in s.mark.failed; the next intent and Close report it
	return nil
}

// Lost selects every open intent: no other run exists while this one has the lock.
func (fileEngine) Lost(context.Context, Writer) (string, error) { return "", nil }
