package sqlite

import (
	"context"
	"errors"
	"io"
	"slices"

	"payrun/ledger"
)

// cursor walks over the rows of one query. One reader may have several open cursors, all in one goroutine.
type cursor struct {
	ctx context.Context
	src Source
	Cells
	more bool // Cells holds a row; false at the end and after an error
	seen int
	err  error
}

// walk runs a query and reads its first row.
func walk(ctx context.Context, r Snapshot, q Select, args ...any) (*cursor, error) {
	src, err := r.Walk(ctx, q, args...)
	if err != nil {
		return nil, err
	}
	c := &cursor{ctx: ctx, src: src}
	c.next()
	return c, nil
}

// watchEvery is the number of rows after which a cursor checks whether it should stop.
const watchEvery = 1024

// next reads the next row.
func (c *cursor) next() {
	if c.seen++; c.seen%watchEvery == 0 && c.ctx.Err() != nil {
		c.more, c.err = false, c.ctx.Err()
		return
	}
	var err error
	c.Cells, err = c.src.Next()
	if c.more = err == nil; !c.more && !errors.Is(err, io.EOF) {
		c.err = err
	}
}

func (c *cursor) close() error { return errors.Join(c.err, c.src.Close()) }

// eachCells calls fn for every row of a query. It reuses the cells once fn returns; a text stays valid.
func eachCells(ctx context.Context, r Snapshot, fn func(Cells) error, q Select, args ...any) error {
	c, err := walk(ctx, r, q, args...)
	if err != nil {
		return err
	}
	for ; c.more; c.next() {
		if err := fn(c.Cells); err != nil {
			return errors.Join(err, c.close())
		}
	}
	return c.close()
}

// cursors are the open cursors of one join.
type cursors []*cursor

// walkAll runs some queries at once.
func walkAll(ctx context.Context, r Snapshot, queries ...Select) (open cursors, err error) {
	for _, q := range queries {
		c, err := walk(ctx, r, q)
		if err != nil {
			return nil, errors.Join(err, open.close())
		}
		open = append(open, c)
	}
	return open, nil
}

// failed reports whether one of them met an error; close returns it.
func (l cursors) failed() bool {
	return slices.ContainsFunc(l, func(c *cursor) bool { return c.err != nil })
}

// close closes all of them. It returns the errors that stopped them early.
func (l cursors) close() error { return errors.Join(ledger.ListOf(l, (*cursor).close)...) }
