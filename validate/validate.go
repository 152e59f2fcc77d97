// Package validate turns rows into payouts and findings. It never changes a value: it accepts exactly what the
// person wrote, and refuses everything else with row, column, value, reason and fix. It collects all findings
// and does not stop at the first.
//
// Check reads a sheet once and hands payouts to a Sink as it goes. Its memory grows only with the number of
// references. One table has the code of every finding; Explain reads it.
package validate

import (
	"context"
	"io"
	"slices"
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

// History is what validation needs to know about earlier sheets, the bank's lists and the branch list.
type History interface {
	// UsedReferences returns which of the keys (see RefKey) were ever used, by any attempt of any payout, at
	// the bank or in a sheet.
	UsedReferences(ctx context.Context, keys []string) (map[string]ledger.ReferenceUse, error)
	// SheetBy returns the loaded sheet with the same content as like: the same tab of the same bytes under the
	// same prefix, or the same rows; else ledger.ErrNotFound.
	SheetBy(ctx context.Context, like ledger.Sheet) (ledger.Sheet, error)
	// SheetUnderAnotherPrefix returns the first loaded sheet with the same content as like except for the
	// prefix of its references, or ledger.ErrNotFound.
	SheetUnderAnotherPrefix(ctx context.Context, like ledger.Sheet) (ledger.Sheet, error)
	// Correctable returns the states of the payouts whose own references have these keys (see RefKey). The
	// reference of a further attempt does not count.
	Correctable(ctx context.Context, keys []string) (map[string]ledger.Correctable, error)
	// RowsUsed returns which of these rows of a sheet are payouts: those loaded with the sheet, and those that
	// were left out and loaded with a later sheet.
	RowsUsed(ctx context.Context, sheetID string, rows []int) (map[int]ledger.RowUse, error)
	// BankLists returns what the bank listed at the last poll. It returns ledger.ErrTampered if that was
	// changed since.
	BankLists(ctx context.Context) (ledger.BankLists, error)
	ifsc.Directory
}

// UsageError says what is wrong with an option, not with the sheet.
type UsageError = ingest.UsageError

// Choices are how a person asks for a sheet to be read.
type Choices struct {
	Name            string            // what the sheet is called if its file has another name; "" for the file's name
	Tab             string            // of an XLSX; "" for the only one with data
	Account         string            // name or bank_account_id of the debit account for rows without one; "" = the account with Default
	Encoding        string            // "windows-1252", or "" to detect it
	HiddenRows      string            // of ingest.HiddenRows
	Map             map[string]string // column, by any known word for it → header, which the sheet must have
	KeepColumns     *bool             // true: keep Map for sheets with this header; false: read without a kept mapping, and forget it; nil: use the kept one
	RefPrefix       string            // put before every reference
	ExpectCount     *int              // of the rows that are neither blank nor the total row
	ExpectTotal     *ledger.Paise     // over all rows whose amount can be read
	ExpectSHA256    string            // of the sheet's bytes, in lower-case hex; "" for no check
	NumericAccounts bool              // accept numeric cells of at most 15 digits as account numbers, with a warning
	Strict          bool              // every warning is an error

	// Correct treats every row as a correction of a payout that surely was not paid (see ledger.Correctable),
	// and no row as a new payout.
	Correct bool
}

// Options for Check. The zero value has no debit account, so it refuses every row that names none.
type Options struct {
	Choices
	Accounts          []ledger.DebitAccount
	SubMerchantID     string // for rows without one
	TransactionTypeID string // for rows without one

	Limits     ingest.Limits
	Rails      map[string]ledger.Rail // the rail of each transaction type that is known
	PayoutMost ledger.Paise           // a larger amount is refused; 0 = any
	Profiles   []Profile              // each for sheets that have all its columns
	Columns    map[string]string      // like Map, if the sheet has the header; the profiles come first
	Kept       ledger.ColumnsTrail    // the kept mappings, each for exactly one header
	Copy       io.Writer              // gets the bytes that are read, see ingest.Options; nil for none

	// Origin is the sheet that the rows came from; they are read as that sheet was. Nil if the caller does not know
	// it: if rows then name their origin, Check returns an *OriginError before it gives any payout to the sink.
	// Without an ID the columns are present but empty. Without rows it is a sheet that the ledger does not have.
	Origin *ledger.Sheet

	// RecentSince is the start of the time in which a payout of the same amount to the same payee gives a
	// warning; zero for no such warning.
	RecentSince time.Time

	// Now is the current time, which gives the age of the branch list and today's date; zero for neither.
	Now time.Time

	// Exclude is Result.Withdrawn of an earlier pass. These rows are checked but not given to the sink, so that
	// this pass withdraws nothing.
	Exclude []int
}

// Accepted is a payout with the key (see RefKey) by which its reference is compared.
type Accepted = ledger.KeyedPayout

// Sink receives the accepted payouts in row order, at most 4096 at a time. Check reuses the slice afterwards.
// An error of the sink ends the check.
type Sink func(payouts []Accepted) error

// Result is what Check found about a sheet.
type Result struct {
	Sheet    ledger.Sheet // all but LoadedAt and LoadedBy
	Findings []ledger.Finding
	Tabs     []string // of a workbook: the tabs that Options.Tab may name

	// Read are the columns that are read, Unread the others. Both are nil if no header was found.
	Read, Unread []ReadColumn

	// AlreadyLoaded says that the same bytes or rows were loaded before. One finding names the first load,
	// instead of one for each reference.
	AlreadyLoaded bool
	LoadedAs      string // the sheet id of that load; "" for none

	// Corrections are the rows that correct payouts, in row order. They do not go to the sink.
	Corrections []ledger.Corrected

	// GiveUp are the batches to abandon before the rows can correct their payouts.
	GiveUp []string

	// Withdrawn are the rows of payouts that were refused after they were given to the sink, in ascending
	// order: for example the first row of a repeated reference, which is known only at the second. The reason
	// is always in the sheet itself.
	Withdrawn []int

	// Columns is the mapping that was used for this sheet, canonical name → header. As a Map, it reads the same
	// bytes in the same way again.
	Columns map[string]string

	// HeaderSHA256 identifies the header, see headerSHA256; "" if there is no header for which columns could be
	// kept.
	HeaderSHA256 string

	// Kept is the mapping kept for the header; nil for none. AsKept says that a column was read by it,
	// WithoutKept that the options ruled it out.
	Kept                *ledger.KeptColumns
	AsKept, WithoutKept bool

	// Keep is the mapping that is kept for the header when the sheet is loaded (Options.KeepColumns), canonical
	// name → header; nil for none.
	Keep map[string]string

	// RejectedRows are the numbers of all rejected rows, in ascending order. It is complete even if Findings
	// reached its limit.
	RejectedRows []int

	// Banks has the sum of the accepted payouts by bank, the largest first. It is nil without a branch list,
	// and if payouts were withdrawn: then the second pass has it.
	Banks []ifsc.BankTally
}

// Refused reports whether the sheet cannot be loaded as it is.
func (r Result) Refused() bool {
	return slices.ContainsFunc(r.Findings, func(f ledger.Finding) bool { return f.Severity == ledger.SeverityError })
}

// FileRefused reports whether the sheet is refused as a whole, so that leaving out the rejected rows does not
// help.
func (r Result) FileRefused() bool { return r.FileFault() != "" }

// FileFault returns the code of the first finding that refuses the sheet as a whole; "" if there is none.
func (r Result) FileFault() string {
	for _, f := range r.Findings {
		if e, _ := ingest.Explained(f.Code); f.Severity == ledger.SeverityError && e.Scope == ofFile {
			return f.Code
		}
	}
	return ""
}
