package app

import (
	"strings"

	"payrun/ledger"
)

func batches(n int) string { return ledger.Counted(n, "batch", "batches") }

func payouts(n int) string { return ledger.Counted(n, "payout", "payouts") }

func ids(bs []ledger.Batch) []string {
	var out []string
	for _, b := range bs {
		out = append(out, b.ID)
	}
	return out
}

// someIDs names the first few batches.
func someIDs(bs []ledger.Batch) string {
	const few = 3
	named := ids(bs[:min(few, len(bs))])
	if len(bs) > few {
		named = append(named, "…")
	}
	return strings.Join(named, ", ")
}
