package ingest

import (
	"fmt"
	"runtime/debug"
	"slices"
)

// ahead reads rows in a goroutine of its own, a few batches before they are
// asked for, so that reading and judging a sheet share two cores. It gives
// what the reader under it would give, in the same order.
type ahead struct {
	full chan *batch // read and not yet given; closed when the goroutine has ended
	free chan *batch // given and to be used again
	stop chan struct{}
	now  *batch // being given
	at   int    // its next row
}

// batch is rows with cells of their own, and the error that came after them.
type batch struct {
	rows   []Row
	cells  []string
	kinds  []Kind
	styles []int
	err    error
	broke  string // the panic of the reader that came after them, with its stack
}

// A batch ends at as many rows or bytes, and there are so many of them: that
// is all the memory that reading ahead costs.
const (
	batchRows  = 256
	batchBytes = 64 << 10
	batches    = 3
)

// readAhead starts reading. It must be closed.
func readAhead(rows rowReader) *ahead {
	a := &ahead{full: make(chan *batch, batches), free: make(chan *batch, batches), stop: make(chan struct{})}
	for range batches {
		a.free <- &batch{}
	}
	go a.run(rows)
	return a
}

func (a *ahead) run(rows rowReader) {
	defer close(a.full)
	for {
		select {
		case <-a.stop:
			return
		case b := <-a.free:
			b.fill(rows)
			a.full <- b // never waits: there are no more batches than places
			if b.err != nil || b.broke != "" {
				return
			}
		}
	}
}

// fill reads the next rows into the batch. It keeps a panic for the goroutine that asks for the rows,
// so that a server loses one request and not the process.
func (b *batch) fill(rows rowReader) {
	defer func() {
		if p := recover(); p != nil {
			b.rows, b.broke = b.rows[:0], fmt.Sprintf("%v\n%s", p, debug.Stack())
		}
	}()
	b.rows, b.cells, b.kinds, b.styles = b.rows[:0], b.cells[:0], b.kinds[:0], b.styles[:0]
	for size := 0; len(b.rows) < batchRows && size < batchBytes; {
		row, err := rows.next()
		if err != nil {
			b.err = err
			break
		}
		for _, c := range row.Cells {
			size += len(c)
		}
		row.Marks = slices.Clone(row.Marks) // few rows have any
		b.rows = append(b.rows, row)
		b.cells = append(b.cells, row.Cells...)
		b.kinds = append(b.kinds, row.Kinds...)
		b.styles = append(b.styles, row.Styles...)
	}
	b.share()
}

// share gives each row its part of the batch's cells, which no longer move.
func (b *batch) share() {
	cells, kinds, styles := b.cells, b.kinds, b.styles
	for i := range b.rows {
		r := &b.rows[i]
		r.Cells, cells = take(cells, len(r.Cells))
		r.Kinds, kinds = take(kinds, len(r.Kinds))
		r.Styles, styles = take(styles, len(r.Styles))
	}
}

// take splits off the first n of s; nil when there are none.
func take[T any](s []T, n int) (first, rest []T) {
	if n == 0 {
		return nil, s
	}
	return s[:n:n], s[n:]
}

// next gives the next row. Its slices are valid until the next call.
func (a *ahead) next() (Row, error) {
	for a.now == nil || a.at == len(a.now.rows) {
		if a.now != nil && a.now.err != nil {
			return Row{}, a.now.err
		}
		if a.now != nil {
			a.free <- a.now
		}
		if a.now, a.at = <-a.full, 0; a.now.broke != "" {
			panic(a.now.broke)
		}
	}
	a.at++
	return a.now.rows[a.at-1], nil
}

// close ends the goroutine and waits until it has left the reader alone.
func (a *ahead) close() {
	close(a.stop)
	for range a.full {
		// rows that were read and never requested
	}
}
