package desk

import (
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
)

// lookedData is what the page of a waiting sheet shows.
type lookedData struct {
	app.UploadReview
	Part    app.Part
	Batches []doc.PlannedBatch
	Changed []doc.Correction
	Check   []string // the command that shows the same
	Load    []string // the command that loads it; nil if it cannot be loaded
	Similar app.SimilarList
	Wrong   bool // an option for reading it is wrong
}

// MayChoose reports whether the page lets a person choose what a column is read as: a column of a table
// whose header is shown whole.
func (l *lookedData) MayChoose(c app.GridColumn) bool {
	return c.At != "" && c.Header != "" && !strings.HasSuffix(c.Header, "…")
}

// Unclear reports whether two columns may be meant for the field. Then the one that is read can be chosen
// too.
func (l *lookedData) Unclear(field string) bool {
	return slices.ContainsFunc(l.Findings, func(f ledger.Finding) bool { return f.Column == field && f.Option.Name == ledger.OptionMap })
}

// IsTab reports whether a tab of the workbook is the one that was chosen.
func (l *lookedData) IsTab(name string) bool { return strings.EqualFold(name, l.Upload.Options.Tab) }

// Choosing reports whether a person chose an option for reading the sheet, or a finding suggests one.
func (l *lookedData) Choosing() bool {
	o := l.Upload.Options
	o.Name, o.Map, o.KeepColumns = "", nil, nil // columns are chosen elsewhere
	return l.Wrong || len(sheetFlags(o)) > 0 ||
		slices.ContainsFunc(l.Findings, func(f ledger.Finding) bool {
			return f.Option.Name != "" && f.Option.Name != ledger.OptionMap && f.Option.Name != ledger.OptionKeepColumns
		})
}

// KeepsColumns returns the choice about saving the columns: "", "true" or "false", as in the form field.
func (l *lookedData) KeepsColumns() string {
	if l.Upload.Options.KeepColumns == nil {
		return ""
	}
	return strconv.FormatBool(*l.Upload.Options.KeepColumns)
}

// choiceWords says where on the page of a waiting sheet an option is chosen.
func choiceWords(o ledger.Option) string {
	words := choiceNames[o.Name]
	switch {
	case o.Name == ledger.OptionMap:
		return "Choose under Columns what the column is read as."
	case o.Name == ledger.OptionKeepColumns:
		return "Choose under Columns what the column is read as, or: " + words + "."
	case words == "":
		return ""
	}
	return "Choose under How it is read: " + words + "."
}

// isUpload reports whether an id is that of an uploaded sheet, which may no longer wait.
func isUpload(id string) bool { return strings.HasPrefix(id, "up-") }

// waitingSheet shows an uploaded sheet: what is read from it, its findings, and what loading it would do.
func (d *desk) waitingSheet(w http.ResponseWriter, r *http.Request, s *session) error {
	if !s.person.Can(ledger.RoleLoad) {
		return needs(ledger.RoleLoad)
	}
	part := app.Part{Kind: r.URL.Query().Get("kind")}
	part.After, _ = strconv.Atoi(r.URL.Query().Get("after")) // 0, the first row, if there is none
	l, err := d.uploads.Review(r.Context(), d.call(s, "sheet"), r.PathValue("id"), part)
	data := lookedData{UploadReview: l, Part: part}
	switch why := wrongChoice(err); {
	case why != "": // the page offers the options
		data.Wrong, visitorOf(r).wrong = true, why
		return d.show(w, r, s, "waiting", view{Status: http.StatusUnprocessableEntity, Title: "Sheet " + l.Upload.Name, Data: &data})
	case err != nil:
		return err
	}
	for b := range l.Planned() {
		if data.Batches = append(data.Batches, b); len(data.Batches) == mostOfEach {
			break
		}
	}
	data.Changed = few(l.Changes())
	said, file := sheetFlags(l.Upload.Options), l.Upload.Name
	if strings.HasPrefix(file, "-") {
		file = "./" + file
	}
	data.Check = slices.Concat([]string{"check", file}, said)
	if l.Loadable() {
		data.Load = slices.Concat([]string{"load", file}, said, []string{"--expect-sha256", l.Sheet.Sheet.SHA256})
		if l.Refused() {
			data.Load = append(data.Load, "--skip-bad")
		}
	}
	data.Similar = app.AlikeOf(l.Since)
	data.Similar.First = few(data.Similar.First)
	return d.show(w, r, s, "waiting", view{Title: "Sheet " + l.Upload.Name, Data: &data})
}

// checkSheet changes the options for reading a sheet.
func checkSheet(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	id := r.PathValue("id")
	o, err := choices(r.PostForm)
	if err != nil {
		return &refusal{Status: http.StatusUnprocessableEntity, What: sentence(err.Error()), Do: "Nothing was changed.", Link: "/sheets/" + id}
	}
	if err := d.uploads.Choose(s.person.Name, id, o); err != nil {
		return err
	}
	return leadTo(w, r, "/sheets/"+id)
}

// loadSheet loads a sheet as it was shown.
func loadSheet(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	up, err := d.uploads.Load(r.Context(), d.decision(r, s, "load"), r.PathValue("id"), app.Agreed{
		SHA256: r.PostFormValue("sheet_sha256"), Plan: r.PostFormValue("plan"), Seen: r.PostForm["seen"], SkipBad: r.PostFormValue("skip_bad") != "",
	})
	if up.SheetID != "" { // an error after the load does not undo it
		if err != nil {
			d.warn(fmt.Sprintf("desk: after %s was loaded: %v", up.SheetID, err))
		}
		return leadTo(w, r, "/sheets/"+up.SheetID)
	}
	if why := wrongChoice(err); why != "" {
		return &refusal{Status: http.StatusConflict, What: why, Do: "Nothing was recorded. Look at it again.", Link: pageOf(r)}
	}
	return d.decidedOr(w, r, pageOf(r), err)
}

// discardSheet removes an uploaded sheet that was not loaded.
func discardSheet(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	if err := d.uploads.Discard(s.person.Name, r.PathValue("id")); err != nil {
		return err
	}
	return leadTo(w, r, "/sheets?discarded=1")
}

// downloadLeftOut sends the rows of a loaded sheet that were left out, with full account numbers, to be
// corrected and uploaded again.
func downloadLeftOut(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	f, name, err := d.uploads.LeftOut(r.Context(), d.decision(r, s, "rejected"), r.PathValue("id"), address(r))
	if errors.Is(err, ledger.ErrNotFound) {
		return refuse(http.StatusNotFound, "No row of this sheet is left out.")
	}
	return d.download(w, r, f, name, err)
}

// download sends a file and closes it. A file that was made for this answer is gone after that.
func (d *desk) download(w http.ResponseWriter, r *http.Request, f *os.File, name string, err error) error {
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	attach(w, name)
	http.ServeContent(w, r, "", info.ModTime(), f) // lets a browser resume a download that broke off
	return nil
}

// sheetFlags returns the flags of payrun check and load for these options.
func sheetFlags(o app.SheetOptions) (flags []string) {
	add := func(is bool, words ...string) {
		if is {
			flags = append(flags, words...)
		}
	}
	add(o.Tab != "", "--sheet-name", o.Tab)
	add(o.Account != "", "--account", o.Account)
	add(o.Encoding != "", "--encoding", o.Encoding)
	add(o.HiddenRows != "", "--hidden-rows", o.HiddenRows)
	add(o.RefPrefix != "", "--ref-prefix", o.RefPrefix)
	if o.ExpectCount != nil {
		add(true, "--expect-count", strconv.Itoa(*o.ExpectCount))
	}
	if o.ExpectTotal != nil {
		add(true, "--expect-total", o.ExpectTotal.String())
	}
	for _, field := range slices.Sorted(maps.Keys(o.Map)) {
		add(true, "--map", field+"="+o.Map[field])
	}
	add(o.KeepColumns != nil && *o.KeepColumns, "--keep-columns")
	add(o.KeepColumns != nil && !*o.KeepColumns, "--keep-columns=false")
	add(o.NumericAccounts, "--numeric-accounts")
	add(o.Correct, "--correct")
	add(o.Strict, "--strict")
	return flags
}
