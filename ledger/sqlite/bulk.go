package sqlite

import (
	"cmp"
	"context"
	"database/sql/driver"
	"errors"
	"sync"

	"payrun/ledger"
)

// bulkWriter inserts the many rows of a sheet in one transaction. Its own goroutine runs the inserts, job after
// job, while the next rows are read and checked. The caller may use the transaction itself only after wait.
type bulkWriter struct {
	LoadEngine
	payouts, keys *manyRows
	tables        []*manyRows            // these and others
	routes        map[ledger.Route]int64 // the numbers of the routes of these rows

	jobs chan func()
	mu   sync.Mutex
	err  error // the first error of a job; no job runs after it
}

// manyRows collects rows of one table for the next job.
type manyRows struct {
	w      *bulkWriter
	into   Into
	most   int // values in a job
	values []Arg
	free   chan []Arg // values of jobs that have run, for the next rows; it holds all there can be, so no job waits for it
}

// rowsOver is how many rows make one job.
const rowsOver = 1024

// jobsAhead is how many jobs may wait. A longer queue keeps neither side busier.
const jobsAhead = 2

func newBulkWriter(e LoadEngine) *bulkWriter {
	w := &bulkWriter{LoadEngine: e, routes: map[ledger.Route]int64{}, jobs: make(chan func(), jobsAhead)}
	w.keys = w.rows(Into{"wire_keys", `number, key, payout_id`, int64(1)}) // of first attempts
	go func() {
		for do := range w.jobs {
			do()
		}
	}()
	return w
}

// fail keeps the first error.
func (w *bulkWriter) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.err = cmp.Or(w.err, err)
}

// failed returns the first error of a job so far.
func (w *bulkWriter) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// run runs a job after those before it.
func (w *bulkWriter) run(do func() error) {
	w.jobs <- func() {
		if w.failed() == nil {
			w.fail(damage("load", do())) // translated here, because any later call may return it
		}
	}
}

// wait waits for the jobs.
func (w *bulkWriter) wait() error {
	done := make(chan struct{})
	w.jobs <- func() { close(done) }
	<-done
	return w.failed()
}

// now runs a job after those before it, and waits for it.
func (w *bulkWriter) now(do func() error) error {
	w.run(do)
	return w.wait()
}

// routeNo returns the number of a route.
func (w *bulkWriter) routeNo(r ledger.Route) (no int64, err error) {
	if no, ok := w.routes[r]; ok {
		return no, nil
	}
	err = w.now(func() (err error) {
		no, err = routeNo(context.Background(), w, r)
		return err
	})
	w.routes[r] = no
	return no, err
}

// rows prepares for rows of a table.
func (w *bulkWriter) rows(into Into) *manyRows {
	m := &manyRows{w: w, into: into, most: into.Lead() + into.Width()*rowsOver, values: make([]Arg, into.Lead()), free: make(chan []Arg, jobsAhead+2)}
	w.tables = append(w.tables, m)
	return m
}

// row adds a row. When the waiting rows fill a job, it sends them.
func (m *manyRows) row(fields ...any) {
	for _, field := range fields {
		v, err := valueOf(field)
		if err != nil {
			m.w.fail(err)
		}
		m.values = append(m.values, Arg{Value: v})
	}
	if len(m.values) == m.most {
		m.flush()
	}
}

// flush sends the waiting rows.
func (m *manyRows) flush() {
	values, lead := m.values, m.into.Lead()
	if len(values) == lead {
		return
	}
	m.w.run(func() error {
		err := m.w.Insert(m.into, values)
		m.free <- values[:lead]
		return err
	})
	select {
	case m.values = <-m.free:
	default:
		m.values = make([]Arg, lead, len(values))
	}
}

// insertRows inserts n rows of a table.
func insertRows[T any](w *bulkWriter, t table[T], n int, row func(i int) T) error {
	m := w.rows(Into{Table: t.name, Columns: t.columns})
	for i := range n {
		v := row(i)
		m.row(t.fields(&v)...)
	}
	m.flush()
	return w.wait()
}

// valueOf returns a field in the form in which it is stored. The fields of a payout need no reflection, which a
// load feels.
func valueOf(field any) (driver.Value, error) {
	switch f := field.(type) {
	case *string:
		return *f, nil
	case *int64:
		return *f, nil
	case nil, string, int64:
		return f, nil
	case int:
		return int64(f), nil
	case nullable:
		return f.Value()
	}
	return driver.DefaultParameterConverter.ConvertValue(field)
}

// orNull returns a text, or nil for an empty one.
func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// close ends the transaction. It commits only if every insert succeeded.
func (w *bulkWriter) close(commit bool) error {
	err := w.wait()
	close(w.jobs)
	ended := w.End(commit && err == nil)
	if !commit {
		return ended // the caller knows why it rolls back
	}
	return errors.Join(err, ended)
}
