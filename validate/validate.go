// Package validate turns rows into payouts and findings. It judges and never
// changes a value in silence: what it accepts is what the person wrote, read
// exactly; what it does not accept it says with row, column, value, reason and
// fix. Findings are collected, not thrown.
package validate

import (
	"context"

	"payrun/ledger"
)

// History is what validation needs to know of the past.
type History interface {
	// UsedReferences tells which of the keys (see RefKey) any attempt of any
	// payout ever used on the wire or in a sheet.
	UsedReferences(ctx context.Context, keys []string) (map[string]ledger.Use, error)
	// SheetBy returns the sheet that has these bytes or these rows, or ledger.ErrNotFound.
	SheetBy(ctx context.Context, sha256, rowsHash string) (ledger.Sheet, error)
}
