package postgres

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// engine runs the queries of ledger/sqlite on a pool of connections. It keeps nothing in a session, so that a
// pooler may use another session for each transaction.
type engine struct {
	pool     *pgxpool.Pool
	writable bool
	wait     time.Duration // how long to wait for another load; 0: not at all
	run      *run          // nil if no run has begun: then nothing is sent
	guard    guard
}

var _ sqlite.Engine = (*engine)(nil)

// Settings of each transaction. By default the planner scans whole tables: with 60,000 payouts a step took
// three times as long, because a new ledger has no table statistics. Cursors are read to their end; planned for
// their first rows, they would read every attempt of the ledger in order to find those of one batch.
const settings = `SELECT set_config('search_path', 'payrun', true), set_config('jit', 'off', true),
	set_config('cursor_tuple_fraction', '1', true), set_config('enable_seqscan', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_material', 'off', true)`

const (
	beginRead  = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ` + settings
	beginWrite = `BEGIN ISOLATION LEVEL READ COMMITTED; ` + settings + `, set_config('synchronous_commit', 'on', true),
		set_config('lock_timeout', '` + waitForLedger + `', true), set_config('idle_in_transaction_session_timeout', '60s', true)`

	// One process writes at a time: everything that a step depends on is read under this lock. A process that
	// is stopped while it has the lock loses it.
	lockLedger    = `SELECT one, set_config('idle_in_transaction_session_timeout', '10s', true) FROM ledger FOR UPDATE`
	waitForLedger = `15s` // for each try; the lock is never held for long
	waitAtEnd     = `60s` // of a load
	// The events that the transaction adds come after this one. The schema is read under the lock, because a
	// newer program may have migrated it since the ledger was opened.
	headBefore = `SELECT coalesce(max(seq), 0), (SELECT name FROM migrations ORDER BY version DESC LIMIT 1) FROM events`
)

// begin takes a connection and begins a transaction on it. A run waits for a server that does not answer as
// long as its lease lasts, so that a restart of the server loses no outcome.
func (e *engine) begin(ctx context.Context, how ...string) (tx *transaction, err error) {
	for {
		tx, err = e.beginOnce(ctx, how)
		if !means(err, ledger.ErrUnreachable) || !e.leased() {
			return tx, err
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(betweenTries):
		}
	}
}

// betweenTries is the pause before a server that did not answer is tried again.
const betweenTries = 100 * time.Millisecond

func (e *engine) beginOnce(ctx context.Context, how []string) (tx *transaction, err error) {
	conn, err := e.pool.Acquire(ctx)
	if err != nil {
		return nil, e.refused(ctx, err)
	}
	tx = &transaction{pooled: conn, conn: conn.Conn().PgConn()}
	done, err := tx.conn.Exec(ctx, strings.Join(how, "; ")).ReadAll()
	if err != nil {
		tx.rollback()
		return nil, meant(err)
	}
	tx.last = done[len(done)-1]
	return tx, nil
}

// refused returns the error of a connection that was not made. It names a missing right.
func (e *engine) refused(ctx context.Context, err error) error {
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil { // connectWithin passed, not the caller's deadline
		err = errors.New(err.Error())
	}
	if err = meant(err); !means(err, ledger.ErrNoRight) {
		return err
	}
	to := e.pool.Config().ConnConfig
	return fmt.Errorf("%w: GRANT CONNECT ON DATABASE %s TO %s", ledger.ErrNoRight, to.Database, to.User)
}

// transaction is a Reader and a Writer.
type transaction struct {
	pooled  *pgxpool.Conn
	conn    *pgconn.PgConn
	last    *pgconn.Result // the last result of the statements that began it
	cursors int            // number of cursors opened

	// For a transaction that writes: its events have the nonce and come after head.
	nonce string
	head  int64
}

// beginWrite begins a transaction that writes, with a nonce that identifies it later.
func (e *engine) beginWrite(ctx context.Context, locks ...string) (*transaction, error) {
	nonce, run := rand.Text(), ""
	if e.run != nil {
		run = e.run.id
	}
	set := fmt.Sprintf(`SELECT set_config('payrun.nonce', '%s', true), set_config('payrun.run', '%s', true), set_config('application_name', 'payrun %[2]s', true)`, nonce, run)
	how := append([]string{beginWrite, set}, locks...)
	if len(locks) > 0 { // otherwise there is no ledger yet
		how = append(how, headBefore)
	}
	tx, err := e.begin(ctx, how...)
	for wait := 1; means(err, ledger.ErrLocked); wait++ {
		ended, why := e.endStopped(ctx)
		if why != nil {
			return nil, errors.Join(err, why)
		}
		if ended == 0 && (wait == waits || locks[0] != lockLedger) {
			return nil, e.lockedBy(ctx, err)
		}
		tx, err = e.begin(ctx, how...)
	}
	if err != nil || len(locks) == 0 {
		return tx, err
	}
	before := tx.last.Rows[0]
	tx.nonce = nonce
	tx.head, err = strconv.ParseInt(string(before[0]), 10, 64)
	if err == nil {
		err = stillSame(string(before[1]))
	}
	if err != nil {
		tx.rollback()
		return nil, err
	}
	return tx, nil
}

// lockedBy names the holder of the lock: a load, or else a step.
func (e *engine) lockedBy(ctx context.Context, err error) error {
	var backend int64
	var h ledger.Holder
	none := e.QueryRow(ctx, `SELECT a.pid::bigint, r.command, r.person, r.pid, r.host
		FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid JOIN runs r ON a.application_name = 'payrun ' || r.id
		WHERE l.relation IN ('loads'::regclass, 'ledger'::regclass) AND l.mode = 'RowShareLock' AND l.granted AND a.datname = current_database()
			AND NOT EXISTS (SELECT 1 FROM pg_locks w WHERE w.pid = l.pid AND NOT w.granted)
		ORDER BY l.relation = 'loads'::regclass DESC LIMIT 1`).Scan(&backend, &h.Command, &h.Person, &h.PID, &h.Host)
	if none != nil {
		return err
	}
	return fmt.Errorf("%w (backend %d of the server)", &ledger.LockedError{Holder: h}, backend)
}

// waits is how often a transaction waits for the ledger's lock before it fails.
const waits = 4

// endStopped ends the transactions of runs that are over, and counts them. A run that stopped within COPY keeps
// its locks, and no timeout ends it.
func (e *engine) endStopped(ctx context.Context) (ended int, err error) {
	type backend struct {
		no, pid int64
		host    string
	}
	stopped, err := sqlite.List(ctx, e, func(b *backend) []any { return []any{&b.no, &b.pid, &b.host} }, `SELECT a.pid::bigint, r.pid, r.host FROM pg_stat_activity a JOIN runs r ON a.application_name = 'payrun ' || r.id
		WHERE a.datname = current_database() AND NOT (`+live+`)`)
	if err != nil {
		return 0, err
	}
	for _, b := range stopped {
		var done bool
		if err := e.QueryRow(ctx, `SELECT pg_terminate_backend(?::bigint::int, 5000)`, b.no).Scan(&done); err != nil {
			return ended, fmt.Errorf("process %d on %s stopped in the middle of a write: end it, or its connection with SELECT pg_terminate_backend(%d): %w", b.pid, b.host, b.no, err)
		}
		ended++
	}
	return ended, nil
}

// warned is the key under which a connection records that the server gave a notice.
const warned = "payrun.warned"

// commitWithin bounds the wait for the answer to COMMIT. A COMMIT that waits for a standby keeps the ledger's
// lock meanwhile.
const commitWithin = 10 * time.Second

// errCommitLost: there was no answer to COMMIT. The transaction may have happened.
var errCommitLost = errors.New("the answer to COMMIT was lost")

// commit ends the transaction. It is durable once commit returns nil. sure is false if the server sent a notice
// with it: it stopped waiting for its standby.
func (tx *transaction) commit(ctx context.Context, within time.Duration) (sure bool, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), within)
	defer cancel()
	defer tx.pooled.Release()
	delete(tx.conn.CustomData(), warned)
	done, err := tx.conn.Exec(ctx, `COMMIT`).ReadAll()
	_, noticed := tx.conn.CustomData()[warned]
	switch said, ok := errors.AsType[*pgconn.PgError](err); {
	case ok && said.SeverityUnlocalized == "ERROR":
		return false, meant(err)
	case err != nil:
		return false, fmt.Errorf("%w: %v", errCommitLost, err)
	case len(done) != 1 || done[0].CommandTag.String() != "COMMIT":
		return false, errors.New("the transaction was rolled back")
	}
	return !noticed, nil
}

// committed finds out whether a transaction happened whose COMMIT got no answer. Under the ledger's lock the
// result is final, because the transaction is over by then. It returns nil if it happened,
// ledger.ErrUnreachable if not, and ledger.ErrCommitUnknown if that is unknown now.
func (e *engine) committed(ctx context.Context, lost *transaction, why error) error {
	ctx = context.WithoutCancel(ctx)
	var there bool
	tx, err := e.begin(ctx, beginWrite, lockLedger)
	if err == nil {
		defer tx.rollback()
		err = tx.QueryRow(ctx, `SELECT EXISTS (SELECT 1 FROM events WHERE seq > ? AND nonce = ?)`, lost.head, lost.nonce).Scan(&there)
	}
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", ledger.ErrCommitUnknown, errors.Join(why, err))
	case !there:
		return fmt.Errorf("%w: %w", ledger.ErrUnreachable, why)
	}
	return nil
}

// rollback undoes the transaction. If that fails, the pool closes the connection.
func (tx *transaction) rollback() {
	_, _ = tx.conn.Exec(context.Background(), `ROLLBACK`).ReadAll()
	tx.pooled.Release()
}

// result is the complete answer to a query; a connection runs one query at a time.
type result struct {
	fields []pgconn.FieldDescription
	rows   [][][]byte
	tag    pgconn.CommandTag
	at     int // the current row of Next, from 1
}

func (tx *transaction) query(ctx context.Context, query string, args []any) (*result, error) {
	values, types, err := parameters(tx.pooled.Conn().TypeMap(), args)
	if err != nil {
		return nil, err
	}
	r := tx.conn.ExecParams(ctx, query, values, types, nil, nil).Read()
	if r.Err != nil {
		return nil, meant(r.Err)
	}
	return &result{fields: r.FieldDescriptions, rows: r.Rows, tag: r.CommandTag}, nil
}

func (r *result) Next() bool {
	r.at++
	return r.at <= len(r.rows)
}

func (r *result) Scan(fields ...any) error {
	if len(fields) != len(r.fields) {
		return fmt.Errorf("%d fields for %d columns", len(fields), len(r.fields))
	}
	for i, field := range fields {
		if err := into(&r.fields[i], r.rows[r.at-1][i], field); err != nil {
			return err
		}
	}
	return nil
}

func (r *result) Err() error   { return nil }
func (r *result) Close() error { return nil }

// row is the first row of a result.
type row struct {
	*result
	err error
}

func (r row) Scan(fields ...any) error {
	switch {
	case r.err != nil:
		return r.err
	case !r.Next():
		return sqlite.ErrNoRow
	}
	return r.result.Scan(fields...)
}

func (tx *transaction) Query(ctx context.Context, query string, args ...any) (sqlite.Rows, error) {
	r, err := tx.query(ctx, translate(query), args)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (tx *transaction) QueryRow(ctx context.Context, query string, args ...any) sqlite.Row {
	r, err := tx.query(ctx, translate(query), args)
	return row{r, err}
}

func (tx *transaction) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	r, err := tx.query(ctx, translate(query), args)
	if err != nil {
		return 0, err
	}
	return r.tag.RowsAffected(), nil
}

// Walk opens a cursor. Other cursors may be open, and queries may run meanwhile.
func (tx *transaction) Walk(ctx context.Context, q sqlite.Select, args ...any) (sqlite.Source, error) {
	tx.cursors++
	s := &source{ctx: ctx, tx: tx, name: "c" + strconv.Itoa(tx.cursors), result: &result{}}
	if _, err := tx.query(ctx, `DECLARE `+s.name+` NO SCROLL CURSOR FOR `+translate(q.Text()), args); err != nil {
		return nil, err
	}
	return s, nil
}

// source yields the rows of a cursor.
type source struct {
	ctx context.Context // of its one query
	tx  *transaction
	*result
	name  string
	ended bool
	cells sqlite.Cells
}

// rowsAtOnce is how many rows a cursor fetches.
const rowsAtOnce = 1000

func (s *source) Next() (sqlite.Cells, error) {
	if s.at++; s.at > len(s.rows) {
		if s.ended {
			return nil, io.EOF
		}
		r, err := s.tx.query(s.ctx, `FETCH `+strconv.Itoa(rowsAtOnce)+` FROM `+s.name, nil)
		if err != nil {
			return nil, err
		}
		if s.result = r; len(r.rows) < rowsAtOnce {
			s.ended = true
		}
		if s.at = 1; len(r.rows) == 0 {
			return nil, io.EOF
		}
	}
	s.cells = s.cells[:0]
	for i, v := range s.rows[s.at-1] {
		c, err := cell(&s.fields[i], v)
		if err != nil {
			return nil, err
		}
		s.cells = append(s.cells, c)
	}
	return s.cells, nil
}

func (s *source) Close() error {
	_, err := s.tx.query(context.WithoutCancel(s.ctx), `CLOSE `+s.name, nil)
	return err
}

// alone runs one query in its own transaction. It tries again if the connection was lost.
func (e *engine) alone(ctx context.Context, query string, args []any) (r *result, err error) {
	for try := 1; ; try++ {
		err = e.Moment(ctx, func(tx sqlite.Snapshot) (err error) {
			r, err = tx.(*transaction).query(ctx, translate(query), args)
			return err
		})
		if !means(err, ledger.ErrUnreachable) || !e.leased() || try == writeTries {
			return r, err
		}
	}
}

func (e *engine) Query(ctx context.Context, query string, args ...any) (sqlite.Rows, error) {
	r, err := e.alone(ctx, query, args)
	if err != nil {
		return nil, err
	}
	return r, nil
}

func (e *engine) QueryRow(ctx context.Context, query string, args ...any) sqlite.Row {
	r, err := e.alone(ctx, query, args)
	return row{r, err}
}

func (e *engine) Moment(ctx context.Context, fn func(sqlite.Snapshot) error) error {
	tx, err := e.begin(ctx, beginRead)
	if err != nil {
		return err
	}
	defer tx.rollback()
	return fn(tx)
}

func (e *engine) Writable() bool { return e.writable }

func (e *engine) Write(ctx context.Context, fn func(sqlite.Writer) error) error {
	_, err := e.write(ctx, fn, lockLedger)
	return err
}

func (e *engine) WritePlan(ctx context.Context, fn func(sqlite.Writer) error) error {
	_, err := e.write(ctx, fn, e.lockLoads(), lockLedger)
	return err
}

// lockLoads waits for another load, or for a run that plans further attempts. Only one runs at a time, so that
// the ids have no gaps.
func (e *engine) lockLoads() string {
	const set = `SELECT set_config('lock_timeout', '%s', true); `
	return fmt.Sprintf(set+`SELECT one FROM loads FOR UPDATE; `+strings.TrimSuffix(set, "; "), fmt.Sprint(max(e.wait.Milliseconds(), 1), "ms"), waitAtEnd)
}

// writeTries is how often a transaction is tried if its connection is lost.
const writeTries = 5

// write runs a transaction. It tries again if the connection was lost and the transaction did not happen. sure
// is true if the server confirmed the commit without a notice.
func (e *engine) write(ctx context.Context, fn func(sqlite.Writer) error, locks ...string) (sure bool, err error) {
	if !e.writable {
		return false, errors.New("the ledger was opened for reading")
	}
	for try := 1; ; try++ {
		var again bool
		if sure, again, err = e.writeOnce(ctx, fn, locks); err == nil || !again || try == writeTries || ctx.Err() != nil {
			return sure, err
		}
	}
}

// writeOnce is one try of write. again means that the connection was lost and the transaction did not happen.
func (e *engine) writeOnce(ctx context.Context, fn func(sqlite.Writer) error, locks []string) (sure, again bool, err error) {
	tx, err := e.beginWrite(ctx, locks...)
	if err != nil {
		return false, false, err
	}
	if err := fn(tx); err != nil {
		again := tx.conn.IsClosed()
		tx.rollback()
		return false, again, err
	}
	sure, err = tx.commit(ctx, commitWithin)
	if errors.Is(err, errCommitLost) {
		err = e.committed(ctx, tx, err)
		again = errors.Is(err, ledger.ErrUnreachable) && !errors.Is(err, ledger.ErrCommitUnknown)
	}
	return sure, again, err
}

func (e *engine) Load(ctx context.Context) (sqlite.LoadEngine, error) {
	tx, err := e.beginWrite(ctx, e.lockLoads())
	if err != nil {
		return nil, err
	}
	return &load{transaction: tx, e: e}, nil
}

// load is the transaction of a load. It takes the ledger's lock only at its end, so steps continue meanwhile.
type load struct {
	*transaction
	e    *engine
	rows []byte // of the last Insert
}

func (l *load) LockLedger(ctx context.Context) error {
	_, err := l.query(ctx, lockLedger, nil)
	return err
}

func (l *load) End(commit bool) error {
	if !commit {
		l.rollback()
		return nil
	}
	_, err := l.commit(context.Background(), time.Hour)
	if errors.Is(err, errCommitLost) {
		err = l.e.committed(context.Background(), l.transaction, err)
	}
	return err
}

// Insert copies rows directly into the table.
func (l *load) Insert(to sqlite.Into, values []sqlite.Arg) (err error) {
	l.rows = l.rows[:0]
	var first []byte
	if to.Lead() > 0 {
		if first, err = appendCopied(nil, to.First); err != nil {
			return err
		}
		first = append(first, '\t')
	}
	values = values[to.Lead():]
	for n, columns := 0, to.Width(); n < len(values); n++ {
		if n%columns == 0 {
			l.rows = append(l.rows, first...)
		}
		if l.rows, err = appendCopied(l.rows, values[n].Value); err != nil {
			return err
		}
		if (n+1)%columns == 0 {
			l.rows = append(l.rows, '\n')
		} else {
			l.rows = append(l.rows, '\t')
		}
	}
	_, err = l.conn.CopyFrom(context.Background(), bytes.NewReader(l.rows), `COPY `+to.Table+` (`+to.Columns+`) FROM STDIN`)
	return meant(err)
}

// appendCopied appends a value in the text form of COPY.
func appendCopied(row []byte, v sqlite.Value) ([]byte, error) {
	if v == nil {
		return append(row, `\N`...), nil
	}
	b, _, err := text(v)
	return append(row, escaped.Replace(string(b))...), err
}

// escaped are the bytes that separate values and rows of COPY.
var escaped = strings.NewReplacer(`\`, `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`)
