package desk

import (
	"mime"
	"net/http"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// mostRuns is how many runs of reports are listed.
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
	return d.show(w, r, s, http.StatusOK, "reports", view{Title: "Reports", Data: struct {
		Runs   []app.ReportRun
		Sheets []ledger.Sheet
	}{runs, sheets}})
}

func writeReports(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	var req app.ReportRequest
	if id := r.PostFormValue("sheet"); id != "" {
		if _, err := d.app.Sheet(r.Context(), d.call(s, "report"), id); err != nil {
			return err
		}
		req.Sheets = []string{id}
	}
	if _, err := d.app.Report(r.Context(), d.call(s, "report"), req); err != nil {
		return err
	}
	http.Redirect(w, r, "/reports", http.StatusSeeOther)
	return nil
}

// downloadReport gives a file of a run, always as a file: what is in it, a browser
// never runs here.
func downloadReport(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	run, name := r.PathValue("run"), r.PathValue("file")
	f, err := d.app.OpenReport(run, name)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	w.Header().Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": run + "-" + name}))
	http.ServeContent(w, r, "", info.ModTime(), f)
	return nil
}
