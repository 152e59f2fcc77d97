package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"slices"
	"strings"
)

// cursor walks over the rows of one query, straight from the driver: of
// millions of rows database/sql would check, copy and convert every value. A
// connection may have several open, and is one goroutine's meanwhile.
type cursor struct {
	ctx  context.Context
	stmt driver.Stmt
	rows driver.Rows
	cells
	more bool // cells are of a row; false at the end and after an error
	seen int
	err  error

	asked    []driver.Value // what the driver gives of a row: all of it, or its number where the function gets its columns
	receiver *receiver      // nil where the driver gives the columns
	of       int64          // the number of the receiver
}

// walk runs a query and stands at its first row. One that begins with rowFunction has ?1 for
// itself.
func walk(ctx context.Context, conn *sql.Conn, query string, args ...any) (*cursor, error) {
	c := &cursor{ctx: ctx}
	if strings.HasPrefix(query, rowFunction) {
		c.receiver, c.of = &receiver{}, lastReceiver.Add(1)
		receivers.Store(c.of, c.receiver)
		args = append([]any{c.of}, args...)
	}
	err := conn.Raw(func(raw any) (err error) {
		// The empty context: the driver watches any other with a goroutine.
		none := context.Background()
		if c.stmt, err = raw.(driver.ConnPrepareContext).PrepareContext(none, query); err != nil {
			c.stmt = nil // the driver's is then not nil, and not one
			return err
		}
		values := make([]driver.NamedValue, len(args))
		for i, a := range args {
			values[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
		}
		c.rows, err = c.stmt.(driver.StmtQueryContext).QueryContext(none, values)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, c.close())
	}
	c.asked = make([]driver.Value, len(c.rows.Columns()))
	if c.receiver == nil {
		c.cells = make(cells, len(c.asked))
	}
	c.next()
	return c, nil
}

// watchEvery is after how many rows a cursor looks whether it is to stop.
const watchEvery = 1024

// next goes one row on.
func (c *cursor) next() {
	if c.seen++; c.seen%watchEvery == 0 && c.ctx.Err() != nil {
		c.more, c.err = false, c.ctx.Err()
		return
	}
	err := c.rows.Next(c.asked)
	switch {
	case errors.Is(err, io.EOF):
		c.more = false
		return
	case err != nil:
	case c.receiver != nil:
		c.cells, err = c.receiver.row(c.asked[0], int64(c.seen))
	default:
		for i, v := range c.asked {
			c.cells[i] = cellOf(v)
		}
	}
	if c.more = err == nil; !c.more {
		c.err = err
	}
}

// close ends the query. It returns the error that ended the rows before their
// end, if any.
func (c *cursor) close() error {
	err := c.err
	if c.rows != nil {
		err = errors.Join(err, c.rows.Close())
	}
	if c.stmt != nil {
		err = errors.Join(err, c.stmt.Close())
	}
	if c.receiver != nil {
		receivers.Delete(c.of)
	}
	return err
}

// cursors are those that are open for one join.
type cursors []*cursor

// add opens one more.
func (l *cursors) add(ctx context.Context, conn *sql.Conn, query string, args ...any) (*cursor, error) {
	c, err := walk(ctx, conn, query, args...)
	if err == nil {
		*l = append(*l, c)
	}
	return c, err
}

// failed reports whether one of them met an error; close returns it.
func (l *cursors) failed() bool {
	return slices.ContainsFunc(*l, func(c *cursor) bool { return c.err != nil })
}

// close ends all of them. It returns the errors that ended rows before their end.
func (l *cursors) close() error {
	errs := make([]error, len(*l))
	for i, c := range *l {
		errs[i] = c.close()
	}
	return errors.Join(errs...)
}
