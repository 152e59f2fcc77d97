package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"payrun/ledger"
)

// table describes how values are stored: the columns, and the fields for them in the same order. Recording,
// reading and verifying all use this list.
type table[T any] struct {
	name, columns string
	fields        func(*T) []any // pointers, or types that scan and return a value themselves: moment, nullable, inJSON
}

// insert records a value, with further columns that are not its own ("batch_no, ").
func (t table[T]) insert(ctx context.Context, tx Writer, v *T, further string, values ...any) error {
	values = append(values, t.fields(v)...)
	_, err := tx.Exec(ctx, t.into(further)+`(`+marks(len(values))+`)`, values...)
	return err
}

// into returns the beginning of an INSERT statement.
func (t table[T]) into(further string) string {
	return `INSERT INTO ` + t.name + ` (` + further + t.columns + `) VALUES `
}

// replace replaces all rows with these values.
func (t table[T]) replace(ctx context.Context, tx Writer, all []T) error {
	if _, err := tx.Exec(ctx, `DELETE FROM `+t.name); err != nil {
		return err
	}
	return t.insertAll(ctx, tx, all)
}

// insertAll records many values.
func (t table[T]) insertAll(ctx context.Context, tx Writer, all []T) error {
	_, err := writeMany(ctx, tx, t.into(""), "", all, t.fields)
	return err
}

// stepRows are the numbers of rows of a statement, the largest first. A statement with triggers must be able to
// undo itself, so it copies each page before it first writes to it: fewer statements make fewer copies.
var stepRows = [...]int{100, 10, 1}

// tuples returns the values of some rows, given those of one.
func tuples(rows int, values string) string { return strings.Repeat(",("+values+")", rows)[1:] }

// writeMany writes the values of many rows, with the fewest statements, and returns how many rows were written.
func writeMany[T any](ctx context.Context, tx Writer, before, after string, all []T, values func(*T) []any) (written int64, err error) {
	for _, rows := range stepRows {
		for ; len(all) >= rows; all = all[rows:] {
			var args []any
			for i := range rows {
				args = append(args, values(&all[i])...)
			}
			n, err := tx.Exec(ctx, before+tuples(rows, marks(len(args)/rows))+after, args...)
			if written += n; err != nil {
				return written, err
			}
		}
	}
	return written, nil
}

// list reads the values that a condition selects. The condition may end with the order.
func (t table[T]) list(ctx context.Context, r Reader, where string, args ...any) ([]T, error) {
	return list(ctx, r, t.fields, `SELECT `+t.columns+` FROM `+t.name+` WHERE `+where, args...)
}

// list reads the rows of a query.
func list[T any](ctx context.Context, r Reader, fields func(*T) []any, query string, args ...any) (all []T, err error) {
	err = eachOf(ctx, r, fields, func(v T) error { all = append(all, v); return nil }, query, args...)
	return all, err
}

// List exports list for other engines, and Moment the stored form of a time.
func List[T any](ctx context.Context, r Reader, fields func(*T) []any, query string, args ...any) ([]T, error) {
	return list(ctx, r, fields, query, args...)
}

func Moment(at *time.Time) any { return moment{at} }

// each runs a query and calls fn for every row.
func each(ctx context.Context, r Reader, fn func(Rows) error, query string, args ...any) error {
	rows, err := r.Query(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close() //nolint:errcheck // Err said it
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// eachOf calls fn for every row of a query.
func eachOf[T any](ctx context.Context, r Reader, fields func(*T) []any, fn func(T) error, query string, args ...any) error {
	return each(ctx, r, func(rows Rows) error {
		var v T
		if err := rows.Scan(fields(&v)...); err != nil {
			return err
		}
		return fn(v)
	}, query, args...)
}

// of returns the columns of the table, each prefixed with alias.
func (t table[T]) of(alias string) string {
	return alias + `.` + strings.ReplaceAll(t.columns, `, `, `, `+alias+`.`)
}

// pairs reads a query of two columns into a map from the first to the second.
func pairs[K comparable, V any](ctx context.Context, r Reader, query string, args ...any) (map[K]V, error) {
	return byKey(ctx, r, func(key *K, v *V) []any { return []any{key, v} }, query, args...)
}

// byKey reads the rows of a query into a map.
func byKey[K comparable, V any](ctx context.Context, r Reader, fields func(*K, *V) []any, query string, args ...any) (map[K]V, error) {
	all := map[K]V{}
	return all, each(ctx, r, func(rows Rows) error {
		var key K
		var v V
		err := rows.Scan(fields(&key, &v)...)
		all[key] = v
		return err
	}, query, args...)
}

// itself returns the one field of a row with one column.
func itself[T any](v *T) []any { return []any{v} }

// moment stores a time as micros does.
type moment struct{ at *time.Time }

func (m moment) Value() (driver.Value, error) { return micros(*m.at).Value() }

func (m moment) Scan(v any) error { return Cells{cellOf(v)}.read([]any{m}) }

// nullable stores the zero value of a text or number as NULL. field is a pointer to it.
type nullable struct{ field any }

func (n nullable) Value() (driver.Value, error) {
	v, err := valueOf(n.field)
	if v == "" || v == int64(0) {
		v = nil
	}
	return v, err
}

// IsText reports whether the field is a text and not a number, even if it is empty.
func (n nullable) IsText() bool { return reflect.TypeOf(n.field).Elem().Kind() == reflect.String }

func (n nullable) Scan(v any) error { return Cells{cellOf(v)}.read([]any{n}) }

// amount is NULL if none was given.
type amount struct {
	paise *ledger.Paise
	given *bool
}

func (a amount) Value() (driver.Value, error) {
	return sql.NullInt64{Int64: int64(*a.paise), Valid: *a.given}.Value()
}

func (a amount) Scan(v any) error { return Cells{cellOf(v)}.read([]any{a}) }

// jsonList stores a list as JSON, and an empty list as none.
type jsonList[T any] struct {
	list *[]T
	none driver.Value
}

func (j jsonList[T]) Value() (driver.Value, error) {
	if len(*j.list) == 0 {
		return j.none, nil
	}
	return inJSON{j.list}.Value()
}

func (j jsonList[T]) IsText() bool { return true }

func (j jsonList[T]) Scan(v any) error {
	if v == j.none {
		return nil
	}
	return inJSON{j.list}.Scan(v)
}

// inJSON stores a value that has no columns of its own. v is a pointer to it.
type inJSON struct{ v any }

func (j inJSON) Value() (driver.Value, error) {
	text, err := json.Marshal(j.v)
	return string(text), err
}

func (j inJSON) Scan(v any) error {
	text, _ := v.(string) // any other type is no JSON
	if err := json.Unmarshal([]byte(text), j.v); err != nil {
		return fmt.Errorf("%w: %w", ledger.ErrLedgerDamaged, err)
	}
	return nil
}

// A list goes into a query as one parameter, the table "asked". A statement of a thousand parameters takes as
// long to compile as to run.
const askedValues = `WITH asked(a) AS MATERIALIZED (SELECT value FROM json_each(?)) `

// listOf is a list as one parameter. SQLite takes it as JSON; another engine may take the list itself.
type listOf[T any] struct{ List []T }

func (l listOf[T]) Value() (driver.Value, error) {
	if l.List == nil {
		return "[]", nil
	}
	return inJSON{l.List}.Value()
}

// Items returns the list.
func (l listOf[T]) Items() any { return l.List }

func inList[T any](list []T) any { return listOf[T]{list} }

// eachAsked calls fn for every row of a query that begins with askedValues, for the items in asked.
func eachAsked[A, T any](ctx context.Context, r Reader, fields func(*T) []any, fn func(T), asked []A, query string, further ...any) error {
	for chunk := range slices.Chunk(asked, lookups) {
		err := eachOf(ctx, r, fields, func(v T) error { fn(v); return nil }, query, slices.Concat([]any{inList(chunk)}, further)...)
		if err != nil {
			return err
		}
	}
	return nil
}
