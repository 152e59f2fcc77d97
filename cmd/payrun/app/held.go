package app

import (
	"context"

	"payrun/ledger"
)

// HeldBy returns who uses the ledger now; false if no one does, or if it is unknown. It opens nothing
// and does not wait.
func (a *App) HeldBy(ctx context.Context) (ledger.Holder, bool) {
	holder, held, err := a.place.holder(ctx)
	return holder, held && err == nil
}

// Ours reports whether it is a use case of this App that holds the ledger so.
func (a *App) Ours(h ledger.Holder) bool {
	ours := a.line.has()
	same := ours.Since.Equal(h.Since)
	ours.Since = h.Since
	return same && ours == h
}
