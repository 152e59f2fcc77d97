package doc

import "payrun/ledger"

// Story is payrun.story/v1: all of one sheet, batch or payout. What it is not
// about is left out.
type Story struct {
	Sheet    *LoadedSheet   `json:"sheet,omitempty"`   // the sheet, or that of the payout
	Batch    *BatchStatus   `json:"batch,omitempty"`   // the batch
	Batches  []BatchStatus  `json:"batches,omitempty"` // of the sheet
	Payouts  []Payout       `json:"payouts,omitempty"` // of the batch
	Events   []ledger.Event `json:"events,omitempty"`  // of the batch, oldest first
	Attempts []StoryAttempt `json:"attempts,omitempty"`
	Locks    []Lock         `json:"locks,omitempty"` // of the payout
	// Unclear are debits that could be the payout's; matched_by says why: equal_amount,
	// batch_total, named, part_of_batch, other_payout, withdrawn, only_in_file or break.
	Unclear     []StatementLine `json:"unclear,omitempty"`
	MoreUnclear int             `json:"more_unclear,omitempty"` // that are left out
}

// StoryAttempt is one attempt to pay a payout: what happened to its batch, and what
// the bank said of it, each oldest first.
type StoryAttempt struct {
	Payout
	Events []ledger.Event `json:"events"`
	Bank   []Said         `json:"bank"`
	// Statement is left out where it was never sent, and no statement shows it.
	Statement *OnStatement `json:"statement,omitempty"`
}

// OnStatement is what the statements on record show of an attempt, as the reports of
// the same ledger have it.
type OnStatement struct {
	Day string `json:"day"` // on which they have to show its debit; "" where it was never sent
	// Covered says that a statement covers the day.
	Covered   bool            `json:"covered"`
	MatchedBy string          `json:"matched_by"` // as in attempts.csv: utr, reference, amount_and_day, batch_total, explained, or ""
	Ties      bool            `json:"ties"`       // they tell the same of it as the interface
	Kind      string          `json:"kind"`       // of the gravest difference, as payrun explain has it; "" for none
	Words     string          `json:"words"`
	Lines     []StatementLine `json:"lines"`
	MoreLines int             `json:"more_lines,omitempty"` // that are left out
}

// StatementLine is an entry of a statement, or a payment of a batch booking. Account
// numbers in its texts are masked.
type StatementLine struct {
	Entry     string       `json:"entry"` // its name, as R3.17
	Day       string       `json:"day"`
	Direction string       `json:"direction"` // debit or credit
	Amount    ledger.Paise `json:"amount"`
	Reference string       `json:"reference"`
	Remarks   string       `json:"remarks"`
	MatchedBy string       `json:"matched_by"`
	Source    string       `json:"source"` // bank or file
	File      string       `json:"file"`   // its name; "" from the bank
	ReadAt    string       `json:"read_at"`
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
