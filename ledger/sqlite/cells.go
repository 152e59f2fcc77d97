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

// Number returns a cell with a number, Text one with a text. The zero Cell is neither.
func Number(n int64) Cell { return Cell{is: isNumber, number: n} }
func Text(s string) Cell  { return Cell{is: isText, text: s} }

// kind separates the values that are read from those that only damage can leave: NULL, bytes, floats.
type kind byte

const (
	isOther kind = iota
	isNumber
	isText
)

// Cells are the values of a row. A value that is NULL or of another type reads as the zero value, because the
// row may be damaged.
type Cells []Cell

func (c Cells) int(i int) int64 { return c[i].number }

func (c Cells) bool(i int) bool { return c.int(i) != 0 }

func (c Cells) text(i int) string { return c[i].text }

// scan stores the cells from index from on in the fields of a table, and reports whether each has its field's
// kind. verify accepts other kinds: the digest of the row shows the damage.
func (c Cells) scan(from int, fields []any) (sound bool) {
	sound = true
	for i, field := range fields {
		sound = c[from+i].Into(field) && sound
	}
	return sound
}

// read is scan for rows that must be sound.
func (c Cells) read(fields []any) error {
	if !c.scan(0, fields) {
		return fmt.Errorf("%w: a value of a row is not what it has to be", ledger.ErrLedgerDamaged)
	}
	return nil
}

// Into stores the cell in a field (zero if it is of another kind) and reports whether it has the field's kind.
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
		if *f.at = (time.Time{}); c.is == isNumber {
			*f.at = time.UnixMicro(c.number).UTC()
		}
		return c.is != isText
	case amount:
		*f.paise, *f.given = ledger.Paise(c.number), c.is == isNumber
		return c.is != isText
	case **ledger.Paise:
		if *f = nil; c.is == isNumber {
			*f = new(ledger.Paise(c.number))
		}
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

// value is the inverse of cellOf.
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
