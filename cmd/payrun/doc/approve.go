package doc

import "payrun/ledger"

// Approve is payrun.approve/v1: what became of each batch, and what its approver
// was shown.
type Approve struct {
	Schema  string          `json:"schema"`
	Batches []ApprovedBatch `json:"batches"`
	Since   []Since         `json:"since"`           // each of their sheets against the one before
	Sheet   *Comparison     `json:"sheet,omitempty"` // with the approver's own copy
}

// ApprovedBatch is one batch to approve.
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

// Comparison is an approver's own copy of a sheet against what is planned.
type Comparison struct {
	Name        string       `json:"name"`
	Compared    ledger.Tally `json:"compared"`
	Elsewhere   ledger.Tally `json:"elsewhere"` // rows of the copy that are in other batches
	Differences []Difference `json:"differences"`
}

// Difference is one cell of it, or with column "" a row.
type Difference struct {
	Row     int    `json:"row"` // in the copy; 0 where it has no such row
	Ref     string `json:"ref"`
	Column  string `json:"column"`
	Planned string `json:"planned"`
	Copy    string `json:"copy"`
	Message string `json:"message"`
}
