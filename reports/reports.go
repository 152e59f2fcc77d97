// Package reports writes the files people look at, from the ledger alone:
// payouts.csv, exceptions.csv, reconciliation.json, summary.html and
// reconciliation.xlsx. The same ledger gives the same bytes: nothing here reads
// a clock. Accounts are masked to the last four unless asked otherwise.
package reports

import (
	"context"

	"payrun/ledger"
)

// Ledger is what the reports need to read.
type Ledger interface {
	// Sheets returns the loaded sheets in the order of loading.
	Sheets(ctx context.Context) ([]ledger.Sheet, error)
	// Batches returns the batches of the filter's sheet or batch, in plan order.
	Batches(ctx context.Context, f ledger.Filter) ([]ledger.Batch, error)
	// EachPayout calls fn for every payout's latest attempt (or every attempt,
	// with f.Attempts) in the order of loading, streaming.
	EachPayout(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error
	// AuditHead returns the newest event of the audit chain.
	AuditHead(ctx context.Context) (ledger.AuditHead, error)
}
