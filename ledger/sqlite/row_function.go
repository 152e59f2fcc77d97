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

// byFunction passes the columns of a query to a function of ours, as arguments. The driver asks SQLite column
// by column, and each time SQLite takes the connection's lock two or three times; this took a third of a
// verification. Arguments need no lock.
func byFunction(q Select) string { return `SELECT payrun_row(?, ` + q.Columns + `) ` + q.From }

// walkConn reads directly from the driver of a connection: database/sql would check, copy and convert every
// value of millions of rows.
func walkConn(conn *sql.Conn, q Select, args []any) (Source, error) {
	s := &connSource{}
	text := q.Text()
	if q.Lies {
		text, s.receiver = byFunction(q), newReceiver()
		args = append([]any{s.number}, args...)
	}
	err := conn.Raw(func(raw any) (err error) {
		// The empty context: for any other the driver starts a goroutine to watch it.
		none := context.Background()
		if s.stmt, err = raw.(driver.ConnPrepareContext).PrepareContext(none, text); err != nil {
			s.stmt = nil // the driver returns a non-nil interface without a statement
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
	*receiver // nil if the driver returns the columns
	stmt      driver.Stmt
	rows      driver.Rows
	asked     []driver.Value // a row of the driver: all its columns, or only its number if the function gets the columns
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
	return err
}

// receiver takes the rows of one query.
type receiver struct {
	number int64 // its own number
	taken  int64 // rows that SQLite passed
	given  int64 // rows that Next returned
	last   Cells
	texts  []byte // the texts of the row
}

var (
	receivers    sync.Map // of the running queries, by number
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

// errNoReceiver: something other than a cursor called the function.
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

// take copies the values: they are SQLite's, and valid only until the function returns. It copies all texts of
// a row at once.
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

// row returns the cells of the next row. number is what the query returned for it.
func (h *receiver) row(number driver.Value) (Cells, error) {
	h.given++
	if number != h.given || h.taken != h.given {
		return nil, fmt.Errorf("%w: rows do not lie in their order: row %d is %v of %d", ledger.ErrLedgerDamaged, h.given, number, h.taken)
	}
	return h.last, nil
}
