package doc

import (
	"time"

	"payrun/ledger"
)

// The documents of the commands of the interface keep its field names, and have
// no schema of their own.

// NewLinkedAccount is a line of `accounts list`.
func NewLinkedAccount(a ledger.LinkedAccount) ledger.LinkedAccount {
	a.AccountNumber = ledger.Mask(a.AccountNumber)
	return a
}

// NewBeneficiary is a line of `beneficiaries list`.
func NewBeneficiary(b ledger.Beneficiary) ledger.Beneficiary {
	b.BankAccountNumber = ledger.Mask(b.BankAccountNumber)
	return b
}

// Statement is a line of `statement`: one window of at most 30 days.
type Statement struct {
	BankAccountID string   `json:"bank_account_id"`
	FromDate      string   `json:"from_date"`
	ToDate        string   `json:"to_date"`
	RequestID     string   `json:"request_id"`  // of the first page
	RequestIDs    []string `json:"request_ids"` // of all pages, each once
	// Statements are null where the bank prepares them (HTTP 202), and where it
	// answered with payouts in their place.
	Statements []StatementEntry  `json:"statements"`
	Payouts    []StatementPayout `json:"payouts,omitempty"`
}

// StatementEntry is one movement on the account.
type StatementEntry struct {
	TransactionID     string       `json:"transaction_id"`
	TransactionAmount ledger.Paise `json:"transaction_amount"`
	TransactionType   string       `json:"transaction_type"`
	ClosingBalance    ledger.Paise `json:"closing_balance"`
	TransactedDate    string       `json:"transacted_date"`
	PostedDate        string       `json:"posted_date"`
	ValueDate         string       `json:"value_date"`
	ReferenceNumber   string       `json:"reference_number"`
	Remarks           string       `json:"remarks"`
}

// StatementPayout is a payout in the place of an entry.
type StatementPayout struct {
	WireRef           string `json:"merchant_txn_ref_id"`
	VendorName        string `json:"vendor_name"`
	Amount            string `json:"amount"` // "" where it could not be read
	BankAccountNumber string `json:"bank_account_number"`
	IFSC              string `json:"ifsc"`
	Remarks           string `json:"remarks"`
	OpenTxnID         string `json:"open_txn_id"`
	BankTxnRefID      string `json:"bank_txn_ref_id"`
	Status            string `json:"status"`
	BankStatusCode    string `json:"bank_status_code"`
}

// NewStatement says what the bank gave for the days from and to, both included.
// none: it gave no entries, but a promise or payouts.
func NewStatement(account string, from, to time.Time, requests []string, entries []ledger.StatementEntry, none bool, payouts []ledger.Observation) Statement {
	s := Statement{BankAccountID: account, FromDate: from.Format(time.DateOnly), ToDate: to.Format(time.DateOnly), RequestIDs: []string{}}
	if len(requests) > 0 {
		s.RequestID, s.RequestIDs = requests[0], requests
	}
	if !none {
		s.Statements = []StatementEntry{}
	}
	for _, e := range entries {
		kind := "credit"
		if e.Debit {
			kind = "debit"
		}
		s.Statements = append(s.Statements, StatementEntry{
			TransactionID: e.TransactionID, TransactionAmount: e.Amount, TransactionType: kind, ClosingBalance: e.Closing,
			TransactedDate: e.Transacted, PostedDate: e.Posted, ValueDate: e.Value, ReferenceNumber: e.Reference, Remarks: e.Remarks,
		})
	}
	for _, p := range payouts {
		line := StatementPayout{
			WireRef: p.WireRef, VendorName: p.VendorName, BankAccountNumber: ledger.Mask(p.BankAccountNumber), IFSC: p.IFSC, Remarks: p.Remarks,
			OpenTxnID: p.OpenTxnID, BankTxnRefID: p.BankTxnRefID, Status: p.Status, BankStatusCode: p.BankStatusCode,
		}
		if p.HasAmount {
			line.Amount = p.Amount.String()
		}
		s.Payouts = append(s.Payouts, line)
	}
	return s
}
