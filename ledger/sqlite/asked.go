package sqlite

import (
	"context"
	"database/sql/driver"
	"slices"
)

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
