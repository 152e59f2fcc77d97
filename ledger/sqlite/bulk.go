package sqlite

import (
	"cmp"
	"database/sql/driver"
	"errors"
	"slices"
	"strings"
	"sync"

	"payrun/ledger"
)

// bulkWriter inserts the many rows of a sheet in one transaction. Its own goroutine runs the
// inserts, job after job, so that the next rows are read and checked meanwhile. Only after stop
// may the caller use the transaction itself.
type bulkWriter struct {
	LoadEngine
	payouts, keys manyRows
	more          []*manyRows // of other tables

	jobs    chan job
	ended   chan struct{}
	stopped bool
	mu      sync.Mutex
	err     error // the first error of a job; no job runs after it
}

// job is work in the transaction. done, if any, is closed once the job has run or was skipped.
type job struct {
	do   func() error
	done chan struct{}
}

// manyRows collects rows of one table for the next job.
type manyRows struct {
	w      *bulkWriter
	to     Inserter
	most   int // values
	values []Arg
}

// rowsOver is how many rows make one job.
const rowsOver = 1024

// jobsAhead is how many jobs may wait. A longer queue keeps neither side busier.
const jobsAhead = 2

func newBulkWriter(e LoadEngine) *bulkWriter {
	w := &bulkWriter{LoadEngine: e, jobs: make(chan job, jobsAhead), ended: make(chan struct{})}
	go w.work()
	return w
}

// work runs the jobs. After an error it only empties the channel, so that no sender blocks.
func (w *bulkWriter) work() {
	defer close(w.ended)
	for j := range w.jobs {
		if w.failed() == nil {
			err := damage("load", j.do()) // here, because any later call may return it
			w.mu.Lock()
			w.err = err
			w.mu.Unlock()
		}
		if j.done != nil {
			close(j.done)
		}
	}
}

// failed returns the first error of a job so far.
func (w *bulkWriter) failed() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.err
}

// now runs a job after those before it, and waits for it.
func (w *bulkWriter) now(do func() error) error {
	done := make(chan struct{})
	w.jobs <- job{do, done}
	<-done
	return w.failed()
}

// stop waits for the jobs and ends the goroutine.
func (w *bulkWriter) stop() error {
	if !w.stopped {
		w.stopped = true
		close(w.jobs)
		<-w.ended
	}
	return w.failed()
}

// another returns a writer in the same transaction, for the next sheet; this one has stopped
// without an error. After an error, this one still has to be closed.
func (w *bulkWriter) another() (*bulkWriter, error) {
	if err := w.closeInserters(); err != nil {
		return nil, err
	}
	return newBulkWriter(w.LoadEngine), nil
}

// prepare prepares for one sheet: a load that lacks a table does not begin.
func (w *bulkWriter) prepare(sheetNo int64) (err error) {
	if w.payouts, err = w.rows(Into{"payouts", `sheet_no, id, row, route_no, ref, ref_key, ` + corrections.columns, []driver.Value{sheetNo}}); err != nil {
		return err
	}
	w.keys, err = w.rows(intoKeys)
	return err
}

// intoKeys are the references of first attempts.
var intoKeys = Into{"wire_keys", `number, key, payout_id`, []driver.Value{int64(1)}}

// rows prepares for rows of a table.
func (w *bulkWriter) rows(into Into) (m manyRows, err error) {
	m = manyRows{w: w, most: into.Own() * rowsOver}
	m.to, err = w.Inserter(into)
	return m, err
}

// row adds a row, and sends the waiting rows when they fill a job.
func (m *manyRows) row(values ...driver.Value) {
	for _, v := range values {
		m.values = append(m.values, Arg{Value: v})
	}
	if len(m.values) == m.most {
		m.flush()
	}
}

// flush sends the waiting rows.
func (m *manyRows) flush() {
	if values := m.values; len(values) > 0 {
		m.w.jobs <- job{do: func() error { return m.to.Insert(values) }}
		m.values = make([]Arg, 0, m.most)
	}
}

// insert inserts n rows of a table once the goroutine has ended.
func (w *bulkWriter) insert(into Into, n int, row func(i int) []driver.Value) error {
	to, err := w.Inserter(into)
	if err != nil {
		return err
	}
	var values []Arg
	for i := 0; i < n && err == nil; i++ {
		for _, v := range row(i) {
			values = append(values, Arg{Value: v})
		}
		if (i+1)%rowsOver == 0 || i == n-1 {
			err = to.Insert(values)
			values = values[:0]
		}
	}
	return errors.Join(err, to.Close())
}

// addPayouts inserts payouts, which have their numbers.
func (w *bulkWriter) addPayouts(payouts []ledger.KeyedPayout, routeNo []int64) {
	for i := range payouts {
		p := &payouts[i]
		w.payouts.row(append([]driver.Value{p.ID, int64(p.Row), routeNo[i], p.Ref, storedKey(p.Ref, p.Key)}, sentValues(&p.Payout)...)...)
	}
}

// wireKeys inserts the references of first attempts, sorted.
func (w *bulkWriter) wireKeys(keys []keyed) {
	slices.SortFunc(keys, func(a, b keyed) int { return cmp.Or(strings.Compare(a.key, b.key), cmp.Compare(a.id, b.id)) })
	for _, k := range keys {
		w.keys.row(k.key, k.id)
	}
	w.keys.flush()
}

func (w *bulkWriter) closeInserters() (err error) {
	for _, m := range append(w.more, &w.payouts, &w.keys) {
		if m.to != nil {
			err = errors.Join(err, m.to.Close())
		}
	}
	return err
}

// close ends the transaction. It commits only if every insert succeeded.
func (w *bulkWriter) close(commit bool) error {
	err := errors.Join(w.stop(), w.closeInserters())
	ended := w.End(commit && err == nil)
	if !commit {
		return ended // the caller knows why it rolls back
	}
	return errors.Join(err, ended)
}

func orNull(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}
