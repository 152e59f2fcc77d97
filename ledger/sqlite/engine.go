package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"strings"
	"time"

	"payrun/ledger"
)

// Engine runs the SQL of the tables: SQLite's (file_engine.go) or another database's (ledger/postgres). The
// queries are SQLite's, in SQL that most databases accept; another engine translates the few differences.
type Engine interface {
	Reader // each call sees the last commit

	// Moment calls fn with a snapshot of the ledger.
	Moment(ctx context.Context, fn func(Snapshot) error) error
	// Writable reports whether the ledger was opened to write.
	Writable() bool
	// Write calls fn in a transaction that holds the ledger's lock from its start. Either
	// everything fn did is durable when it returns nil, or nothing is.
	Write(ctx context.Context, fn func(Writer) error) error
	// WritePlan is Write for planning further attempts. No load runs at the same time.
	WritePlan(ctx context.Context, fn func(Writer) error) error
	// Load begins the transaction of a load.
	Load(ctx context.Context) (LoadEngine, error)

	// Intend is Write for the intent of a call about a batch. It refuses if the ledger may have lost what was
	// sent before, or may lose this intent.
	Intend(ctx context.Context, batchID string, fn func(Writer) error) error
	// Lost prepares a recovery. It returns the SQL condition for an open intent i of a run that is over, or ""
	// if that is every open intent.
	Lost(ctx context.Context, tx Writer) (where string, err error)
}

// Reader reads rows. Its errors are the engine's; damage translates them.
type Reader interface {
	Query(ctx context.Context, query string, args ...any) (Rows, error)
	QueryRow(ctx context.Context, query string, args ...any) Row
}

// Snapshot reads rows of one moment.
type Snapshot interface {
	Reader
	// Walk streams the rows of a long query. Other queries may run meanwhile.
	Walk(ctx context.Context, q Select, args ...any) (Source, error)
}

// Writer reads and writes in one transaction.
type Writer interface {
	Snapshot
	// Exec returns how many rows were written, changed or deleted.
	Exec(ctx context.Context, query string, args ...any) (int64, error)
}

// LoadEngine is the transaction of a load, used by one goroutine at a time.
type LoadEngine interface {
	Writer
	// Insert inserts many rows of a table. values has one row after the other; Insert may change it.
	Insert(into Into, values []Arg) error
	// LockLedger waits for the ledger's lock, which the transaction keeps.
	LockLedger(ctx context.Context) error
	// End commits or rolls back.
	End(commit bool) error
}

// Into is the destination of many rows.
type Into struct {
	Table, Columns string
	First          Value // of the first column in every row; the values begin with a place for it. Nil: each row has its own
}

// Lead counts the places before the values of the rows: 1 for First, or 0.
func (to Into) Lead() int {
	if to.First == nil {
		return 0
	}
	return 1
}

// Width counts the columns of which each row has a value.
func (to Into) Width() int { return strings.Count(to.Columns, ",") + 1 - to.Lead() }

// Value is the value of a column: an int64, a bool, a string, bytes or nil.
type Value = driver.Value

// Arg is a Value as an argument of a statement.
type Arg = driver.NamedValue

// Null is a missing value, of a column of texts or of numbers.
type Null struct{ IsText bool }

// Plain converts an argument of a query into a Value or a Null. It returns nil only if arg is nil.
func Plain(arg any) (Value, error) {
	if arg == nil {
		return nil, nil
	}
	v, err := driver.DefaultParameterConverter.ConvertValue(arg)
	if v == nil && err == nil {
		kept, ok := arg.(interface{ IsText() bool })
		return Null{ok && kept.IsText()}, nil
	}
	return v, err
}

// ErrNoRow: Scan found no row.
var ErrNoRow = sql.ErrNoRows

// Rows are the rows of a query, as *sql.Rows are.
type Rows interface {
	Next() bool
	Scan(fields ...any) error
	Err() error
	Close() error
}

// Row is the first row of a query, like *sql.Row: Scan returns ErrNoRow if there is none.
type Row interface{ Scan(fields ...any) error }

// Source yields the rows of a query. Next reuses the cells, and returns io.EOF after the last
// row.
type Source interface {
	Next() (Cells, error)
	Close() error
}

// Select is a query for Walk.
type Select struct {
	Columns, From string
	Lies          bool // the rows come in the order of storage and are not sorted
}

// Text is the query as one text.
func (q Select) Text() string { return `SELECT ` + q.Columns + ` ` + q.From }

// Tables is the ledger in its tables, on an engine. Several goroutines may call its methods: writes run one
// after another, reads see the last commit.
type Tables struct {
	id    string // the ledger's id
	proof string // of the person who has it open; recorded in events
	db    Engine
	file  string // the file of the tables, for people; "" for no file
}

// NewTables returns the ledger with an id on an engine. proof is recorded in each event; see
// ledger.Event.
func NewTables(id, proof string, db Engine) *Tables { return &Tables{id: id, proof: proof, db: db} }

// LedgerID returns the ledger's random id, made when it was created. Batch ids derive from it.
func (s *Tables) LedgerID() string { return s.id }

// Found gives new tables their id and their first event.
func (s *Tables) Found(ctx context.Context, tx Writer, actor string, at time.Time) error {
	if _, err := tx.Exec(ctx, `INSERT INTO ledger (one, id, created_at) VALUES (1, ?, ?)`, s.id, micros(at)); err != nil {
		return err
	}
	return s.appendEvent(ctx, tx, ledger.CreatedEvent(s.id, actor, at))
}

// inTx runs fn in one transaction that holds the write lock from its start. Either
// everything fn did is durable when it returns nil, or nothing is.
func (s *Tables) inTx(ctx context.Context, doing string, fn func(Writer) error) error {
	return s.failed(doing, s.db.Write(ctx, fn))
}

// failed is damage for writes. If the disk is full, it names the file.
func (s *Tables) failed(doing string, err error) error { return onDisk(s.file, damage(doing, err)) }

// readAt returns what read gives at one moment: of the engine's Moment, or of fresh.
func readAt[T any](ctx context.Context, moment func(context.Context, func(Snapshot) error) error, doing string, read func(Snapshot) (T, error)) (v T, err error) {
	err = moment(ctx, func(r Snapshot) (err error) { v, err = read(r); return err })
	return v, damage(doing, err)
}

// inTurn runs steps one after another and stops at the first error.
func inTurn(steps ...func() error) error {
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
