package connect

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"
)

// Conn is the part of the driver's connections that the ledger uses. Without driver.QueryerContext, database/sql
// prepares each query, and closes it with its rows.
type Conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// keepingConn is a connection that keeps its compiled statements: compiling one, with the triggers of the
// tables it writes, takes longer than running it on a few rows.
type keepingConn struct {
	Conn
	kept map[string]*keptStmt
}

// keptStmt is a compiled statement. While its rows are read it is busy, and the same text is compiled once
// more.
type keptStmt struct {
	stmt
	busy bool
}

type stmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// keptAtMost bounds the statements that a connection keeps. The program has fewer; the bound is for texts that
// vary with their data.
const keptAtMost = 128

// statement returns the kept statement, or nil if none can be used.
func (c *keepingConn) statement(ctx context.Context, query string) (*keptStmt, error) {
	if k := c.kept[query]; k != nil {
		if k.busy {
			return nil, nil
		}
		return k, nil
	}
	if len(c.kept) == keptAtMost || !mayKeep(query) {
		return nil, nil
	}
	s, err := c.Conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	k := &keptStmt{stmt: s.(stmt)}
	c.kept[query] = k
	return k, nil
}

// mayKeep reports whether a statement can be kept. A pragma may act when it is compiled, so it must be compiled
// each time; a text with several statements cannot be kept.
func mayKeep(query string) bool {
	if strings.Contains(strings.TrimSuffix(query, ";"), ";") {
		return false
	}
	verb := strings.Fields(query[:min(len(query), 64)])
	return len(verb) > 0 && slices.Contains(keptVerbs, verb[0])
}

var keptVerbs = []string{"SELECT", "INSERT", "UPDATE", "DELETE", "WITH"}

func (c *keepingConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	k, err := c.statement(ctx, query)
	switch {
	case err != nil:
		return nil, err
	case k == nil:
		return c.Conn.ExecContext(ctx, query, args)
	}
	return k.ExecContext(ctx, args)
}

// PrepareContext lends the kept statement until the caller closes it.
func (c *keepingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	k, err := c.statement(ctx, query)
	switch {
	case err != nil:
		return nil, err
	case k == nil:
		return c.Conn.PrepareContext(ctx, query)
	}
	k.busy = true
	return lentStmt{k}, nil
}

type lentStmt struct{ *keptStmt }

func (l lentStmt) Close() error {
	l.busy = false
	return nil
}

func (c *keepingConn) Close() error {
	for query, k := range c.kept {
		_ = k.Close() // an error in it was reported when it occurred
		delete(c.kept, query)
	}
	return c.Conn.Close()
}
