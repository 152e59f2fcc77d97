// Package connect opens SQLite's connections, for the ledger and for tests that watch it. It knows no tables.
package connect

import (
	"context"
	"database/sql"
	"database/sql/driver"

	"modernc.org/sqlite"
)

// Opener opens one connection.
type Opener func(ctx context.Context, dsn string) (Conn, error)

type openerKey struct{}

// With returns a context in which Pool opens its connections with open.
func With(ctx context.Context, open Opener) context.Context {
	return context.WithValue(ctx, openerKey{}, open)
}

// Pool returns a pool of at most so many connections. It opens the first one at its first use.
func Pool(ctx context.Context, dsn string, most int) *sql.DB {
	open, ok := ctx.Value(openerKey{}).(Opener)
	if !ok {
		open = Open
	}
	db := sql.OpenDB(connector{dsn, open})
	db.SetMaxOpenConns(most)
	return db
}

// Open opens a connection that keeps its compiled statements.
func Open(ctx context.Context, dsn string) (Conn, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	conn, err := c.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &keepingConn{Conn: conn.(Conn), kept: map[string]*keptStmt{}}, nil
}

type connector struct {
	dsn  string
	open Opener
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) { return c.open(ctx, c.dsn) }

func (connector) Driver() driver.Driver { return &sqlite.Driver{} }
