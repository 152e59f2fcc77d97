package doc

import "payrun/ledger"

// Story is payrun.story/v1: all of one sheet, batch or payout. What it is not
// about is left out.
type Story struct {
	Schema   string         `json:"schema"`
	Sheet    *LoadedSheet   `json:"sheet,omitempty"`   // the sheet, or that of the payout
	Batch    *BatchStatus   `json:"batch,omitempty"`   // the batch
	Batches  []BatchStatus  `json:"batches,omitempty"` // of the sheet
	Payouts  []Payout       `json:"payouts,omitempty"` // of the batch
	Events   []ledger.Event `json:"events,omitempty"`  // of the batch, oldest first
	Attempts []StoryAttempt `json:"attempts,omitempty"`
}

// StoryAttempt is one attempt to pay a payout: what happened to its batch, and what
// the bank said of it, each oldest first.
type StoryAttempt struct {
	Payout
	Events []ledger.Event `json:"events"`
	Bank   []Said         `json:"bank"`
}

// Said is one status of the bank, in its own words.
type Said struct {
	At             string `json:"at"`
	Status         string `json:"status"`
	BankStatusCode string `json:"bank_status_code"`
	BankTxnRefID   string `json:"bank_txn_ref_id"`
	OpenTxnID      string `json:"open_txn_id"`
	Error          string `json:"error"`
}

// NewSaid gives one status.
func NewSaid(n ledger.NewObservation) Said {
	return Said{ledger.Instant(n.At), n.Status, n.BankStatusCode, n.BankTxnRefID, n.OpenTxnID, n.Error}
}
