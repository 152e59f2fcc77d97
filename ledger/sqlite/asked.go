package sqlite

import (
	"context"
	"encoding/json"
	"slices"
)

// What is asked about goes into a query as one parameter, the table "asked": a
// statement of a thousand parameters takes as long to compile as to run.
const askedValues = `WITH asked(a) AS MATERIALIZED (SELECT value FROM json_each(?)) `

// eachAsked runs a query that begins with it over what is asked.
func eachAsked[T any](ctx context.Context, r Reader, fn func(Rows) error, asked []T, query string, further ...any) error {
	for chunk := range slices.Chunk(asked, lookups) {
		list, err := json.Marshal(chunk)
		if err != nil {
			return err
		}
		if err := each(ctx, r, fn, query, slices.Concat([]any{string(list)}, further)...); err != nil {
			return err
		}
	}
	return nil
}
