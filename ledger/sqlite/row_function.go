package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"modernc.org/sqlite"

	"payrun/ledger"
)

// rowFunction begins a query whose columns SQL gives to a function of ours, as its arguments,
// and which ends with a parenthesis: rowFunction + `id, ref) FROM payouts ORDER BY id`.
// Asked for column by column, as the driver does, SQLite takes the connection's lock
// twice or three times for each, which was a third of the time of a verification;
// arguments come without.
//
// The order has to be one in which the rows lie: sorted, all of them would come before the first is asked for.
const rowFunction = `SELECT payrun_row(?1, `

// eachByFunction runs a query that begins with rowFunction, whose ?1 it is itself, and calls fn
// for every row. The cells are the next row's once fn returns; a text stays.
func eachByFunction(ctx context.Context, r reader, fn func(cells) error, query string, args ...any) error {
	h, of := &receiver{}, lastReceiver.Add(1)
	receivers.Store(of, h)
	defer receivers.Delete(of)
	var n int64
	return each(ctx, r, func(rows *sql.Rows) error {
		var number int64
		if err := rows.Scan(&number); err != nil {
			return err
		}
		n++
		row, err := h.row(number, n)
		if err != nil {
			return err
		}
		return fn(row)
	}, query, append([]any{of}, args...)...)
}

// receiver takes the rows of one query.
type receiver struct {
	rows  int64 // that were taken
	cells cells
	texts []byte // those of the row
}

// cell is one value of a row.
type cell struct {
	is     kind
	number int64
	text   string
}

// cells are the values of a row. One that is NULL, or not of the type asked for, is the
// zero value: what is read may be damaged.
type cells []cell

func (c cells) int(i int) int64 { return c[i].number }

func (c cells) bool(i int) bool { return c.int(i) != 0 }

func (c cells) text(i int) string { return c[i].text }

// isInt tells a number from NULL.
func (c cells) isInt(i int) bool { return c[i].is == isNumber }

// moment is what micros stores.
func (c cells) moment(i int) time.Time {
	return fromMicros(sql.NullInt64{Int64: c.int(i), Valid: c.isInt(i)})
}

// scan gives the cells from one on to the fields of a table, and reports whether each is of
// its field's kind. What verify reads need not be: the digest of the row tells.
func (c cells) scan(from int, fields []any) (sound bool) {
	sound = true
	for i, field := range fields {
		sound = c[from+i].into(field) && sound
	}
	return sound
}

// read is scan of what has to be sound.
func (c cells) read(from int, fields []any) error {
	if !c.scan(from, fields) {
		return fmt.Errorf("%w: a value of a row is not what it has to be", ledger.ErrLedgerDamaged)
	}
	return nil
}

// kind tells the values that are read from all others, which damage can leave: NULL,
// bytes, floats.
type kind byte

const (
	isOther kind = iota
	isNumber
	isText
)

// into gives the cell to a field, zero where it is of another kind.
func (c cell) into(field any) (sound bool) {
	switch f := field.(type) {
	case *string:
		*f = c.text
		return c.is == isText
	case *int64:
		*f = c.number
		return c.is == isNumber
	case *int:
		*f = int(c.number)
		return c.is == isNumber
	case *bool:
		*f = c.number != 0
		return c.is == isNumber
	case moment:
		*f.at = cells{c}.moment(0)
		return c.is != isText
	case amount:
		*f.paise, *f.given = ledger.Paise(c.number), c.is == isNumber
		return c.is != isText
	case nullable:
		return c.into(f.field) || c.is == isOther
	case sql.Scanner:
		return f.Scan(c.value()) == nil
	}
	switch v := reflect.ValueOf(field).Elem(); {
	case v.Kind() == reflect.String:
		v.SetString(c.text)
		return c.is == isText
	case v.CanUint():
		v.SetUint(uint64(c.number))
	default:
		v.SetInt(c.number)
	}
	return c.is == isNumber
}

// value is what cellOf took.
func (c cell) value() driver.Value {
	switch c.is {
	case isNumber:
		return c.number
	case isText:
		return c.text
	}
	return nil
}

func cellOf(v driver.Value) cell {
	switch v := v.(type) {
	case int64:
		return cell{is: isNumber, number: v}
	case string:
		return cell{is: isText, text: v}
	}
	return cell{}
}

var (
	receivers    sync.Map // of the queries that run, by number
	lastReceiver atomic.Int64
)

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
	return h.rows, nil
}

// take copies the values, which are SQLite's own until the function returns; the texts
// of a row together.
func (h *receiver) take(args []driver.Value) {
	h.rows++
	h.texts = h.texts[:0]
	for _, v := range args {
		if s, ok := v.(string); ok {
			h.texts = append(h.texts, s...)
		}
	}
	texts := string(h.texts)
	h.cells = h.cells[:0]
	for _, v := range args {
		c := cellOf(v)
		if n := len(c.text); n > 0 {
			c.text, texts = texts[:n], texts[n:]
		}
		h.cells = append(h.cells, c)
	}
}

// row gives the cells of the row that the query stands at, the n-th.
func (h *receiver) row(number driver.Value, n int64) (cells, error) {
	if number != n || h.rows != n {
		return nil, fmt.Errorf("%w: rows do not lie in their order: row %d is %v of %d", ledger.ErrLedgerDamaged, n, number, h.rows)
	}
	return h.cells, nil
}
