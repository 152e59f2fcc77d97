package doc

import "payrun/ledger"

// Outcomes is payrun.initiate/v1, and the document of every other command that works on batches.
type Outcomes struct {
	Batches []Outcome        `json:"batches"`
	Funds   []Funds          `json:"funds,omitempty"`   // of an initiate, as they were before it
	Locks   []Lock           `json:"locks,omitempty"`   // of payouts that must not be paid again
	Unusual []ledger.Finding `json:"unusual,omitempty"` // of a retry: about its payouts
}

// Outcome is what happened to one batch.
type Outcome struct {
	ID      string            `json:"id"`
	State   ledger.BatchState `json:"state"`
	Outcome string            `json:"outcome"`
	Message string            `json:"message"`
}

// Status is payrun.status/v1.
type Status struct {
	Batches         []ledger.BatchStatus                `json:"batches"`
	Payouts         map[ledger.PayoutState]ledger.Tally `json:"payouts"`
	DisputedEarlier ledger.Tally                        `json:"disputed_earlier"`
	Held            int                                 `json:"held"` // batches
	Open            int                                 `json:"open"`
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
	Attention         ledger.Attention   `json:"attention,omitempty"` // what it needs from a person, if anything
}

// NewPayout returns the line of an attempt that needs asks.
func NewPayout(at ledger.Attempt, asks ledger.Attention) Payout {
	return Payout{
		at.Ref, at.WireRef, at.Number, at.Row, at.SheetID, at.BatchID, at.Amount, at.State, at.Status, at.BankStatusCode,
		at.OpenTxnID, at.BankTxnRefID, at.VendorName, ledger.Mask(at.BankAccountNumber), at.IFSC, at.Remarks, at.Reason,
		ledger.Instant(at.UpdatedAt), asks.OfPerson(),
	}
}

// ApprovedBatch is one of the "batches" of payrun.approve/v1: its outcome, and what its approver was shown.
type ApprovedBatch struct {
	Outcome
	PlannedBy     string            `json:"planned_by"`
	Account       string            `json:"account"` // the debit account's name, or its id
	BankAccountID string            `json:"bank_account_id"`
	Sheet         string            `json:"sheet"`
	Count         int               `json:"count"`
	Total         ledger.Paise      `json:"total"`
	Corrected     []string          `json:"corrected"` // what a later sheet changed in its payouts (was → is)
	NewPayees     []ledger.Payout   `json:"new_payees"`
	Unusual       []ledger.Finding  `json:"unusual"`
	Repeated      [][]ledger.Payout `json:"repeated"`
	Largest       []ledger.Payout   `json:"largest"`
}

// ReviewedPayouts returns payouts as their approver sees them, with the account masked; never null.
func ReviewedPayouts(list []ledger.Payout) []ledger.Payout {
	return Each(list, func(p ledger.Payout) ledger.Payout {
		p.BankAccountNumber = ledger.Mask(p.BankAccountNumber)
		return p
	})
}

// Funds is one of the "funds" of payrun.check/v1, payrun.initiate/v1 and payrun.run/v1: what a debit
// account holds, and what is planned for it.
type Funds struct {
	BankAccountID string        `json:"bank_account_id"`
	Account       string        `json:"account"`   // its name in payrun.toml, or its id
	Balance       *ledger.Paise `json:"balance"`   // null if it could not be read
	InFlight      ledger.Paise  `json:"in_flight"` // held or on its way, and perhaps not debited yet
	Planned       ledger.Paise  `json:"planned"`
	Left          *ledger.Paise `json:"left"` // balance less both; null if the balance is
	Short         bool          `json:"short"`
}

// Lock says why a payout must not be paid again (safety.md, "Locks"; payrun explain describes each).
type Lock struct {
	Lock     ledger.LockKind `json:"lock"`
	Ref      string          `json:"ref"`
	WireRef  string          `json:"wire_ref"`
	BatchID  string          `json:"batch_id"`
	Since    string          `json:"since"`    // for a statement line, its day
	Evidence string          `json:"evidence"` // what was seen, when and where
	Ends     string          `json:"ends"`
	Who      string          `json:"who"` // who can end it: bank or two_people
}

// NewLocks returns the documents of locks; never null.
func NewLocks(locks []ledger.Lock) []Lock {
	return Each(locks, func(l ledger.Lock) Lock {
		return Lock{l.Kind, l.Ref, l.WireRef, l.BatchID, ledger.Instant(l.Since), ledger.Plain(l.Saw()), l.Ends(), l.Who}
	})
}

// Resolve is payrun.resolve/v1: what was released, or what is locked and who decided what.
type Resolve struct {
	Batches []Outcome    `json:"batches"`
	Locks   []Lock       `json:"locks"`
	First   *FirstPerson `json:"first,omitempty"` // whose decision waits for another person's
	From    string       `json:"from,omitempty"`  // when the second person may decide the same
	Until   string       `json:"until,omitempty"`
}

// FirstPerson is the first person's decision in a release.
type FirstPerson struct {
	Actor  string           `json:"actor"`
	At     string           `json:"at"`
	As     ledger.ReleaseAs `json:"as"`
	Reason string           `json:"reason"`
	Ticket string           `json:"bank_ticket"`
	Total  ledger.Paise     `json:"total"`
}

// Story is payrun.story/v1: everything about one sheet, batch or payout. Fields that do not apply are left out.
type Story struct {
	Sheet    *LoadedSheet         `json:"sheet,omitempty"`   // the sheet itself, or the payout's
	Batch    *ledger.BatchStatus  `json:"batch,omitempty"`   // the batch
	Batches  []ledger.BatchStatus `json:"batches,omitempty"` // of the sheet
	Payouts  []Payout             `json:"payouts,omitempty"` // of the batch
	Events   []ledger.Event       `json:"events,omitempty"`  // of the batch, oldest first
	Attempts []StoryAttempt       `json:"attempts,omitempty"`
	Locks    []Lock               `json:"locks,omitempty"` // of the payout
	// Unclear are debits that could be the payout's. matched_by says why: equal_amount,
	// batch_total, named, part_of_batch, other_payout, withdrawn, only_in_file or break.
	Unclear     []StatementLine `json:"unclear,omitempty"`
	MoreUnclear int             `json:"more_unclear,omitempty"` // how many are left out
}

// StoryAttempt is one attempt to pay a payout: what happened to its batch, and what the
// bank said about it, each oldest first.
type StoryAttempt struct {
	Payout
	Events []ledger.Event `json:"events"`
	Bank   []Observation  `json:"bank"`
	// Statement is left out if the attempt was never sent and no statement shows it.
	Statement *OnStatement `json:"statement,omitempty"`
}

// OnStatement is what the recorded statements show of an attempt, the same as in the reports of this ledger.
type OnStatement struct {
	Day string `json:"day"` // when a statement has to show its debit; "" if it was never sent
	// Covered reports whether a statement covers that day.
	Covered   bool            `json:"covered"`
	MatchedBy string          `json:"matched_by"` // as in attempts.csv: utr, reference, amount_and_day, batch_total, explained, or ""
	Ties      bool            `json:"ties"`       // statement and interface agree about it
	Kind      string          `json:"kind"`       // of the gravest difference, as in payrun explain; "" for none
	Words     string          `json:"words"`
	Lines     []StatementLine `json:"lines"`
	MoreLines int             `json:"more_lines,omitempty"` // how many are left out
}

// StatementLine is an entry of a statement, or one payment of a batch booking. Account
// numbers in its texts are masked.
type StatementLine struct {
	Entry     string       `json:"entry"` // its name, such as R3.17
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
