package ledger

// Beneficiary is a payee as the bank lists it under one of our debit accounts
// (interface.md, "Beneficiary"). Its texts are the bank's, raw.
type Beneficiary struct {
	BankAccountID     string `json:"bank_account_id"` // the debit account it belongs to
	OpenBeneficiaryID string `json:"open_beneficiary_id" wire:"required"`
	BankBeneficiaryID string `json:"bank_beneficiary_id"`
	VendorName        string `json:"vendor_name"`
	BankAccountNumber string `json:"bank_account_number"`
	IFSC              string `json:"ifsc"`
	Status            string `json:"beneficiary_status" wire:"required"` // one of Beneficiary…, or another
}

// The states of a beneficiary that the interface lists. It does not show how one follows from
// another.
const (
	BeneficiaryRequested = "request_initiated"
	BeneficiaryVerifying = "verify_started"
	BeneficiaryActive    = "active"
)
