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

// Pool returns a pool of connections. It opens the first one at its first use.
func Pool(ctx context.Context, dsn string) (*sql.DB, error) {
	c, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	open, ok := ctx.Value(openerKey{}).(Opener)
	if !ok {
		open = Open
	}
	return sql.OpenDB(connector{c, dsn, open}), nil
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
	driver.Connector
	dsn  string
	open Opener
}

func (c connector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.open(ctx, c.dsn)
	if err != nil {
		return nil, err
	}
	return conn, nil
}
