package app

import (
	"archive/zip"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/ledger/reconcile"
	"payrun/reports"
	"payrun/reports/resultsheet"
)

// ReportRequest says which reports to write, and where.
type ReportRequest struct {
	ReportScope
	Statements *reconcile.Result // the result of matching; nil: match now
	Dir        string            // "" for the folder of the day and scope in the configured reports folder
}

// ReportScope says which sheets the reports are about.
type ReportScope = reports.Scope

// Days parses two whole days in a zone: from is the start of since, before is the start of the
// day after until. The zero time if a day is "".
func Days(since, until string, zone *time.Location) (from, before time.Time, err error) {
	day := func(what, text string) (t time.Time) {
		if text != "" && err == nil {
			if t, err = time.ParseInLocation(time.DateOnly, text, zone); err != nil {
				err = Fail(Usage, "%s %q is not a day; write it as 2026-11-30", what, ledger.Plain(text))
			}
		}
		return t
	}
	if from, before = day("since", since), day("until", until); err != nil {
		return from, before, err
	}
	if !before.IsZero() {
		before = before.AddDate(0, 0, 1)
	}
	if !before.IsZero() && !from.Before(before) {
		err = Fail(Usage, "%s is after %s", since, until)
	}
	return from, before, err
}

// Report writes the files for finance, from the ledger alone, and returns their paths.
func (a *App) Report(ctx context.Context, call Call, req ReportRequest) (paths []string, err error) {
	err = a.readOwn(ctx, call, func(o *operation) error {
		req.SheetIDs, err = listOf(req.SheetIDs, func(word string) (string, error) { return o.sheetID(ctx, word) })
		if err == nil {
			paths, err = o.writeReports(ctx, req)
		}
		for _, p := range paths {
			if strings.HasSuffix(p, ".result.csv") {
				o.warn("%s is a CSV because a workbook cannot hold so many rows", ledger.Plain(p))
			}
		}
		return err
	})
	return paths, err
}

// writeReports writes one set of reports to the folder that the request names, else to the folder of
// the day and scope. In that case it also writes the list of all such folders.
func (o *operation) writeReports(ctx context.Context, req ReportRequest) (paths []string, err error) {
	writing := o.call.progress().Begin("writing the reports", "payouts")
	defer writing.End()
	base, dir := "", req.Dir
	if dir == "" {
		base = o.set.InFolder(o.set.Nightly.Reports)
		dir = reports.RunFolder(base, o.env.Now().In(o.set.Timezone.At), req.ReportScope)
	}
	in := cmp.Or(base, dir)
	if why := config.NotOnlyOurs(in); why != "" && !o.set.Shares(in) {
		o.warn("the folder %s %s: others may replace or remove the reports in it", ledger.Plain(in), why)
	}
	if req.Statements == nil {
		if req.Statements, err = o.match(ctx); err != nil {
			return nil, err
		}
	}
	about := reports.About{Environment: o.set.Environment, Merchant: o.set.SubMerchantID, By: o.call.Actor, Accounts: o.set.Accounts}
	paths, err = reports.Write(ctx, counted{o.store, writing}, reports.Options{
		Dir: dir, Drafts: base, Scope: req.ReportScope, About: about, Statements: req.Statements, Zone: o.set.Timezone.At, Results: resultsheet.Results(o.ownSheet),
	})
	if err != nil {
		return paths, noFolder(err)
	}
	o.share(dir, paths)
	if base != "" {
		index, err := reports.WriteIndex(base)
		if err != nil {
			o.warn("the list of reports could not be written: %v", err)
			return paths, nil
		}
		o.share(base, []string{index})
	}
	return paths, nil
}

// counted is a ledger that reports progress for each attempt that the reports read. It does not count
// what the writers of result sheets read.
type counted struct {
	store
	progress Activity
}

// EachPayout implements reports.Ledger.
func (c counted) EachPayout(ctx context.Context, f ledger.Filter, fn func(ledger.Attempt) error) error {
	return c.store.EachPayout(ctx, f, func(a ledger.Attempt) error {
		if f.Attempts {
			c.progress.Add(1)
		}
		return fn(a)
	})
}

// noFolder names the folder once, and adds a hint, if reports cannot be written there, as in an auditor's copy.
func noFolder(err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return Fail(Failed, "the reports cannot be written to %s: permission denied", ledger.Plain(pathIn(err))).Because(err).Then(Do("report", "-o", "reports-of-mine").First("write them where you may"))
}

// share gives reports to the group that shares the ledger, if there is one.
func (o *operation) share(dir string, paths []string) {
	if err := o.set.Share(dir, paths); err != nil {
		o.warn("the reports stay yours alone: %v", err)
	}
}

// SummaryFile is the page of a run for people.
const SummaryFile = reports.HTMLFile

// PayoutsFile has a line for each payout of a run.
const PayoutsFile = reports.PayoutsFile

// ReportRun is the reports of one run, in their own folder.
type ReportRun struct {
	Name  string      // of the folder
	Files []string    // those with masked account numbers
	Said  reports.Run // what they say at the top
}

// ReportRuns returns the newest runs in the configured reports folder, newest first, at most most of them.
func (a *App) ReportRuns(most int) (runs []ReportRun, err error) {
	root, err := a.reportsRoot()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer root.Close()
	names, err := reports.Runs(root.FS())
	for _, name := range names[:min(most, len(names))] {
		runs = append(runs, reportRun(root, name))
	}
	return runs, err
}

func reportRun(root *os.Root, name string) ReportRun {
	run := ReportRun{Name: name, Said: reports.ReadRun(root.FS(), name)}
	for _, file := range reports.Files() {
		if info, err := root.Lstat(path.Join(name, file)); err == nil && info.Mode().IsRegular() {
			run.Files = append(run.Files, file)
		}
	}
	return run
}

// ReportRun returns one run; ledger.ErrNotFound if there is none with that name.
func (a *App) ReportRun(name string) (run ReportRun, err error) {
	err = a.inRun(name, func(root *os.Root) error {
		run = reportRun(root, name)
		return nil
	})
	return run, err
}

// OpenReport opens a file of a run with masked account numbers. ledger.ErrNotFound if there
// is none. No name leads out of the reports folder.
func (a *App) OpenReport(run, name string) (f *os.File, err error) {
	if !slices.Contains(reports.Files(), name) {
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

// inRun calls do with the reports folder, after it has checked that the run is there.
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

// sumsFile has the SHA-256 of every other file of a zip, in the format of sha256sum -c.
const sumsFile = "SHA256SUMS"

// ZipReports writes the files of a run with masked account numbers, and their checksums, as one zip. If there
// is no such run, it writes nothing and returns ledger.ErrNotFound.
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
	return os.OpenRoot(a.set.InFolder(a.set.Nightly.Reports))
}
