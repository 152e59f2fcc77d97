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
// inserts, job after job, so that the next rows are prepared meanwhile. After stop, and until
// close or another, the caller may use the transaction.
type bulkWriter struct {
	LoadEngine
	plain manyRows // payouts without the columns that few have
	full  manyRows
	keys  manyRows
	more  []*manyRows // of other tables

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
	w       *bulkWriter
	to      Inserter
	columns int // values of a row
	values  []Arg
	spare   chan []Arg // back from jobs
}

// rowsOver is how many rows make one job: as many payouts as a check returns at a time.
const rowsOver = 1024

// jobsAhead is how many jobs may wait. A longer queue keeps neither side busier, and its rows
// have left the processor's cache when their turn comes.
const jobsAhead = 2

func newBulkWriter(e LoadEngine) *bulkWriter {
	w := &bulkWriter{LoadEngine: e, jobs: make(chan job, jobsAhead), ended: make(chan struct{})}
	go w.work()
	return w
}

// another returns a writer in the same transaction, for the next sheet; this one has stopped
// without an error. After an error, this one still has to be closed.
func (w *bulkWriter) another() (*bulkWriter, error) {
	if err := w.closeInserters(); err != nil {
		return nil, err
	}
	return newBulkWriter(w.LoadEngine), nil
}

// work runs the jobs. After an error it only empties the channel, so that no sender blocks.
func (w *bulkWriter) work() {
	defer close(w.ended)
	for j := range w.jobs {
		if w.failed() == nil {
			if err := j.do(); err != nil {
				w.mu.Lock()
				w.err = damage("load", err) // here, because any later call may return it
				w.mu.Unlock()
			}
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

// prepare prepares for one sheet: a load that lacks a table does not begin.
func (w *bulkWriter) prepare(sheetNo int64) (err error) {
	const columns = `sheet_no, id, row, route_no, amount, ref, vendor_name, bank_account_number, ifsc, remarks`
	shared := []driver.Value{sheetNo}
	if w.plain, err = w.rows(Into{"payouts", columns, shared}); err != nil {
		return err
	}
	if w.full, err = w.rows(Into{"payouts", columns + `, open_beneficiary_id, bene_lei, ref_key`, shared}); err != nil {
		return err
	}
	w.keys, err = w.rows(intoKeys)
	return err
}

// intoKeys are the references of first attempts.
var intoKeys = Into{"wire_keys", `number, key, payout_id`, []driver.Value{int64(1)}}

// rows prepares for rows of a table.
func (w *bulkWriter) rows(into Into) (m manyRows, err error) {
	m = manyRows{w: w, columns: into.Own(), spare: make(chan []Arg, jobsAhead+2)}
	m.values = m.room()
	m.to, err = w.Inserter(into)
	return m, err
}

// room returns an empty slice for the values of one job.
func (m *manyRows) room() []Arg {
	select {
	case values := <-m.spare:
		return values
	default:
		return make([]Arg, 0, m.columns*rowsOver)
	}
}

// row adds a row, and sends the waiting rows when they fill a job.
func (m *manyRows) row(values ...driver.Value) {
	for _, v := range values {
		m.values = append(m.values, Arg{Value: v})
	}
	if len(m.values) == m.columns*rowsOver {
		m.flush()
	}
}

// flush sends the waiting rows.
func (m *manyRows) flush() {
	if len(m.values) == 0 {
		return
	}
	values := m.values
	m.values = m.room()
	m.w.jobs <- job{do: func() error {
		err := m.to.Insert(values)
		select {
		case m.spare <- values[:0]:
		default:
		}
		return err
	}}
}

// insert inserts n rows once the goroutine has ended. Meanwhile it prepares the next: it calls
// row for each, one after the other.
func (w *bulkWriter) insert(into Into, n int, row func(i int) []driver.Value) (err error) {
	to, err := w.Inserter(into)
	if err != nil {
		return err
	}
	ready, enough := make(chan []Arg, 1), make(chan struct{})
	go func() {
		defer close(ready)
		var values []Arg
		for i := range n {
			for _, v := range row(i) {
				values = append(values, Arg{Value: v})
			}
			if (i+1)%scatteredAtOnce != 0 && i < n-1 {
				continue
			}
			select {
			case ready <- values:
				values = nil
			case <-enough:
				return
			}
		}
	}()
	for values := range ready {
		if err == nil {
			if err = to.Insert(values); err != nil {
				close(enough)
			}
		}
	}
	return errors.Join(err, to.Close())
}

// scatteredAtOnce is how many rows insert handles at a time.
const scatteredAtOnce = 2600

// addPayouts inserts payouts, which have their numbers. Rows that wait for one inserter are
// sent before a row for the other.
func (w *bulkWriter) addPayouts(payouts []ledger.KeyedPayout, routeNo []int64) {
	for len(payouts) > 0 {
		n := min(payoutsAlike, len(payouts))
		rare := false
		for i := range payouts[:n] {
			rare = rare || hasRareColumns(&payouts[i])
		}
		if rare {
			w.plain.flush()
			for i := range payouts[:n] {
				p := &payouts[i]
				w.full.row(p.ID, int64(p.Row), routeNo[i], int64(p.Amount), p.Ref, p.VendorName, p.BankAccountNumber, p.IFSC,
					orNull(p.Remarks), orNull(p.OpenBeneficiaryID), orNull(p.BeneLEI), storedKey(p.Ref, p.Key))
			}
		} else {
			w.full.flush()
			for i := range payouts[:n] {
				p := &payouts[i]
				w.plain.row(p.ID, int64(p.Row), routeNo[i], int64(p.Amount), p.Ref, p.VendorName, p.BankAccountNumber, p.IFSC, orNull(p.Remarks))
			}
		}
		payouts, routeNo = payouts[n:], routeNo[n:]
	}
	w.plain.flush()
	w.full.flush()
}

// payoutsAlike is how many payouts in a row use one inserter.
const payoutsAlike = 256

func hasRareColumns(p *ledger.KeyedPayout) bool {
	return p.OpenBeneficiaryID != "" || p.BeneLEI != "" || storedKey(p.Ref, p.Key) != nil
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
	for _, m := range append(w.more, &w.plain, &w.full, &w.keys) {
		if m.to != nil {
			err = errors.Join(err, m.to.Close())
		}
	}
	return err
}

// close ends the transaction. It commits only if every job ran.
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
