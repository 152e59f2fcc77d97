package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"

	"payrun/ledger"
)

// byFunction has SQL give the columns of a query to a function of ours, as its arguments.
// Asked for column by column, as the driver does, SQLite takes the connection's lock
// twice or three times for each, which was a third of the time of a verification;
// arguments come without.
func byFunction(q Select) string { return `SELECT payrun_row(?, ` + q.Columns + `) ` + q.From }

// walkConn reads straight from the driver of a connection: of millions of rows database/sql
// would check, copy and convert every value. own is a connection that is closed with the source.
func walkConn(conn, own *sql.Conn, q Select, args []any) (Source, error) {
	s := &connSource{own: own}
	text := q.Text()
	if q.Lies {
		text, s.receiver = byFunction(q), newReceiver()
		args = append([]any{s.number}, args...)
	}
	err := conn.Raw(func(raw any) (err error) {
		// The empty context: the driver watches any other with a goroutine.
		none := context.Background()
		if s.stmt, err = raw.(driver.ConnPrepareContext).PrepareContext(none, text); err != nil {
			s.stmt = nil // the driver's is then not nil, and not one
			return err
		}
		values := make([]driver.NamedValue, len(args))
		for i, a := range args {
			values[i].Ordinal = i + 1
			if values[i].Value, err = driver.DefaultParameterConverter.ConvertValue(a); err != nil {
				return err
			}
		}
		s.rows, err = s.stmt.(driver.StmtQueryContext).QueryContext(none, values)
		return err
	})
	if err != nil {
		return nil, errors.Join(err, s.Close())
	}
	s.asked = make([]driver.Value, len(s.rows.Columns()))
	if s.receiver == nil {
		s.cells = make(Cells, len(s.asked))
	}
	return s, nil
}

type connSource struct {
	*receiver // nil where the driver gives the columns
	own       *sql.Conn
	stmt      driver.Stmt
	rows      driver.Rows
	asked     []driver.Value // what the driver gives of a row: all of it, or its number where the function gets its columns
	cells     Cells
}

func (s *connSource) Next() (Cells, error) {
	if err := s.rows.Next(s.asked); err != nil {
		return nil, err
	}
	if s.receiver != nil {
		return s.row(s.asked[0])
	}
	for i, v := range s.asked {
		s.cells[i] = cellOf(v)
	}
	return s.cells, nil
}

func (s *connSource) Close() (err error) {
	if s.rows != nil {
		err = s.rows.Close()
	}
	if s.stmt != nil {
		err = errors.Join(err, s.stmt.Close())
	}
	if s.receiver != nil {
		s.end()
	}
	if s.own != nil {
		err = errors.Join(err, s.own.Close())
	}
	return err
}

// receiver takes the rows of one query.
type receiver struct {
	number int64 // its own
	taken  int64 // rows
	given  int64 // of these
	last   Cells
	texts  []byte // those of the row
}

var (
	receivers    sync.Map // of the queries that run, by number
	lastReceiver atomic.Int64
)

func newReceiver() *receiver {
	h := &receiver{number: lastReceiver.Add(1)}
	receivers.Store(h.number, h)
	return h
}

func (h *receiver) end() { receivers.Delete(h.number) }

func init() {
	sqlite.MustRegisterFunction("payrun_row", &sqlite.FunctionImpl{NArgs: -1, VolatileArgs: true, Scalar: receiveRow})
}

// errNoReceiver is the function called by anybody but a cursor.
var errNoReceiver = errors.New("payrun_row is for payrun's own queries")

// receiveRow returns the number of the row, from 1.
func receiveRow(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	if len(args) == 0 {
		return nil, errNoReceiver
	}
	of, _ := args[0].(int64)
	found, ok := receivers.Load(of)
	if !ok {
		return nil, errNoReceiver
	}
	h := found.(*receiver)
	h.take(args[1:])
	return h.taken, nil
}

// take copies the values, which are SQLite's own until the function returns; the texts
// of a row together.
func (h *receiver) take(args []driver.Value) {
	h.taken++
	h.texts = h.texts[:0]
	for _, v := range args {
		if s, ok := v.(string); ok {
			h.texts = append(h.texts, s...)
		}
	}
	texts := string(h.texts)
	h.last = h.last[:0]
	for _, v := range args {
		c := cellOf(v)
		if n := len(c.text); n > 0 {
			c.text, texts = texts[:n], texts[n:]
		}
		h.last = append(h.last, c)
	}
}

// row gives the cells of the next row, whose number the query gave.
func (h *receiver) row(number driver.Value) (Cells, error) {
	h.given++
	if number != h.given || h.taken != h.given {
		return nil, fmt.Errorf("%w: rows do not lie in their order: row %d is %v of %d", ledger.ErrLedgerDamaged, h.given, number, h.taken)
	}
	return h.last, nil
}
