package sqlite

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"modernc.org/sqlite"

	"payrun/ledger"
)

// handed begins a query whose columns are handed over by SQL itself, as arguments of a
// function, and ends with a parenthesis: handed + `id, ref) FROM payouts ORDER BY id`.
// Asked for column by column, as the driver does, SQLite takes the connection's lock
// twice or three times for each, which was a third of the time of a verification;
// arguments come without.
//
// The order has to be one in which the rows lie: sorted, they would be handed over before.
const handed = `SELECT payrun_hand_over(?1, `

// hand takes the rows of one query.
type hand struct {
	rows  int64 // that were taken
	cells []cell
	texts []byte // those of the row
}

// cell is one value of a row.
type cell struct {
	is     kind
	number int64
	text   string
}

// kind tells the values that are read from all others, which damage can leave: NULL,
// bytes, floats.
type kind byte

const (
	isOther kind = iota
	isNumber
	isText
)

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
	hands    sync.Map // of the queries under way, by number
	lastHand atomic.Int64
)

func init() {
	sqlite.MustRegisterFunction("payrun_hand_over", &sqlite.FunctionImpl{NArgs: -1, VolatileArgs: true, Scalar: handOver})
}

// errNoHand is the function called by anybody but a cursor.
var errNoHand = errors.New("payrun_hand_over is for payrun's own queries")

// handOver returns the number of the row, from 1.
func handOver(_ *sqlite.FunctionContext, args []driver.Value) (driver.Value, error) {
	if len(args) == 0 {
		return nil, errNoHand
	}
	of, _ := args[0].(int64)
	found, ok := hands.Load(of)
	if !ok {
		return nil, errNoHand
	}
	h := found.(*hand)
	h.take(args[1:])
	return h.rows, nil
}

// take copies the values, which are SQLite's own until the function returns; the texts
// of a row together.
func (h *hand) take(args []driver.Value) {
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
func (h *hand) row(number driver.Value, n int64) ([]cell, error) {
	if number != n || h.rows != n {
		return nil, fmt.Errorf("%w: rows do not lie in their order: row %d is %v of %d", ledger.ErrLedgerDamaged, n, number, h.rows)
	}
	return h.cells, nil
}
