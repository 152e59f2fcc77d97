package doc

import (
	"cmp"

	"payrun/ledger"
)

// ImportedStatement is payrun.statement/v1: a statement file as it was read and recorded. If the file was
// refused, only the file, the account and the findings are set.
type ImportedStatement struct {
	Reading       string           `json:"reading"` // its name, such as R3; "" if the file was refused
	File          StatementFile    `json:"file"`
	Account       string           `json:"account"` // its name in payrun.toml
	BankAccountID string           `json:"bank_account_id"`
	From          string           `json:"from"`
	To            string           `json:"to"`
	Opening       ledger.Paise     `json:"opening"`
	Closing       ledger.Paise     `json:"closing"`
	Entries       StatementSides   `json:"entries"`
	New           int              `json:"new"`
	Repeated      int              `json:"known"`
	Findings      []ledger.Finding `json:"findings"`
}

// StatementFile is the file that a statement was read from.
type StatementFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
	Format string `json:"format"` // csv, xlsx, camt.053 or mt940
	Tab    string `json:"tab"`    // of an XLSX file
}

// StatementSides counts and sums the entries of each direction.
type StatementSides struct {
	Debits  ledger.Tally `json:"debits"`
	Credits ledger.Tally `json:"credits"`
}

// Reading is a recorded reading of a debit account's statement: a JSON line of statement list.
type Reading struct {
	Reading string                 `json:"reading"` // its name, such as R3
	Account string                 `json:"account"` // its name in payrun.toml
	Source  ledger.StatementSource `json:"source"`  // bank or file
	File    string                 `json:"file"`
	From    string                 `json:"from"`
	To      string                 `json:"to"`
	Opening *ledger.Paise          `json:"opening"` // null if the statement does not have it
	Closing *ledger.Paise          `json:"closing"`
	Entries int                    `json:"entries"`
	Void    bool                   `json:"void"`
	At      string                 `json:"at"` // when it was fetched or imported
}

// NewReading returns the line of a reading.
func NewReading(k ledger.KeptStatement, account string) Reading {
	return Reading{Reading: ledger.ReadingName(k.No), Account: account, Source: k.Source, File: k.FileName, From: k.From, To: k.To, Opening: k.Opening, Closing: k.Closing, Entries: k.Lines,
		Void: !k.Void.IsZero(), At: ledger.Instant(k.At)}
}

// StatementWord is payrun.statement_word/v1: what a person decided about a statement.
type StatementWord struct {
	Kind    ledger.StatementWord `json:"word"` // void or explain
	Reading string               `json:"reading,omitempty"`
	Entries []string             `json:"entries,omitempty"`
	Ref     string               `json:"ref,omitempty"`
	Holds   bool                 `json:"holds"` // another person has decided the same, so it takes effect
	Until   string               `json:"until"` // until when another person may agree; "" if it has taken effect
}

// The documents of the interface's own commands keep its field names, and have no schema of their own.

// NewLinkedAccount returns a line of `accounts list`.
func NewLinkedAccount(a ledger.LinkedAccount) ledger.LinkedAccount {
	a.AccountNumber = ledger.Mask(a.AccountNumber)
	return a
}

// NewBeneficiary returns a line of `beneficiaries list`.
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
	// Statements is null if the bank still prepares them (HTTP 202), or answered with payouts instead.
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

// StatementPayout is a payout that the bank returned instead of an entry.
type StatementPayout struct {
	WireRef           string `json:"merchant_txn_ref_id"`
	VendorName        string `json:"vendor_name"`
	Amount            string `json:"amount"` // "" if it could not be read
	BankAccountNumber string `json:"bank_account_number"`
	IFSC              string `json:"ifsc"`
	Remarks           string `json:"remarks"`
	OpenTxnID         string `json:"open_txn_id"`
	BankTxnRefID      string `json:"bank_txn_ref_id"`
	Status            string `json:"status"`
	BankStatusCode    string `json:"bank_status_code"`
}

// NewStatement returns what the bank gave for a window: a reading, or payouts.
func NewStatement(read ledger.StatementRead, payouts []ledger.Observation) Statement {
	s := Statement{BankAccountID: read.BankAccountID, FromDate: read.From, ToDate: read.To, RequestID: cmp.Or(read.RequestIDs...), RequestIDs: List(read.RequestIDs)}
	if read.Shape == ledger.ShapeEntries {
		s.Statements = Each(read.Entries, func(e ledger.StatementEntry) StatementEntry {
			return StatementEntry{e.TransactionID, e.Amount, ledger.Direction(e.Debit), e.Closing, e.Transacted, e.Posted, e.Value, e.Reference, e.Remarks}
		})
	}
	for _, p := range payouts {
		amount := ""
		if p.HasAmount {
			amount = p.Amount.String()
		}
		s.Payouts = append(s.Payouts, StatementPayout{p.WireRef, p.VendorName, amount, ledger.Mask(p.BankAccountNumber), p.IFSC, p.Remarks,
			p.OpenTxnID, p.BankTxnRefID, p.Status, p.BankStatusCode})
	}
	return s
}
