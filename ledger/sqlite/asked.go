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

// eachAsked runs a query that begins with askedValues, for the items in asked.
func eachAsked[T any](ctx context.Context, r Reader, fn func(Rows) error, asked []T, query string, further ...any) error {
	for chunk := range slices.Chunk(asked, lookups) {
		if err := each(ctx, r, fn, query, slices.Concat([]any{inList(chunk)}, further)...); err != nil {
			return err
		}
	}
	return nil
}
