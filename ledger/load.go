package ledger

import "io"

// Load records a sheet: its payouts as they are read, then the sheet and its
// batches. With Next it goes on with another sheet. It is one transaction: a crash
// or an error leaves nothing of it, and nobody sees anything of it before Commit
// returned nil. It is for one goroutine, but for the writer of Contents, which may
// have another. Until Commit or Rollback other writes to the ledger wait.
type Load interface {
	// Add records payouts, in the order of loading, and owns the slice. What is
	// wrong with them may show only later: a reference that was ever used, in
	// this sheet or in history, is ErrDuplicate at Commit or before.
	Add(payouts []KeyedPayout) error
	// Contents returns the writer that takes the sheet's bytes, every one once
	// and in order. Commit records them with the payouts, and refuses bytes
	// whose SHA-256 is not the sheet's. A load that never asks for it keeps none.
	Contents() io.Writer
	// ReadAs says how the bytes were read, which is known only when all are.
	// Commit records it with them.
	ReadAs(r ReadOptions)
	// KeepColumns says that the columns of this sheet are kept for all that have its
	// header (see KeptColumns), or with nil that they are no longer. Commit records
	// it as the word of whoever loads the sheet, where it is not so already.
	KeepColumns(header string, columns map[string]string)
	// Correct adds further attempts of payouts of one earlier sheet, each with what
	// a row of this one says, in batches of their own, whose members are positions
	// in list. Commit records them with the sheet, under the same conditions as a
	// retry: ErrConflict where one of them may be paid, or is not the latest.
	Correct(list []Corrected, batches []PlannedBatch) error
	// Next ends the sheet as Commit does, without committing it, and begins another
	// one, whose references and rows are held against this one's as well. Both are
	// recorded or neither is: after an error it is as if Rollback had been called.
	Next(sheet Sheet, batches []PlannedBatch) error
	// Commit records the sheet and its batches, whose members are positions in
	// the order of Add, from 0; every payout is in exactly one. The batches come
	// back as recorded, after those of the sheets before it, sheet by sheet and with
	// what each corrects last. Whatever goes wrong, nothing is recorded:
	// ErrDuplicate for a reference, bytes or rows that were loaded before,
	// ErrRule for a plan that is not legal (see CheckPlan), ErrTotal for a sheet
	// with which the ledger would hold more than MostInAll.
	Commit(sheet Sheet, batches []PlannedBatch) ([]Batch, error)
	// Rollback forgets everything that was added. After Commit, or a second
	// time, it does nothing.
	Rollback() error
}
