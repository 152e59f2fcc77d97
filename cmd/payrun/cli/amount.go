package cli

import "payrun/ledger"

// rupees shows an amount to people.
func rupees(p ledger.Paise) string { return "₹" + p.Indian() }
