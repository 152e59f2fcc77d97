package doc

import "payrun/ledger"

// ApprovedBatch is one of the "batches" of payrun.approve/v1: what became of it, and what
// its approver was shown.
type ApprovedBatch struct {
	Outcome
	PlannedBy     string             `json:"planned_by"`
	Account       string             `json:"account"` // the debit account's name, or its id
	BankAccountID string             `json:"bank_account_id"`
	Sheet         string             `json:"sheet"`
	Count         int                `json:"count"`
	Total         ledger.Paise       `json:"total"`
	Corrected     []string           `json:"corrected"` // what a later sheet changed of its payouts, was → is
	NewPayees     []ReviewedPayout   `json:"new_payees"`
	Unusual       []ledger.Finding   `json:"unusual"`
	Repeated      [][]ReviewedPayout `json:"repeated"`
	Largest       []ReviewedPayout   `json:"largest"`
}

// ReviewedPayout is a payout as an approver is shown it, its account masked.
type ReviewedPayout struct {
	Ref               string       `json:"ref"`
	Row               int          `json:"row"`
	VendorName        string       `json:"vendor_name"`
	BankAccountNumber string       `json:"bank_account_number"`
	IFSC              string       `json:"ifsc"`
	OpenBeneficiaryID string       `json:"open_beneficiary_id,omitempty"`
	Amount            ledger.Paise `json:"amount"`
}

// ReviewedPayouts gives those of a list; never null.
func ReviewedPayouts(list []ledger.Payout) []ReviewedPayout {
	out := []ReviewedPayout{}
	for _, p := range list {
		out = append(out, ReviewedPayout{p.Ref, p.Row, p.VendorName, ledger.Mask(p.BankAccountNumber), p.IFSC, p.OpenBeneficiaryID, p.Amount})
	}
	return out
}
