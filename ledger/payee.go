package ledger

import "strings"

// Account is where a payout's money goes: an account number at a branch, or a
// beneficiary known to the service. Two account numbers that differ only in
// leading zeros or in case are one account.
type Account struct {
	BankAccountNumber string
	IFSC              string
	OpenBeneficiaryID string
}

// Same reports whether two accounts are one: the same number, branch and
// beneficiary id, whatever zeros lead the number and whatever case is used.
func (a Account) Same(b Account) bool { return a.Folded() == b.Folded() }

// Folded returns the account as it is compared by: two accounts are one when
// their folded forms are equal. It is for comparing and never sent anywhere.
func (a Account) Folded() Account {
	return Account{
		BankAccountNumber: FoldAccountNumber(a.BankAccountNumber),
		IFSC:              strings.ToUpper(a.IFSC),
		OpenBeneficiaryID: strings.ToLower(a.OpenBeneficiaryID),
	}
}

// FoldAccountNumber returns what account numbers are compared by: banks write
// the same one with and without leading zeros, and letters in either case.
func FoldAccountNumber(number string) string {
	return strings.ToUpper(strings.TrimLeft(number, "0"))
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
	Use      ReferenceUse
}

// PaymentPattern is what an account was paid before.
type PaymentPattern struct {
	Median  Paise        // of the amounts looked at
	Payouts int          // how many were looked at
	Last    ReferenceUse // the latest of them
}

// AccountOf returns where the payout's money goes.
func (p *Payout) AccountOf() Account {
	return Account{BankAccountNumber: p.BankAccountNumber, IFSC: p.IFSC, OpenBeneficiaryID: p.OpenBeneficiaryID}
}
