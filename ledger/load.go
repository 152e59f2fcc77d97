package ledger

import "io"

// Load records a sheet: its payouts as they are read, then the sheet and its batches. Next
// continues with another sheet. A load is one transaction: after a crash or an error nothing is
// recorded, and others see nothing before Commit returns nil. It is for one goroutine, but the
// writer of Contents may have another. Until Commit or Rollback, other writes to the ledger
// wait.
type Load interface {
	// Add records payouts, in the order of loading, and owns the slice. An error may come later:
	// a reference that was ever used, in this sheet or before, is ErrDuplicate at Commit at the
	// latest.
	Add(payouts []KeyedPayout) error
	// Contents returns the writer for the sheet's bytes, each once and in order. Commit records
	// them with the payouts, and refuses bytes whose SHA-256 is not the sheet's. Without a call
	// of Contents, the bytes are not kept.
	Contents() io.Writer
	// ReadAs sets how the bytes were read. That is known only after the last byte. Commit records
	// it with the bytes.
	ReadAs(r ReadOptions)
	// KeepColumns keeps the columns of this sheet for all sheets with its header (see
	// KeptColumns). nil deletes the kept columns. Commit records it as a decision of the person
	// who loads the sheet, unless nothing changes.
	KeepColumns(header string, columns map[string]string)
	// Correct adds further attempts of payouts of one earlier sheet, each with the data of a row
	// of this sheet. They get batches of their own, whose members are positions in list. Commit
	// records them with the sheet, under the same conditions as a retry: ErrConflict if one of
	// the payouts may be paid, or After is not its latest attempt.
	Correct(list []Corrected, batches []PlannedBatch) error
	// Next ends the sheet as Commit does, but does not commit, and begins another sheet. Its
	// references and rows are also checked against those of this sheet. Both are recorded or
	// neither is: an error has the effect of Rollback.
	Next(sheet Sheet, batches []PlannedBatch) error
	// Commit records the sheet and its batches. Their members are positions in the order of Add,
	// from 0; every payout is in exactly one batch. It returns the recorded batches, sheet by
	// sheet, those of the corrections last in each. If it fails, nothing is recorded:
	// ErrDuplicate for a reference, bytes or rows that were loaded before, ErrRule for a plan
	// that is not legal (see CheckPlan), ErrTotal for a sheet with which the ledger would exceed
	// MostInAll.
	Commit(sheet Sheet, batches []PlannedBatch) ([]Batch, error)
	// Rollback discards everything that was added. After Commit, or a second time, it does
	// nothing.
	Rollback() error
}
