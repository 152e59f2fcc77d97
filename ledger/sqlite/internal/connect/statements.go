package connect

import (
	"context"
	"database/sql/driver"
	"slices"
	"strings"
)

// Conn is the part of the driver's connections that the ledger uses. It can only prepare statements: database/sql
// closes each after it ran, or with its rows.
type Conn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
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

// PrepareContext lends the kept statement until the caller closes it.
func (c *keepingConn) PrepareContext(ctx context.Context, query string) (driver.Stmt, error) {
	k := c.kept[query]
	if k == nil && len(c.kept) < keptAtMost && mayKeep(query) {
		s, err := c.Conn.PrepareContext(ctx, query)
		if err != nil {
			return nil, err
		}
		k = &keptStmt{stmt: s.(stmt)}
		c.kept[query] = k
	}
	if k == nil || k.busy {
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
