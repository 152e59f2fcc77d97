// Package reports writes the files for finance from the ledger alone: payouts.csv, attempts.csv,
// exceptions.csv, reconciliation.json, summary.html and reconciliation.xlsx. The
// same ledger gives the same bytes: no code here reads a clock. Account numbers are masked to four
// digits; InFull alone gives them whole.
//
// One pass over the payouts feeds everything (gather.go). outside.go makes text of sheets and banks
// harmless. exception.go alone says why a payout is not paid and what to do. No file appears before
// all of them are complete (package folder). Package xlsx writes the rows of workbooks, and package
// resultsheet returns people's own sheets.
package reports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"

	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/reports/folder"
)

// Ledger is what the reports need to read.
type Ledger interface {
	// Sheets returns the loaded sheets in the order of loading.
	Sheets(ctx context.Context) ([]ledger.Sheet, error)
	// Batches returns the batches of the filter's sheet or batch, in plan order.
	Batches(ctx context.Context, f ledger.Filter) ([]ledger.Batch, error)
	// EachPayout calls fn for every payout's latest attempt (or every attempt,
	// with f.Attempts) in the order of loading, streaming.
	EachPayout(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error
	// Elsewhere calls fn for each row of a sheet that belongs to a payout of another one, with its
	// latest attempt, in the order of the rows: rows that correct, and rows that were left out and
	// loaded with a later sheet.
	Elsewhere(ctx context.Context, sheetID string, fn func(row int, a ledger.Attempt) error) error
	// Events calls fn for every event of the audit chain, oldest first.
	Events(ctx context.Context, fn func(ledger.Event) error) error
	// AuditHead returns the newest event of the audit chain.
	AuditHead(ctx context.Context) (ledger.AuditHead, error)
}

// Options say where the reports go and what is in them.
type Options struct {
	Dir    string // created with mode 0700 when it is not there
	Drafts string // where the files lie until they are whole, on the same disk; "" for Dir
	Scope         // zero: everything
	About         // whose ledger it is, for every file
	// Zone is the one people read times in. Programs get UTC in the CSV and JSON files
	// whatever it is.
	Zone *time.Location
	// Statements is what matching the statements on record found; nil where there are
	// none.
	Statements *reconcile.Result
	// Results writes the result sheets (resultsheet.Results) among the drafts of the
	// folder and returns their names: they and the reports appear together or
	// not at all. Nil writes none.
	Results func(ctx context.Context, s *Snapshot, dir *folder.Folder) ([]string, error)
}

// The files, in the order in which Write returns them.
const (
	PayoutsFile    = "payouts.csv" // a line for each payout, its account number masked
	attemptsFile   = "attempts.csv"
	exceptionsFile = "exceptions.csv"
	JSONFile       = "reconciliation.json"
	HTMLFile       = "summary.html"
	workbookFile   = "reconciliation.xlsx"
)

func fileNames() []string {
	return []string{PayoutsFile, attemptsFile, exceptionsFile, JSONFile, HTMLFile, workbookFile}
}

// MaskedFiles are the files of a run that people look at and in which no account
// number is whole: unlike the result sheets, which are people's own sheets.
func MaskedFiles() []string {
	return []string{HTMLFile, workbookFile, PayoutsFile, attemptsFile, exceptionsFile, JSONFile}
}

// DraftsPrefix begins the name of a folder in which files lie until they are whole.
const DraftsPrefix = folder.DraftsPrefix

// LeftDrafts lists the folders of drafts in dir that runs left which were killed. The next run removes them.
func LeftDrafts(dir string) []string { return folder.Left(dir) }

// passes is how often Write starts over when another process moves the ledger on.
const passes = 3

// Write writes all reports into o.Dir and returns their paths, those of the
// result sheets last. Either all of them are new and durable when it returns,
// or, with an error before the first one got its name, none of them changed.
// ledger.ErrNotFound when there is no sheet of
// that id; ledger.ErrConflict when
// the ledger kept moving.
func Write(ctx context.Context, l Ledger, o Options) ([]string, error) {
	var paths []string
	var err error
	for range passes {
		if paths, err = write(ctx, l, o); !errors.Is(err, ledger.ErrConflict) {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("writing the reports: %w", err)
	}
	return paths, nil
}

func write(ctx context.Context, l Ledger, o Options) ([]string, error) {
	s, err := takeSnapshot(ctx, l, o)
	if err != nil {
		return nil, err
	}
	dir, err := folder.Make(o.Dir, o.Drafts)
	if err != nil {
		return nil, err
	}
	defer dir.Discard()

	var results []string
	both, working := errgroup.WithContext(ctx)
	if o.Results != nil {
		both.Go(func() (err error) {
			results, err = o.Results(working, s, dir)
			return err
		})
	}
	both.Go(func() error { return writeFiles(working, dir, s) })
	if err = both.Wait(); err == nil {
		err = s.unmoved(ctx)
	}
	if err != nil {
		return nil, err
	}
	return dir.Commit(append(fileNames(), results...))
}

// writeFiles writes what every set of reports has.
func writeFiles(ctx context.Context, dir *folder.Folder, s *Snapshot) error {
	g, err := gather(ctx, s, dir)
	if err != nil {
		return err
	}
	if err := writeJSON(dir, s, g); err != nil {
		return fmt.Errorf("%s: %w", JSONFile, err)
	}
	if err := writePage(dir, HTMLFile, summaryTemplate, newSummary(s, g.totals)); err != nil {
		return fmt.Errorf("%s: %w", HTMLFile, err)
	}
	if err := writeWorkbook(ctx, dir, s, g); err != nil {
		return fmt.Errorf("%s: %w", workbookFile, err)
	}
	return nil
}
