package sqlite

import (
	"database/sql"
	"database/sql/driver"
	"fmt"
	"reflect"
	"time"

	"payrun/ledger"
)

// Cell is one value of a row.
type Cell struct {
	is     kind
	number int64
	text   string
}

// Number is a cell with a number, and Text one with a text. The zero Cell is neither.
func Number(n int64) Cell { return Cell{is: isNumber, number: n} }
func Text(s string) Cell  { return Cell{is: isText, text: s} }

// kind tells the values that are read from all others, which damage can leave: NULL,
// bytes, floats.
type kind byte

const (
	isOther kind = iota
	isNumber
	isText
)

// Cells are the values of a row. One that is NULL, or not of the type asked for, is the
// zero value: what is read may be damaged.
type Cells []Cell

func (c Cells) int(i int) int64 { return c[i].number }

func (c Cells) bool(i int) bool { return c.int(i) != 0 }

func (c Cells) text(i int) string { return c[i].text }

// isInt tells a number from NULL.
func (c Cells) isInt(i int) bool { return c[i].is == isNumber }

// moment is what micros stores.
func (c Cells) moment(i int) time.Time {
	return fromMicros(sql.NullInt64{Int64: c.int(i), Valid: c.isInt(i)})
}

// scan gives the cells from one on to the fields of a table, and reports whether each is of
// its field's kind. What verify reads need not be: the digest of the row tells.
func (c Cells) scan(from int, fields []any) (sound bool) {
	sound = true
	for i, field := range fields {
		sound = c[from+i].Into(field) && sound
	}
	return sound
}

// read is scan of what has to be sound.
func (c Cells) read(from int, fields []any) error {
	if !c.scan(from, fields) {
		return fmt.Errorf("%w: a value of a row is not what it has to be", ledger.ErrLedgerDamaged)
	}
	return nil
}

// Into gives the cell to a field, zero where it is of another kind, and reports whether it
// is of the field's kind.
func (c Cell) Into(field any) (sound bool) {
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
		*f.at = Cells{c}.moment(0)
		return c.is != isText
	case amount:
		*f.paise, *f.given = ledger.Paise(c.number), c.is == isNumber
		return c.is != isText
	case nullable:
		return c.Into(f.field) || c.is == isOther
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
func (c Cell) value() driver.Value {
	switch c.is {
	case isNumber:
		return c.number
	case isText:
		return c.text
	}
	return nil
}

func cellOf(v driver.Value) Cell {
	switch v := v.(type) {
	case int64:
		return Number(v)
	case string:
		return Text(v)
	}
	return Cell{}
}
