package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"payrun/ledger"
)

// bulkWriter inserts the many rows of a sheet through the driver itself, many
// rows a statement: database/sql would check and copy each of ten million
// values. It holds one connection and one transaction. Its own goroutine uses
// them, job after job, so that the next rows are prepared while others are
// inserted; between stop and close, or another, the connection is the caller's.
type bulkWriter struct {
	conn  *sql.Conn
	plain manyRows // payouts without the columns that few have
	full  manyRows
	keys  manyRows
	more  []*manyRows // of other tables

	jobs    chan job
	ended   chan struct{}
	stopped bool
	mu      sync.Mutex
	err     error // the first error of a job; no job is done after it
}

// job is work on the connection. done, if any, is closed once the job was done
// or skipped.
type job struct {
	do   func() error
	done chan struct{}
}

// manyRows inserts rows of one table, many a statement.
type manyRows struct {
	w           *bulkWriter
	insert, one string        // the statement up to its rows, and one of them
	columns     int           // values of a row
	atOnce      []int         // rows a statement, the most first and 1 at last
	stmts       []driver.Stmt // one for each of them, compiled when first needed
	args        []driver.NamedValue
	shared      []driver.NamedValue      // that all rows have, as ?1, ?2, …
	joined      []driver.NamedValue      // these and those of a statement
	spare       chan []driver.NamedValue // for args, back from jobs
}

// rowsAtOnce is how many rows a statement inserts. From the first number on the
// cost of a statement no longer shows beside that of its rows; it divides
// rowsOver. The others are for what is left over.
var rowsAtOnce = []int{256, 16, 1}

// scatteredRows are rows that lie anywhere in a tree: a batch by its id, an event by its
// hash. A statement that may have to undo itself copies each page before it first
// writes to it, and these write to nearly all: the fewer statements, the fewer copies.
// So a statement takes what all rows have once, and as many values as SQLite does.
type scatteredRows struct {
	insert string         // the statement up to its rows, what all have first
	shared []driver.Value // by all rows
	own    int            // values of each
}

// mostValues is how many values SQLite takes at a time.
const mostValues = 32_766

// atOnce is rowsAtOnce for them.
func (s *scatteredRows) atOnce() []int {
	return append([]int{(mostValues - len(s.shared)) / s.own, 1024}, rowsAtOnce...)
}

// row is one of them: (?1, ?2, ?, ?, ?) where two values are shared.
func (s *scatteredRows) row() string {
	var b strings.Builder
	for i := range s.shared {
		fmt.Fprintf(&b, "?%d, ", i+1)
	}
	return "(" + b.String() + marks(s.own) + ")"
}

// rowsOver is how many rows are handed over in one job: as many payouts as a
// check gives at a time.
const rowsOver = 1024

// jobsAhead is how many jobs may wait. A longer queue keeps neither side busier,
// and its rows have left the processor's cache when their turn comes.
const jobsAhead = 2

func newBulkWriter(ctx context.Context, db *sql.DB) (*bulkWriter, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	w := writerOn(conn)
	// Load.checkReferences stands in for them. The pragma has no
	// effect inside a transaction, and giveBack turns them on again.
	for _, q := range []string{`PRAGMA foreign_keys = OFF`, `BEGIN IMMEDIATE`} {
		if _, err := conn.ExecContext(ctx, q); err != nil {
			return nil, errors.Join(err, w.giveBack())
		}
	}
	go w.work()
	return w, nil
}

func writerOn(conn *sql.Conn) *bulkWriter {
	return &bulkWriter{conn: conn, jobs: make(chan job, jobsAhead), ended: make(chan struct{})}
}

// another is one in the same transaction, for the next sheet; this one was stopped
// without an error. After an error it is still this one that has to be closed.
func (w *bulkWriter) another() (*bulkWriter, error) {
	if err := w.closeStatements(); err != nil {
		return nil, err
	}
	next := writerOn(w.conn)
	go next.work()
	return next, nil
}

// giveBack returns the connection to the pool as it was taken, with foreign
// keys, or drops it.
func (w *bulkWriter) giveBack() error {
	return errors.Join(foreignKeysOn(w.conn), w.conn.Close())
}

// work does the jobs. After an error it only empties the channel, so that no
// sender blocks.
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

// now has a job done after those before it, and waits for it.
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

// prepare words the statements for one sheet, and compiles the shortest of each:
// a load that lacks a table does not begin.
func (w *bulkWriter) prepare(sheetNo int64) error {
	const columns = `INSERT INTO payouts (row, route_no, amount, ref, vendor_name, bank_account_number, ifsc, remarks, sheet_no`
	w.plain = w.rows(rowsAtOnce, columns+`) VALUES `, fmt.Sprintf(`(?, ?, ?, ?, ?, ?, ?, ?, %d)`, sheetNo))
	w.full = w.rows(rowsAtOnce, columns+`, open_beneficiary_id, bene_lei, ref_key) VALUES `, fmt.Sprintf(`(?, ?, ?, ?, ?, ?, ?, ?, %d, ?, ?, ?)`, sheetNo))
	w.keys = w.rows(rowsAtOnce, insertKeys, `(?, ?, 1)`)
	var errs [3]error
	for i, m := range []*manyRows{&w.plain, &w.full, &w.keys} {
		_, errs[i] = m.statement(len(m.atOnce) - 1)
	}
	return errors.Join(errs[:]...)
}

// insertKeys: OR FAIL, for the statement need not be able to undo itself, because a
// failure undoes the whole sheet.
const insertKeys = `INSERT OR FAIL INTO wire_keys (key, payout_id, number) VALUES `

func (w *bulkWriter) rows(atOnce []int, insert, row string) manyRows {
	m := manyRows{w: w, insert: insert, one: row, columns: strings.Count(row, "?"), atOnce: atOnce, stmts: make([]driver.Stmt, len(atOnce)),
		spare: make(chan []driver.NamedValue, jobsAhead+2)}
	m.args = m.room()
	return m
}

// statement gives the one that inserts atOnce[i] rows.
func (m *manyRows) statement(i int) (driver.Stmt, error) {
	if m.stmts[i] != nil {
		return m.stmts[i], nil
	}
	err := m.w.conn.Raw(func(c any) error {
		stmt, err := c.(driver.ConnPrepareContext).PrepareContext(context.Background(), m.insert+m.one+strings.Repeat(", "+m.one, m.atOnce[i]-1))
		if err == nil { // else the driver returns a non-nil interface around a nil statement
			m.stmts[i] = stmt
		}
		return err
	})
	return m.stmts[i], err
}

// room returns an empty slice for the values of one job. It grows to what a job takes.
func (m *manyRows) room() []driver.NamedValue {
	select {
	case args := <-m.spare:
		return args
	default:
		return make([]driver.NamedValue, 0, m.columns*m.atOnce[1])
	}
}

// giveRoom gives back what room returned.
func (m *manyRows) giveRoom(args []driver.NamedValue) {
	select {
	case m.spare <- args[:0]:
	default:
	}
}

// row adds a row, and hands over the waiting rows when they fill a job.
func (m *manyRows) row(values ...driver.Value) {
	for _, v := range values {
		m.args = append(m.args, driver.NamedValue{Value: v})
	}
	if len(m.args) == m.columns*rowsOver {
		m.flush()
	}
}

// insert inserts n rows that lie anywhere in a tree, once the goroutine has ended. The
// next are made ready meanwhile: row is called for each, one after the other.
func (w *bulkWriter) insert(s scatteredRows, n int, row func(i int) []driver.Value) (err error) {
	m := w.rows(s.atOnce(), s.insert, s.row())
	m.columns = s.own
	for i, v := range s.shared {
		m.shared = append(m.shared, driver.NamedValue{Ordinal: i + 1, Value: v})
	}
	ready, enough := make(chan []driver.NamedValue), make(chan struct{})
	go func() {
		defer close(ready)
		for i := range n {
			for _, v := range row(i) {
				m.args = append(m.args, driver.NamedValue{Value: v})
			}
			if len(m.args) < m.columns*m.atOnce[0] && i < n-1 {
				continue
			}
			select {
			case ready <- m.args:
				m.args = m.room()
			case <-enough:
				return
			}
		}
	}()
	for args := range ready {
		if err == nil {
			if err = m.work(args); err != nil {
				close(enough)
			}
		}
		m.giveRoom(args)
	}
	return errors.Join(err, m.close())
}

func (m *manyRows) close() (err error) {
	for _, stmt := range m.stmts {
		if stmt != nil {
			err = errors.Join(err, stmt.Close())
		}
	}
	clear(m.stmts)
	return err
}

// flush hands over the waiting rows.
func (m *manyRows) flush() {
	if len(m.args) == 0 {
		return
	}
	args := m.args
	m.args = m.room()
	m.w.jobs <- job{do: func() error {
		err := m.work(args)
		m.giveRoom(args)
		return err
	}}
}

func (m *manyRows) work(args []driver.NamedValue) error {
	for i, rows := range m.atOnce {
		for n := rows * m.columns; len(args) >= n; args = args[n:] {
			values := args[:n]
			if len(m.shared) > 0 {
				m.joined = append(append(m.joined[:0], m.shared...), values...)
				values = m.joined
			}
			for j := range values {
				values[j].Ordinal = j + 1
			}
			stmt, err := m.statement(i)
			if err != nil {
				return err
			}
			if err := execute(stmt, values); err != nil {
				return err
			}
		}
	}
	return nil
}

// execute runs a prepared statement without cancellation: the goroutine that
// would watch for it costs more than the rows.
func execute(stmt driver.Stmt, args []driver.NamedValue) error {
	_, err := stmt.(driver.StmtExecContext).ExecContext(context.Background(), args)
	return err
}

// addPayouts inserts payouts, numbered after those before them: rows waiting for
// one statement are handed over before a row for the other.
func (w *bulkWriter) addPayouts(payouts []ledger.KeyedPayout, routeNo []int64) {
	for len(payouts) > 0 {
		n := min(rowsAtOnce[0], len(payouts))
		rare := false
		for i := range payouts[:n] {
			rare = rare || hasRareColumns(&payouts[i])
		}
		if rare {
			w.plain.flush()
			for i := range payouts[:n] {
				p := &payouts[i]
				w.full.row(int64(p.Row), routeNo[i], int64(p.Amount), p.Ref, p.VendorName, p.BankAccountNumber, p.IFSC,
					orNull(p.Remarks), orNull(p.OpenBeneficiaryID), orNull(p.BeneLEI), storedKey(p.Ref, p.Key))
			}
		} else {
			w.full.flush()
			for i := range payouts[:n] {
				p := &payouts[i]
				w.plain.row(int64(p.Row), routeNo[i], int64(p.Amount), p.Ref, p.VendorName, p.BankAccountNumber, p.IFSC, orNull(p.Remarks))
			}
		}
		payouts, routeNo = payouts[n:], routeNo[n:]
	}
	w.plain.flush()
	w.full.flush()
}

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

func (w *bulkWriter) closeStatements() (err error) {
	for _, m := range append(w.more, &w.plain, &w.full, &w.keys) {
		err = errors.Join(err, m.close())
	}
	return err
}

// close ends the transaction and gives the connection back. It commits only
// when every job was done.
func (w *bulkWriter) close(commit bool) error {
	err := errors.Join(w.stop(), w.closeStatements())
	if commit && err == nil {
		if _, err = w.conn.ExecContext(context.Background(), `COMMIT`); err == nil {
			_ = w.giveBack() // the sheet is committed, whatever this says
			return nil
		}
	}
	_, undo := w.conn.ExecContext(context.Background(), `ROLLBACK`)
	if commit {
		undo = nil // it fails when SQLite has rolled back already
	} else {
		err = nil // the caller knows why it rolls back
	}
	return errors.Join(err, undo, w.giveBack())
}

func orNull(s string) driver.Value {
	if s == "" {
		return nil
	}
	return s
}
