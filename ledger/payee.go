package ledger

// Account is where a payout's money goes: an account number at a branch, or a
// beneficiary known to the service. Two account numbers that differ only in
// leading zeros or in case are one account.
type Account struct {
	BankAccountNumber string
	IFSC              string
	OpenBeneficiaryID string
}

// Payee is an account and how much goes there: what a payout and its
// accidental double under another reference have in common.
type Payee struct {
	Account
	Amount Paise
}

// NamedAccount is an account and whose it is said to be.
type NamedAccount struct {
	VendorName string
	Account
}

// KnownPayee is where a name was paid before: the latest account that was new
// for it, and the payout that brought it.
type KnownPayee struct {
	Account
	Accounts int // how many the name has
	Use      Use
}

// Usual is what an account was paid before.
type Usual struct {
	Median  Paise // of the amounts looked at
	Payouts int   // how many were looked at
	Last    Use   // the latest of them
}

// AccountOf returns where the payout's money goes.
func (p *Payout) AccountOf() Account {
	return Account{BankAccountNumber: p.BankAccountNumber, IFSC: p.IFSC, OpenBeneficiaryID: p.OpenBeneficiaryID}
}
