package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"slices"
	"strings"
)

// What is asked about goes into a query as one parameter, the table "asked": a
// statement of a thousand parameters takes as long to compile as to run.
const askedValues = `WITH asked(a) AS MATERIALIZED (SELECT value FROM json_each(?)) `

// eachAsked runs a query that begins with it over what is asked.
func eachAsked[T any](ctx context.Context, r reader, fn func(*sql.Rows) error, asked []T, query string, further ...any) error {
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

// numbersAtOnce are the lengths of the table asked of a questionOfNumbers. There are
// few of them, and their texts are short enough to be kept by a connection.
var numbersAtOnce = [...]int{lookups, 16}

// questionOfNumbers is a query over a table asked(a) or asked(a, b) of numbers, which
// are parameters of a statement that stays compiled: for a hundred thousand of them
// putting JSON together and taking it apart again takes as long as looking them up.
// Rows of the table that nobody asked for are NULL.
type questionOfNumbers [len(numbersAtOnce)]string

// askNumbers words a query over so many columns; its own parameters come after those
// of the table.
func askNumbers(columns int, query string) (q questionOfNumbers) {
	names, row := `a`, `(?)`
	if columns == 2 {
		names, row = `a, b`, `(?,?)`
	}
	for i, n := range numbersAtOnce {
		q[i] = `WITH asked(` + names + `) AS MATERIALIZED (VALUES ` + row + strings.Repeat(`,`+row, n-1) + `) ` + query
	}
	return q
}

// each runs the query over the rows of asked, columns numbers each.
func (q *questionOfNumbers) each(ctx context.Context, r reader, fn func(*sql.Rows) error, columns int, asked []int64, further ...any) error {
	for len(asked) > 0 {
		size := 0
		for size+1 < len(numbersAtOnce) && len(asked) <= numbersAtOnce[size+1]*columns {
			size++
		}
		args := make([]any, numbersAtOnce[size]*columns, numbersAtOnce[size]*columns+len(further))
		n := min(len(args), len(asked))
		for i, number := range asked[:n] {
			args[i] = number
		}
		if err := each(ctx, r, fn, q[size], append(args, further...)...); err != nil {
			return err
		}
		asked = asked[n:]
	}
	return nil
}
