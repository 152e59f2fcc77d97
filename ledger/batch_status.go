package ledger

// BatchStatus is a batch in the documents for programs (contract.md, "JSON": "batches").
type BatchStatus struct {
	ID            string     `json:"id"`
	State         BatchState `json:"state"`
	SheetID       string     `json:"sheet_id"`
	Attempt       int        `json:"attempt"`
	BankAccountID string     `json:"bank_account_id"`
	PartnerBankID int        `json:"partner_bank_id"`
	Count         int        `json:"count"`
	Total         Paise      `json:"total"`
	NeedsPerson   bool       `json:"needs_person"`
	Attention     Attention  `json:"attention,omitempty"` // what it needs from a person, if anything
	Note          string     `json:"note"`
}

// Status returns the status of a batch that needs asks.
func (b Batch) Status(asks Attention) BatchStatus {
	return BatchStatus{b.ID, b.State, b.SheetID, b.Attempt, b.BankAccountID, b.PartnerBankID, b.Count, b.Total, asks.NeedsPerson(), asks.OfPerson(), b.Note}
}
