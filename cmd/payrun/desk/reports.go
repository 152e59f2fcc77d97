package desk

import (
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// mostRuns is how many runs of reports the page lists.
const mostRuns = 100

func listReports(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	runs, err := d.app.ReportRuns(mostRuns)
	if err != nil {
		return err
	}
	sheets, err := d.app.Sheets(r.Context(), d.call(s, "reports"))
	if err != nil {
		return err
	}
	return d.show(w, r, s, "reports", view{Title: "Reports", Data: dict("Runs", runs, "Sheets", sheets)})
}

func writeReports(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	var req app.ReportRequest
	if id := r.PostFormValue("sheet"); id != "" {
		req.SheetIDs = []string{id}
	}
	var err error
	if req.Since, req.Until, err = app.Days(r.PostFormValue("since"), r.PostFormValue("until"), d.set.Timezone.At); err != nil {
		return refuse(http.StatusUnprocessableEntity, err.Error()+". No reports were written.")
	}
	if _, err := d.app.Report(r.Context(), d.call(s, "report"), req); err != nil {
		return err
	}
	return leadTo(w, r, "/reports")
}

// preview lets a frame on the run's page show summary.html, and lets summary.html run nothing.
const preview = "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'"

// showRun shows one run, or sends all its files as one zip.
func showRun(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	name, zip := strings.CutSuffix(r.PathValue("run"), ".zip")
	run, err := d.app.ReportRun(name)
	if err != nil {
		return err
	}
	if zip {
		return d.stream(w, name+".zip", func() error { return d.app.ZipReports(name, w) })
	}
	return d.show(w, r, s, "run", view{Title: "Reports of " + run.Said.At, Data: struct {
		app.ReportRun
		Preview bool
		Numbers bool // this person may have full account numbers
	}{run, slices.Contains(run.Files, app.SummaryFile), slices.Contains(run.Files, app.PayoutsFile) && lets(s.person, trusted)}})
}

// previewSummary shows summary.html inside the run's page.
func previewSummary(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	f, err := d.app.OpenReport(r.PathValue("run"), app.SummaryFile)
	if err != nil {
		return err
	}
	defer f.Close()
	w.Header().Set("Content-Security-Policy", preview)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, err = io.Copy(w, f)
	return err
}

// stream answers with a file that is written while it is sent.
func (d *desk) stream(w http.ResponseWriter, name string, write func() error) error {
	attach(w, name)
	if err := write(); err != nil {
		d.warn(fmt.Sprintf("desk: %s was given out in part: %v", ledger.Plain(name), err))
		panic(http.ErrAbortHandler) // so that the browser does not take it for whole
	}
	return nil
}

// attach makes the answer a download with this file name.
func attach(w http.ResponseWriter, name string) {
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": name}))
}

// giveFull sends the payouts of a run with full account numbers. It records this before the first of them
// is sent.
func giveFull(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	run := r.PathValue("run")
	write, err := d.app.FullReport(r.Context(), d.decision(r, s, "report"), run, address(r))
	if errors.Is(err, app.ErrRunNotOurs) {
		return refuse(http.StatusConflict, "The payouts of this run were not written from this ledger, or were changed since. No account number was given out: create the reports again.")
	}
	if err != nil {
		return err
	}
	return d.stream(w, run+"-full-"+app.PayoutsFile, func() error { return write(w) })
}

// downloadReport sends a file of a run, always as a download, so that no browser runs its content here.
func downloadReport(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	run, name := r.PathValue("run"), r.PathValue("file")
	f, err := d.app.OpenReport(run, name)
	return d.download(w, r, f, run+"-"+name, err)
}
