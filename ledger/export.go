package ledger

import (
	"errors"
	"fmt"
	"time"
)

// Export receives everything in a ledger that cannot be derived from the rest, in an order in
// which it can be recorded again. The comment of each function says when it is called. A store
// that records an export provides these functions too. The branch list is left out, because it
// was imported itself. Kept passwords are never exported. The functions are called one after
// another; an error of one ends the export.
type Export struct {
	Ledger      func(id string, createdAt time.Time) error
	Sheet       func(Sheet, *ReadOptions) error                    // the reading is nil if the bytes were not kept
	SheetPart   func(sheetID string, part int, bytes []byte) error // after its sheet, parts from 1; nil skips the bytes
	Batch       func(Batch) error
	Attempt     func(Attempt) error // with the payout that it sends; the first attempt of a payout before its others
	Origin      func(payoutID int64, from RowOrigin) error
	Correction  func(RecordedCorrection) error
	Observation func(NewObservation) error
	Intent      func(RecordedIntent) error
	StatusCheck func(RecordedLook) error // in the order of their calls
	Approval    func(Approval) error
	Release     func(ReleaseApproval) error
	Statement   func(KeptStatement) error     // without its lines
	Line        func(KeptLine) error          // of a statement, after all of them
	Decision    func(StatementDecision) error // decisions of people about statements, in order, after all lines
	BankLists   func(BankLists) error         // what the bank last listed
	Event       func(Event) error
}

// RecordedIntent is an intent as a ledger keeps it.
type RecordedIntent struct {
	No      int64  `json:"no"` // in the order of recording
	BatchID string `json:"batch_id"`
	Intent
	// Looked: the ledger has what the bank showed before the call.
	Looked bool `json:"-"`
}

// RecordedCorrection is a correction of a payout by a row of a later sheet, as a ledger keeps
// it.
type RecordedCorrection struct {
	Number int `json:"number"` // the first attempt that sends it
	Payout     // as corrected: ID and Ref are the payout's, SheetID and Row those of the correcting row
}

// Backup describes a copy of a ledger.
type Backup struct {
	Head  AuditHead
	Bytes int64 // of the file
}

// ErrExport: an export is incomplete, or payrun did not write it. Nothing of it is recorded.
var ErrExport = errors.New("this is not a whole export of a ledger")

// NotExport returns ErrExport with the reason.
func NotExport(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrExport, fmt.Errorf(format, args...))
}
