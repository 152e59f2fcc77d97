package app

import (
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/reports"
)

// ReportRun is the reports of one run, in a folder of their own.
type ReportRun struct {
	Name  string   // of the folder
	Files []string // those in which account numbers are masked
}

// ReportRuns lists the newest runs among the configured reports, newest first, at
// most so many.
func (a *App) ReportRuns(most int) (runs []ReportRun, err error) {
	root, err := a.reportsRoot()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	found, err := fs.ReadDir(root.FS(), ".") // by name, so oldest first
	if err != nil {
		return nil, err
	}
	slices.Reverse(found)
	for _, e := range found {
		if !e.IsDir() || !reports.IsRun(e.Name()) || len(runs) == most {
			continue
		}
		run := ReportRun{Name: e.Name()}
		for _, name := range reports.MaskedFiles() {
			if info, err := root.Lstat(e.Name() + "/" + name); err == nil && info.Mode().IsRegular() {
				run.Files = append(run.Files, name)
			}
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// OpenReport opens a file of a run, one in which account numbers are masked.
// ledger.ErrNotFound where there is none: no name leads out of the reports.
func (a *App) OpenReport(run, name string) (*os.File, error) {
	if !reports.IsRun(run) || strings.ContainsAny(run, `/\`) || !slices.Contains(reports.MaskedFiles(), name) {
		return nil, ledger.ErrNotFound
	}
	root, err := a.reportsRoot()
	if err != nil {
		return nil, errors.Join(ledger.ErrNotFound, err)
	}
	defer root.Close()
	path := run + "/" + name
	if info, err := root.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(ledger.ErrNotFound, err)
	}
	return root.Open(path)
}

func (a *App) reportsRoot() (*os.Root, error) {
	return os.OpenRoot(a.set.Beside(a.set.Nightly.Reports))
}
