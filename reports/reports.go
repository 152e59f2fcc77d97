// Package reports writes the files for finance from the ledger alone: payouts.csv, attempts.csv,
// exceptions.csv, reconciliation.json, summary.html and reconciliation.xlsx. The same ledger gives the same
// bytes: no code here reads a clock. Account numbers are masked to four digits; only InFull, a List with Full
// and the result sheets have them in full.
//
// One pass over the payouts feeds everything (gather.go). outside.go makes text from sheets and banks harmless.
// Only exception.go says why a payout is not paid and what to do. No file appears before all of them are
// complete (package folder). Package xlsx writes the rows of workbooks, and package resultsheet returns
// people's own sheets.
package reports

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

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
	// EachPayout calls fn for the latest attempt of every payout (for every attempt, with f.Attempts) in the
	// order of loading, streaming.
	EachPayout(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error
	// Elsewhere calls fn for each row of a sheet that belongs to a payout of another sheet, with its latest
	// attempt, in row order: rows that correct payouts, and rows that were left out and loaded with a later
	// sheet.
	Elsewhere(ctx context.Context, sheetID string, fn func(row int, a ledger.Attempt) error) error
	// Events calls fn for every event of the audit chain, oldest first.
	Events(ctx context.Context, fn func(ledger.Event) error) error
	// AuditHead returns the newest event of the audit chain.
	AuditHead(ctx context.Context) (ledger.AuditHead, error)
}

// Options say where the reports go and what is in them.
type Options struct {
	Dir    string // created with mode 0700 if it does not exist
	Drafts string // where the files are until they are complete, on the same disk; "" for Dir
	Scope         // zero: everything
	About         // whose ledger it is, for every file
	// Zone is the time zone for people. The times for programs in the CSV and JSON files are always UTC.
	Zone *time.Location
	// Statements is the result of matching the statements on record; nil if there are none.
	Statements *reconcile.Result
	// Results writes the result sheets (resultsheet.Results) as drafts of the folder and returns their names.
	// They and the reports appear together or not at all. Nil writes none.
	Results func(ctx context.Context, s *Snapshot, dir *folder.Folder) ([]string, error)
}

// The names of the files.
const (
	PayoutsFile    = "payouts.csv" // a line for each payout, its account number masked
	attemptsFile   = "attempts.csv"
	exceptionsFile = "exceptions.csv"
	JSONFile       = "reconciliation.json"
	HTMLFile       = "summary.html"
	workbookFile   = "reconciliation.xlsx"
)

// Files lists the files of a run in which account numbers are masked, unlike in the result sheets, which are
// people's own sheets. Files that people look at come first.
func Files() []string {
	return []string{HTMLFile, workbookFile, PayoutsFile, attemptsFile, exceptionsFile, JSONFile}
}

// DraftsPrefix begins the name of a folder that holds files until they are complete.
const DraftsPrefix = folder.DraftsPrefix

// LeftDrafts lists the folders of drafts in dir that killed runs left. The next run removes them.
func LeftDrafts(dir string) []string { return folder.Left(dir) }

// passes is how often Write tries if another process changes the ledger meanwhile.
const passes = 3

// Write writes all reports into o.Dir and returns their paths, the result sheets last. When it returns, either
// all of them are new and durable, or, if the error came before the first one got its name, none of them
// changed. It returns ledger.ErrNotFound if a sheet with that id does not exist, and ledger.ErrConflict if the
// ledger kept changing.
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

	g, err := newGathered(s, dir)
	if err != nil {
		return nil, err
	}
	results, err := s.readAll(ctx, dir, g)
	if err == nil {
		err = writeFiles(ctx, dir, s, g)
	}
	// What is read while the ledger changes may contradict itself: then the change is the error.
	if moved := s.unmoved(ctx); err == nil || errors.Is(moved, ledger.ErrConflict) {
		err = moved
	}
	if err != nil {
		return nil, err
	}
	return dir.Commit(append(Files(), results...))
}

// readAll reads all payouts and writes the result sheets meanwhile.
func (s *Snapshot) readAll(ctx context.Context, dir *folder.Folder, g *gathered) (results []string, err error) {
	if s.Options.Results == nil {
		return nil, g.read(ctx, s, func(Result) error { return nil })
	}
	next, stop := iter.Pull2(sequence(func(give func(Result) error) error { return g.read(ctx, s, give) }))
	defer stop()
	s.feed = &feed{next: next}
	if results, err = s.Options.Results(ctx, s, dir); err == nil {
		err = s.feed.ended()
	}
	return results, err
}

// writeFiles completes the files that every set of reports has.
func writeFiles(ctx context.Context, dir *folder.Folder, s *Snapshot, g *gathered) error {
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
