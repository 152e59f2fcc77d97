package desk

import (
	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// payeePath is the address of a payee.
func payeePath(name, number, ifsc, beneficiary string) string {
	return "/payees/" + app.PayeeID(ledger.NamedAccount{VendorName: name, Account: ledger.Account{BankAccountNumber: number, IFSC: ifsc, OpenBeneficiaryID: beneficiary}})
}
