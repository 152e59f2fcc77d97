package app

import (
	"context"

	"payrun/ledger"
)

// HeldBy tells who holds the ledger now; false where nobody does, or it cannot be
// told. It opens nothing and waits for nobody.
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
