package app

import (
	"fmt"

	"payrun/ledger"
	"payrun/validate"
)

// PayeeID names a payee in an address: by the mark of the folded name, or of the account
// where there is no name.
func PayeeID(p ledger.NamedAccount) string {
	if name := ledger.NameMark(validate.FoldName(p.VendorName)); name != ledger.NoName {
		return fmt.Sprintf("n%016x", uint64(name))
	}
	return fmt.Sprintf("a%016x", uint64(ledger.AccountMark(p.Account)))
}
