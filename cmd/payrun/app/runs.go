package app

import (
	"archive/zip"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"payrun/ledger"
	"payrun/reports"
)

// SummaryFile is the page of a run that people read.
const SummaryFile = reports.HTMLFile

// PayoutsFile has a line for each payout of a run.
const PayoutsFile = reports.PayoutsFile

// ReportRun is the reports of one run, in a folder of their own.
type ReportRun struct {
	Name  string      // of the folder
	Files []string    // those in which account numbers are masked
	Said  reports.Run // what they say first
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
		if e.IsDir() && reports.IsRun(e.Name()) && len(runs) < most {
			runs = append(runs, reportRun(root, e.Name()))
		}
	}
	return runs, nil
}

func reportRun(root *os.Root, name string) ReportRun {
	run := ReportRun{Name: name, Said: reports.ReadRun(root.FS(), name)}
	for _, file := range reports.MaskedFiles() {
		if info, err := root.Lstat(path.Join(name, file)); err == nil && info.Mode().IsRegular() {
			run.Files = append(run.Files, file)
		}
	}
	return run
}

// ReportRun tells of one run; ledger.ErrNotFound where there is none of the name.
func (a *App) ReportRun(name string) (run ReportRun, err error) {
	err = a.inRun(name, func(root *os.Root) error {
		run = reportRun(root, name)
		return nil
	})
	return run, err
}

// OpenReport opens a file of a run, one in which account numbers are masked.
// ledger.ErrNotFound where there is none: no name leads out of the reports.
func (a *App) OpenReport(run, name string) (f *os.File, err error) {
	if !slices.Contains(reports.MaskedFiles(), name) {
		return nil, ledger.ErrNotFound
	}
	err = a.inRun(run, func(root *os.Root) error {
		f, err = openIn(root, run, name)
		return err
	})
	return f, err
}

func openIn(root *os.Root, run, name string) (*os.File, error) {
	file := path.Join(run, name)
	if info, err := root.Lstat(file); err != nil || !info.Mode().IsRegular() {
		return nil, errors.Join(ledger.ErrNotFound, err)
	}
	return root.Open(file)
}

// inRun does something with the folder of a run.
func (a *App) inRun(run string, do func(*os.Root) error) error {
	if !reports.IsRun(run) || strings.ContainsAny(run, `/\`) {
		return ledger.ErrNotFound
	}
	root, err := a.reportsRoot()
	if err != nil {
		return errors.Join(ledger.ErrNotFound, err)
	}
	defer root.Close()
	if info, err := root.Lstat(run); err != nil || !info.IsDir() {
		return errors.Join(ledger.ErrNotFound, err)
	}
	return do(root)
}

// sumsFile has the SHA-256 of every other file of a zip, as sha256sum -c reads it.
const sumsFile = "SHA256SUMS"

// ZipReports writes the files of a run in which account numbers are masked, and
// their checksums, as one zip. Nothing is written where there is no such run
// (ledger.ErrNotFound).
func (a *App) ZipReports(run string, w io.Writer) error {
	return a.inRun(run, func(root *os.Root) error {
		z := zip.NewWriter(w)
		var sums strings.Builder
		for _, name := range reportRun(root, run).Files {
			sum, err := zipFile(z, root, run, name)
			if err != nil {
				return err
			}
			fmt.Fprintf(&sums, "%x  %s\n", sum, name)
		}
		f, err := z.Create(path.Join(run, sumsFile))
		if err != nil {
			return err
		}
		if _, err := io.WriteString(f, sums.String()); err != nil {
			return err
		}
		return z.Close()
	})
}

func zipFile(z *zip.Writer, root *os.Root, run, name string) (sum []byte, err error) {
	f, err := openIn(root, run, name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	in, err := z.CreateHeader(&zip.FileHeader{Name: path.Join(run, name), Method: zip.Deflate, Modified: info.ModTime()})
	if err != nil {
		return nil, err
	}
	hash := sha256.New()
	if _, err := io.Copy(io.MultiWriter(in, hash), f); err != nil {
		return nil, err
	}
	return hash.Sum(nil), nil
}

func (a *App) reportsRoot() (*os.Root, error) {
	return os.OpenRoot(a.set.Beside(a.set.Nightly.Reports))
}
