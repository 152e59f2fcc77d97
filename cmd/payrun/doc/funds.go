package doc

import "payrun/ledger"

// Funds is one of the "funds" of payrun.check/v1, payrun.initiate/v1 and payrun.run/v1: what a debit
// account holds against what is planned for it.
type Funds struct {
	BankAccountID string        `json:"bank_account_id"`
	Account       string        `json:"account"`   // its name in payrun.toml, or its id
	Balance       *ledger.Paise `json:"balance"`   // null where it could not be read
	InFlight      ledger.Paise  `json:"in_flight"` // held or on its way, and perhaps not debited yet
	Planned       ledger.Paise  `json:"planned"`
	Left          *ledger.Paise `json:"left"` // behind both; null where the balance is
	Short         bool          `json:"short"`
}
