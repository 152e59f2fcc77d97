package postgres

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// parameters returns the arguments of a query in PostgreSQL's text form, with their types:
// PostgreSQL guesses none.
func parameters(args []any) (values [][]byte, types []uint32, err error) {
	values, types = make([][]byte, len(args)), make([]uint32, len(args))
	for i, arg := range args {
		if values[i], types[i], err = parameter(arg); err != nil {
			return nil, nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
	}
	return values, types, nil
}

func parameter(arg any) (value []byte, oid uint32, err error) {
	if list, ok := arg.(interface{ Items() any }); ok {
		return items(list.Items())
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

// text returns a value in PostgreSQL's text form, and its type. A boolean is a number, as in
// SQLite.
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

// items turns a list into one parameter.
func items(list any) (value []byte, oid uint32, err error) {
	numbers := func(n int, at func(int) int64) ([]byte, uint32, error) {
		b := []byte{'{'}
		for i := range n {
			if i > 0 {
				b = append(b, ',')
			}
			b = strconv.AppendInt(b, at(i), 10)
		}
		return append(b, '}'), pgtype.Int8ArrayOID, nil
	}
	switch list := list.(type) {
	case []int64:
		return numbers(len(list), func(i int) int64 { return list[i] })
	case []int:
		return numbers(len(list), func(i int) int64 { return int64(list[i]) })
	case []string:
		quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
		quoted := make([]string, len(list))
		for i, s := range list {
			quoted[i] = `"` + quote.Replace(s) + `"`
		}
		return []byte("{" + strings.Join(quoted, ",") + "}"), pgtype.TextArrayOID, nil
	}
	value, err = json.Marshal(list)
	return value, pgtype.JSONBOID, err
}

// cell returns a value of a row in text form.
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
