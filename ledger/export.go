package ledger

import "time"

// Export takes everything in a ledger that cannot be derived from the rest, in
// an order in which it could be recorded again: what each of its functions is
// called for. It is also how a store records what an export gives (Importing). The
// branch list is not in it, because it is imported and not made here. Kept passwords are
// never exported. The functions are called one after
// another; an error of one ends the export.
type Export struct {
	Ledger      func(id string, createdAt time.Time) error
	Sheet       func(Sheet, *ReadOptions) error                    // the reading is nil where the bytes were not kept
	SheetPart   func(sheetID string, part int, bytes []byte) error // after its sheet, parts from 1; nil leaves the bytes out
	Batch       func(Batch) error
	Attempt     func(Attempt) error                        // with what it sends of its payout; the first attempt of a payout before its others
	Origin      func(payoutID int64, from RowOrigin) error // nil leaves them out
	Correction  func(RecordedCorrection) error             // nil leaves them out
	Observation func(NewObservation) error
	Intent      func(RecordedIntent) error
	Look        func(RecordedLook) error // in the order of their calls
	Approval    func(Approval) error
	Release     func(ReleaseApproval) error
	Statement   func(KeptStatement) error     // without its lines; nil leaves out all of statements
	Line        func(KeptLine) error          // of a statement, after all of them
	Word        func(StatementDecision) error // of people about statements, in order, after all lines
	BankLists   func(BankLists) error         // what the bank listed when it was last asked; nil leaves it out
	Event       func(Event) error
}

// RecordedIntent is an intent as a ledger keeps it.
type RecordedIntent struct {
	No      int64 // in the order of recording
	BatchID string
	Intent
	// Looked: what the bank showed before the call is on record.
	Looked bool
}

// RecordedCorrection is what a row of a later sheet corrected a payout to, as a
// ledger keeps it.
type RecordedCorrection struct {
	Number int `json:"number"` // the first attempt that sends it
	Payout     // as corrected: ID and Ref are the payout's, SheetID and Row those of the correcting row
}

// Backup is what a copy of a ledger holds.
type Backup struct {
	Head  AuditHead
	Bytes int64 // of the file
}
