package doc

import (
	"time"

	"payrun/ledger"
)

// Outcomes is payrun.initiate/v1, and that of every other command that works
// on batches.
type Outcomes struct {
	Batches []Outcome `json:"batches"`
	Funds   []Funds   `json:"funds,omitempty"` // of an initiate, as they were before
	Locks   []Lock    `json:"locks,omitempty"` // of payouts that must not be paid again
}

// Outcome is what happened to one batch.
type Outcome struct {
	ID      string            `json:"id"`
	State   ledger.BatchState `json:"state"`
	Outcome string            `json:"outcome"`
	Message string            `json:"message"`
}

// BatchStatus is one of the "batches" of payrun.status/v1.
type BatchStatus struct {
	ID            string            `json:"id"`
	State         ledger.BatchState `json:"state"`
	BankAccountID string            `json:"bank_account_id"`
	PartnerBankID int               `json:"partner_bank_id"`
	Count         int               `json:"count"`
	Total         ledger.Paise      `json:"total"`
	SheetID       string            `json:"sheet_id"`
	Attempt       int               `json:"attempt"`
	NeedsPerson   bool              `json:"needs_person"`
	Attention     ledger.Attention  `json:"attention,omitempty"` // what it asks of a person, if anything
	Note          string            `json:"note"`
	LateBy        string            `json:"late_by,omitempty"` // by how much its end is overdue for its rail, where that is known: 2h10m0s
}

// NewBatchStatus gives the status of a batch that asks for that.
func NewBatchStatus(b ledger.Batch, asks ledger.Attention, late ledger.Late) BatchStatus {
	return BatchStatus{b.ID, b.State, b.BankAccountID, b.PartnerBankID, b.Count, b.Total, b.SheetID, b.Attempt, asks.NeedsPerson(), ofAPerson(asks), b.Note, lateBy(late)}
}

func lateBy(l ledger.Late) string {
	if l.By == 0 {
		return ""
	}
	return l.By.Truncate(time.Second).String()
}

// ofAPerson leaves out what needs no person.
func ofAPerson(asks ledger.Attention) ledger.Attention {
	if !asks.NeedsPerson() {
		return ledger.NeedsNothing
	}
	return asks
}

// Payout is a line of `payouts`: a payout with one attempt, its account masked.
type Payout struct {
	Ref               string             `json:"ref"`
	WireRef           string             `json:"wire_ref"`
	Attempt           int                `json:"attempt"`
	Row               int                `json:"row"`
	SheetID           string             `json:"sheet_id"`
	BatchID           string             `json:"batch_id"`
	Amount            ledger.Paise       `json:"amount"`
	State             ledger.PayoutState `json:"state"`
	Status            string             `json:"status"`
	BankStatusCode    string             `json:"bank_status_code"`
	OpenTxnID         string             `json:"open_txn_id"`
	BankTxnRefID      string             `json:"bank_txn_ref_id"`
	VendorName        string             `json:"vendor_name"`
	BankAccountNumber string             `json:"bank_account_number"`
	IFSC              string             `json:"ifsc"`
	Remarks           string             `json:"remarks"`
	Reason            string             `json:"reason"`
	UpdatedAt         string             `json:"updated_at"`
	Attention         ledger.Attention   `json:"attention,omitempty"` // what it asks of a person, if anything
	LateBy            string             `json:"late_by,omitempty"`   // as BatchStatus has it
}

// NewPayout gives the line of an attempt that asks for that.
func NewPayout(at ledger.Attempt, asks ledger.Attention, late ledger.Late) Payout {
	return Payout{
		at.Ref, at.WireRef, at.Number, at.Row, at.SheetID, at.BatchID, at.Amount, at.State, at.Status, at.BankStatusCode,
		at.OpenTxnID, at.BankTxnRefID, at.VendorName, ledger.Mask(at.BankAccountNumber), at.IFSC, at.Remarks, at.Reason,
		ledger.Instant(at.UpdatedAt), ofAPerson(asks), lateBy(late),
	}
}
