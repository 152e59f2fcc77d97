package ledger

import "io"

// Load records a sheet: its payouts as they are read, then the sheet and its batches. Next
// continues with another sheet. A load is one transaction: a crash or an error leaves nothing
// of it, and others see nothing of it before Commit returns nil. It is for one goroutine,
// except that the writer of Contents may have another. Until Commit or Rollback, other writes
// to the ledger wait.
type Load interface {
	// Add records payouts, in the order of loading, and owns the slice. A fault may show only
	// later: a reference that was ever used, in this sheet or in history, is ErrDuplicate at
	// Commit or before.
	Add(payouts []KeyedPayout) error
	// Contents returns the writer that takes the sheet's bytes, every one once and in order.
	// Commit records them with the payouts, and refuses bytes whose SHA-256 is not the sheet's.
	// A load that never calls Contents keeps none.
	Contents() io.Writer
	// ReadAs sets how the bytes were read, which is known only after the last of them. Commit
	// records it with them.
	ReadAs(r ReadOptions)
	// KeepColumns keeps the columns of this sheet for all sheets with its header (see
	// KeptColumns), or with nil deletes those that are kept. Commit records it as a decision of
	// the person who loads the sheet, unless nothing changes.
	KeepColumns(header string, columns map[string]string)
	// Correct adds further attempts of payouts of one earlier sheet, each with the data of a
	// row of this one, in batches of their own, whose members are positions in list. Commit
	// records them with the sheet, under the same conditions as a retry: ErrConflict if one of
	// them may be paid, or is not the latest.
	Correct(list []Corrected, batches []PlannedBatch) error
	// Next ends the sheet as Commit does, without committing it, and begins another one, whose
	// references and rows are checked against this one's as well. Both are recorded or neither
	// is: an error has the effect of Rollback.
	Next(sheet Sheet, batches []PlannedBatch) error
	// Commit records the sheet and its batches, whose members are positions in the order of
	// Add, from 0; every payout is in exactly one. It returns the batches as recorded, sheet by
	// sheet after those of earlier sheets, and the corrections of each last. If it fails,
	// nothing is recorded: ErrDuplicate for a reference, bytes or rows that were loaded before,
	// ErrRule for a plan that is not legal (see CheckPlan), ErrTotal for a sheet with which the
	// ledger would hold more than MostInAll.
	Commit(sheet Sheet, batches []PlannedBatch) ([]Batch, error)
	// Rollback discards everything that was added. After Commit, or a second time, it does
	// nothing.
	Rollback() error
}
