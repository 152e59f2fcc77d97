// Package validate turns rows into payouts and findings. It never changes a value: it accepts exactly
// what the person wrote, and refuses the rest with row, column, value, reason and fix. It collects
// findings and does not stop at the first.
//
// Check reads a sheet once, in constant memory but for the references, and hands payouts to a Sink as
// it goes. One table has every finding's code; Explain reads it.
package validate

import (
	"context"
	"io"
	"time"

	"payrun/ingest"
	"payrun/ledger"
	"payrun/validate/ifsc"
)

// Past is what a check knows of the past. Names are folded by FoldName.
type Past interface {
	History
	ledger.Payees
}

// History is what validation needs to know of earlier sheets, and of what the bank and its branches are.
type History interface {
	// UsedReferences returns which of the keys (see RefKey) any attempt of any payout ever used at the
	// bank or in a sheet.
	UsedReferences(ctx context.Context, keys []string) (map[string]ledger.ReferenceUse, error)
	// SheetBy returns the loaded sheet with the content of one that was read: the
	// same tab of the same bytes under the same prefix, or the same rows; else
	// ledger.ErrNotFound.
	SheetBy(ctx context.Context, like ledger.Sheet) (ledger.Sheet, error)
	// SheetUnderAnotherPrefix returns the first loaded sheet with the content of
	// one that was read but for what is put before the references, or ledger.ErrNotFound.
	SheetUnderAnotherPrefix(ctx context.Context, like ledger.Sheet) (ledger.Sheet, error)
	// Correctable returns the states of the payouts whose own references have these keys (see RefKey).
	// A reference of a further attempt is none.
	Correctable(ctx context.Context, keys []string) (map[string]ledger.Correctable, error)
	// RowsUsed returns which of these rows of a sheet are payouts: its own, and those that were left
	// out and loaded with a later sheet.
	RowsUsed(ctx context.Context, sheetID string, rows []int) (map[int]ledger.RowUse, error)
	// BankLists returns what the bank listed when it was last asked. ledger.ErrTampered where that
	// was changed since.
	BankLists(ctx context.Context) (ledger.BankLists, error)
	ifsc.Directory
}

// UsageError is what is wrong with an option and not with the sheet.
type UsageError = ingest.UsageError

// Choices are how a person asks for a sheet to be read.
type Choices struct {
	Name            string            // of the sheet, where its file has another; "" for that one
	Tab             string            // of an XLSX; "" for the only one with data
	Account         string            // name or bank_account_id of the debit account of rows without one; "" = the account with Default
	Encoding        string            // "windows-1252", or "" for what the bytes say
	HiddenRows      string            // of ingest.HiddenRows
	Map             map[string]string // column, by any word for it → header, which the sheet must have
	KeepColumns     *bool             // true: Map is kept for sheets with this header; false: read without what was kept, and forget it; nil: read as it was kept
	RefPrefix       string            // put before every reference
	ExpectCount     *int              // of the rows that are neither blank nor the total row
	ExpectTotal     *ledger.Paise     // over all rows whose amount can be read
	ExpectSHA256    string            // of the sheet's bytes, in lower-case hex; "" for any
	NumericAccounts bool              // accept numeric cells of at most 15 digits as account numbers, with a warning
	Strict          bool              // every warning is an error

	// Correct takes each row for a correction of a payout that surely was not paid
	// (see Correcting), and none for a new payout.
	Correct bool
}

// Options for Check. The zero value has no debit account, so every row that
// names none is refused.
type Options struct {
	Choices
	Accounts          []ledger.DebitAccount
	SubMerchantID     string // for rows without one
	TransactionTypeID string // for rows without one

	Limits     ingest.Limits
	Rails      map[string]ledger.Rail // what the transaction types are, where that is known
	PayoutMost ledger.Paise           // a larger amount is refused; 0 = any
	Profiles   []Profile              // for sheets that have all columns of one
	Columns    map[string]string      // as Map, where the sheet has the header; after the profiles
	Kept       ledger.ColumnsTrail    // the saved mapping of exactly such a header, besides the profiles
	Copy       io.Writer              // gets the bytes that are read, see ingest.Options; nil for none

	// Origin is the sheet that the rows came from; nil if the caller does not know one. A sheet whose
	// rows name their origin is then an *OriginError, before any of its payouts is given to the sink.
	Origin *Origin

	// RecentSince is from when on the same payee and amount are worth a
	// warning; zero asks nothing.
	RecentSince time.Time

	// Now is the time from which the age of the branch list is computed; zero for no age.
	Now time.Time

	// Exclude is Result.Withdrawn of an earlier pass: these rows are judged, and not given to the
	// sink, so that this pass withdraws nothing.
	Exclude []int
}

// Accepted is a payout and the key its reference is compared by, of RefKey.
type Accepted = ledger.KeyedPayout

// Sink receives the accepted payouts in row order, at most 4096 at a time. The
// slice is used again when it returns. Its error ends the check.
type Sink func(payouts []Accepted) error

// Result is what Check found out about a sheet.
type Result struct {
	Sheet    ledger.Sheet // all but LoadedAt and LoadedBy
	Findings []ledger.Finding
	Tabs     []string // of a workbook, those of which Options.Tab may name one

	// Read are the columns that are read, and Unread those that are not. Both are
	// nil where no header was found.
	Read, Unread []ReadColumn

	// AlreadyLoaded: these bytes or these rows were loaded before. One finding
	// names the first load, instead of one for each reference.
	AlreadyLoaded bool
	LoadedAs      string // the id of that load; "" for none

	// Corrections are the rows that correct payouts, in their order; those do not
	// go to the sink.
	Corrections []ledger.Corrected

	// GiveUp are the batches to abandon before the rows can correct the payouts in them.
	GiveUp []string

	// Withdrawn are the rows of payouts that were refused after they were given to the sink: the
	// first row of a repeated reference, which is known only at the second. What a row is withdrawn
	// for is in the sheet itself. In ascending order.
	Withdrawn []int

	// Columns is what was said of the columns of this sheet and used, canonical
	// name → header: what reads the same bytes again in the same way as a Map.
	Columns map[string]string

	// HeaderSHA256 identifies the header, see headerSHA256; "" if there is none for which columns
	// could be saved.
	HeaderSHA256 string

	// Kept is what people kept for the header; nil where nothing is. AsKept: a column was
	// read by it. WithoutKept: none was to be.
	Kept                *ledger.KeptColumns
	AsKept, WithoutKept bool

	// Keep is what Options.KeepColumns has kept for the header when the sheet is loaded,
	// canonical name → header; nil for nothing.
	Keep map[string]string

	// RejectedRows are the numbers of all rejected rows, in ascending order.
	// Complete also where Findings stops at its limit.
	RejectedRows []int

	// Banks sums the accepted payouts up by bank, the largest first. Nil
	// without a branch list, and when payouts were withdrawn: their second
	// pass has it.
	Banks []ifsc.BankTally
}

// Refused reports whether anything is wrong that keeps the sheet from being
// loaded as it is.
func (r Result) Refused() bool {
	for _, f := range r.Findings {
		if f.Severity == ledger.SeverityError {
			return true
		}
	}
	return false
}

// FileRefused reports whether the sheet as a whole is refused, so that leaving
// out the rejected rows does not help.
func (r Result) FileRefused() bool { return r.FileFault() != "" }

// FileFault is the code of the first finding that refuses the sheet as a whole; "" where
// there is none.
func (r Result) FileFault() string {
	for _, f := range r.Findings {
		if f.Severity == ledger.SeverityError && explanationOf(f.Code).Scope == ofFile {
			return f.Code
		}
	}
	return ""
}
