package cli

import (
	"time"

	"payrun/ledger"
	"payrun/ledger/sqlite"
)

// The lines of an export. Fields are only ever added.
type (
	exportLedger struct {
		Type      string    `json:"type"` // ledger
		Schema    string    `json:"schema"`
		ID        string    `json:"id"`
		CreatedAt time.Time `json:"created_at"`
	}
	exportSheet struct {
		Type     string         `json:"type"` // sheet
		ID       string         `json:"id"`
		Name     string         `json:"name"`
		SHA256   string         `json:"sha256"`
		RowsHash string         `json:"rows_hash"`
		Format   string         `json:"format"`
		Tab      string         `json:"tab"`
		Header   int            `json:"header"`
		Rows     int            `json:"rows"`
		Blank    int            `json:"blank"`
		HasTotal bool           `json:"has_total"`
		Total    ledger.Paise   `json:"total"`
		Accepted ledger.Tally   `json:"accepted"`
		Rejected ledger.Tally   `json:"rejected"`
		LoadedAt time.Time      `json:"loaded_at"`
		LoadedBy string         `json:"loaded_by"`
		Reading  *exportReading `json:"reading"` // null: its bytes were not kept
	}
	exportReading struct {
		Encoding   string            `json:"encoding"`
		HiddenRows string            `json:"hidden_rows"`
		Columns    map[string]string `json:"columns"`
	}
	exportSheetPart struct {
		Type    string `json:"type"` // sheet_bytes
		SheetID string `json:"sheet_id"`
		Part    int    `json:"part"`
		Bytes   []byte `json:"bytes"` // base64
	}
	exportBatch struct {
		Type              string             `json:"type"` // batch
		ID                string             `json:"id"`
		SheetID           string             `json:"sheet_id"`
		Sequence          int                `json:"sequence"`
		Attempt           int                `json:"attempt"`
		State             ledger.BatchState  `json:"state"`
		BankAccountID     string             `json:"bank_account_id"`
		PartnerBankID     int                `json:"partner_bank_id"`
		Kind              ledger.AccountKind `json:"kind"`
		SubMerchantID     string             `json:"sub_merchant_id"`
		TransactionTypeID string             `json:"transaction_type_id"`
		BeneLEI           string             `json:"bene_lei"`
		Count             int                `json:"count"`
		Total             ledger.Paise       `json:"total"`
		Reason            string             `json:"reason"`
		OpenBatchID       string             `json:"open_batch_id"`
		OTPTries          int                `json:"otp_tries"`
		Note              string             `json:"note"`
		NeedsPerson       bool               `json:"needs_person"`
		CreatedAt         time.Time          `json:"created_at"`
		UpdatedAt         time.Time          `json:"updated_at"`
		StateSince        time.Time          `json:"state_since"`
		HeldAt            *time.Time         `json:"held_at"`
		SubmittedAt       *time.Time         `json:"submitted_at"`
	}
	exportPayout struct {
		Type              string       `json:"type"` // payout
		ID                int64        `json:"id"`
		SheetID           string       `json:"sheet_id"`
		Row               int          `json:"row"`
		Ref               string       `json:"ref"`
		Amount            ledger.Paise `json:"amount"`
		VendorName        string       `json:"vendor_name"`
		BankAccountNumber string       `json:"bank_account_number"`
		IFSC              string       `json:"ifsc"`
		Remarks           string       `json:"remarks"`
		OpenBeneficiaryID string       `json:"open_beneficiary_id"`
		BeneLEI           string       `json:"bene_lei"`
		SubMerchantID     string       `json:"sub_merchant_id"`
		TransactionTypeID string       `json:"transaction_type_id"`
		BankAccountID     string       `json:"bank_account_id"`
	}
	exportAttempt struct {
		Type           string             `json:"type"` // attempt
		PayoutID       int64              `json:"payout_id"`
		Number         int                `json:"number"`
		WireRef        string             `json:"wire_ref"`
		BatchID        string             `json:"batch_id"`
		State          ledger.PayoutState `json:"state"`
		Status         string             `json:"status"`
		BankStatusCode string             `json:"bank_status_code"`
		OpenTxnID      string             `json:"open_txn_id"`
		BankTxnRefID   string             `json:"bank_txn_ref_id"`
		FailedReads    int                `json:"failed_reads"`
		Reason         string             `json:"reason"`
		UpdatedAt      time.Time          `json:"updated_at"`
	}
	exportObservation struct {
		Type string `json:"type"` // observation
		sqlite.Observation
	}
	exportIntent struct {
		Type string `json:"type"` // intent
		sqlite.Intent
	}
	exportApproval struct {
		Type string `json:"type"` // approval
		ledger.Approval
	}
	exportProposal struct {
		Type string `json:"type"` // proposal
		ledger.Proposal
	}
	exportEvent struct {
		Type string `json:"type"` // event
		ledger.Event
	}
)

// lineMakers turns what the ledger holds into lines.
func (x *exporter) lineMakers() sqlite.Export {
	out := sqlite.Export{
		Ledger: func(id string, at time.Time) error {
			return x.line(exportLedger{"ledger", "payrun.export/v1", id, at})
		},
		Sheet:       x.sheet,
		SheetPart:   func(id string, n int, b []byte) error { return x.line(exportSheetPart{"sheet_bytes", id, n, b}) },
		Batch:       x.batch,
		Attempt:     x.attempt,
		Observation: func(o sqlite.Observation) error { return x.line(exportObservation{"observation", o}) },
		Intent:      func(i sqlite.Intent) error { return x.line(exportIntent{"intent", i}) },
		Approval:    func(a ledger.Approval) error { return x.line(exportApproval{"approval", a}) },
		Proposal:    func(p ledger.Proposal) error { return x.line(exportProposal{"proposal", p}) },
		Event:       func(e ledger.Event) error { return x.line(exportEvent{"event", e}) },
	}
	if x.masked {
		out.SheetPart = nil
	}
	return out
}

func (x *exporter) sheet(s ledger.Sheet, r *ledger.ReadOptions) error {
	var reading *exportReading
	if r != nil {
		reading = &exportReading{r.Encoding, r.HiddenRows, r.Columns}
	}
	return x.line(exportSheet{"sheet", s.ID, s.Name, s.SHA256, s.RowsHash, s.Format, s.Tab, s.Header, s.Rows, s.Blank, s.HasTotal, s.Total,
		s.Accepted, s.Rejected, s.LoadedAt, s.LoadedBy, reading})
}

func (x *exporter) batch(b ledger.Batch) error {
	return x.line(exportBatch{"batch", b.ID, b.SheetID, b.Sequence, b.Attempt, b.State, b.BankAccountID, b.PartnerBankID, b.Kind, b.SubMerchantID,
		b.TransactionTypeID, b.BeneLEI, b.Count, b.Total, b.Reason, b.OpenBatchID, b.OTPTries, b.Note, b.NeedsPerson,
		b.CreatedAt, b.UpdatedAt, b.StateSince, whenSet(b.HeldAt), whenSet(b.SubmittedAt)})
}

// attempt writes the payout before its first attempt.
func (x *exporter) attempt(a ledger.Attempt) error {
	if a.Number == 1 {
		number := a.BankAccountNumber
		if x.masked {
			number = ledger.Mask(number)
		}
		err := x.line(exportPayout{"payout", a.ID, a.SheetID, a.Row, a.Ref, a.Amount, a.VendorName, number, a.IFSC, a.Remarks,
			a.OpenBeneficiaryID, a.BeneLEI, a.SubMerchantID, a.TransactionTypeID, a.BankAccountID})
		if err != nil {
			return err
		}
	}
	return x.line(exportAttempt{"attempt", a.ID, a.Number, a.WireRef, a.BatchID, a.State, a.Status, a.BankStatusCode, a.OpenTxnID, a.BankTxnRefID,
		a.FailedReads, a.Reason, a.UpdatedAt})
}

// whenSet is nil for the zero time.
func whenSet(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
