package app

import (
	"strings"

	"payrun/ledger"
)

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
