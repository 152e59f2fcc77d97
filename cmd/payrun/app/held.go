package app

import (
	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// HeldBy tells who holds the ledger now; false where nobody does, or it cannot be
// told. It opens nothing and waits for nobody.
func (a *App) HeldBy() (ledger.Holder, bool) {
	holder, held, err := sqlite.HeldBy(a.set.LedgerPath)
	return holder, held && err == nil
}
