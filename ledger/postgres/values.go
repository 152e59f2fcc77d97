package postgres

import (
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// parameters returns the arguments of a query in PostgreSQL's text form, with their types, so that PostgreSQL
// guesses none.
func parameters(types *pgtype.Map, args []any) (values [][]byte, oids []uint32, err error) {
	values, oids = make([][]byte, len(args)), make([]uint32, len(args))
	for i, arg := range args {
		if values[i], oids[i], err = parameter(types, arg); err != nil {
			return nil, nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
	}
	return values, oids, nil
}

func parameter(types *pgtype.Map, arg any) (value []byte, oid uint32, err error) {
	if list, ok := arg.(interface{ Items() any }); ok {
		return items(types, list.Items())
	}
	v, err := sqlite.Plain(arg)
	if err != nil {
		return nil, 0, err
	}
	if v == nil {
		return nil, 0, nil // it has the type of its column
	}
	if null, ok := v.(sqlite.Null); ok {
		if null.IsText {
			return nil, pgtype.TextOID, nil
		}
		return nil, pgtype.Int8OID, nil
	}
	return text(v)
}

// text returns a value in PostgreSQL's text form, and its type. A boolean is a number, as in SQLite.
func text(v sqlite.Value) ([]byte, uint32, error) {
	switch v := v.(type) {
	case int64:
		return strconv.AppendInt(nil, v, 10), pgtype.Int8OID, nil
	case bool:
		if v {
			return []byte("1"), pgtype.Int8OID, nil
		}
		return []byte("0"), pgtype.Int8OID, nil
	case string:
		return []byte(v), pgtype.TextOID, nil
	case []byte:
		return hex.AppendEncode([]byte(`\x`), v), pgtype.ByteaOID, nil
	}
	return nil, 0, fmt.Errorf("a %T is no value of a ledger", v)
}

// items turns a list into one parameter: an array, or JSON.
func items(types *pgtype.Map, list any) (value []byte, oid uint32, err error) {
	oid = pgtype.JSONBOID
	switch list.(type) {
	case []int64, []int:
		oid = pgtype.Int8ArrayOID
	case []string:
		oid = pgtype.TextArrayOID
	}
	value, err = types.Encode(oid, pgtype.TextFormatCode, list, nil)
	return value, oid, err
}

// cell reads a value of a row from its text form.
func cell(f *pgconn.FieldDescription, v []byte) (sqlite.Cell, error) {
	if v == nil {
		return sqlite.Cell{}, nil
	}
	switch f.DataTypeOID {
	case pgtype.Int8OID, pgtype.Int4OID, pgtype.NumericOID:
		n, err := strconv.ParseInt(string(v), 10, 64)
		if err != nil {
			return sqlite.Cell{}, fmt.Errorf("%w: %s: %w", ledger.ErrLedgerDamaged, f.Name, err)
		}
		return sqlite.Number(n), nil
	case pgtype.BoolOID:
		if v[0] == 't' {
			return sqlite.Number(1), nil
		}
		return sqlite.Number(0), nil
	case pgtype.TextOID, pgtype.VarcharOID, pgtype.NameOID, pgtype.UnknownOID:
		return sqlite.Text(string(v)), nil
	}
	return sqlite.Cell{}, nil
}

// into stores a value of a row in a field.
func into(f *pgconn.FieldDescription, v []byte, field any) error {
	if b, ok := field.(*[]byte); ok {
		if f.DataTypeOID != pgtype.ByteaOID || len(v) < 2 {
			return fmt.Errorf("%w: %s has no bytes", ledger.ErrLedgerDamaged, f.Name)
		}
		var err error
		*b, err = hex.AppendDecode(nil, v[2:])
		return err
	}
	c, err := cell(f, v)
	if err == nil && !c.Into(field) {
		err = fmt.Errorf("%w: %s is not what it has to be", ledger.ErrLedgerDamaged, f.Name)
	}
	return err
}
