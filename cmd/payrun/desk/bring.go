package desk

import (
	"cmp"
	"errors"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// Limits on the upload of a sheet.
const (
	pieceTime   = 30 * time.Second // until the next piece must arrive
	bringTime   = 15 * time.Minute // for the whole upload
	fieldBytes  = 4 << 10          // for each other field of the form
	bringParts  = 32               // the fields and the sheet
	aroundBytes = 256 << 10        // for the rest of the form
)

// bringPage shows the upload page. wrong is why the last upload, name, cannot be read.
func (d *desk) bringPage(w http.ResponseWriter, r *http.Request, s *session, status int, wrong []ledger.Finding, name string) error {
	data := dict("Each", app.WaitingEach, "Waiting", d.uploads.Of(s.person.Name), "Wrong", wrong, "Name", name)
	return d.show(w, r, s, "bring", view{Status: status, Title: "Upload a sheet", Data: data})
}

func showBring(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	return d.bringPage(w, r, s, 0, nil, "")
}

// bring uploads a sheet and reads it once. An unreadable sheet is refused and removed. A sheet that is
// loaded already leads to its page.
func bring(d *desk, w http.ResponseWriter, r *http.Request, s *session) error {
	out, until := http.NewResponseController(w), d.now().Add(bringTime)
	_ = out.SetWriteDeadline(until.Add(bringTime)) // until the upload is over
	defer func() { _ = out.SetWriteDeadline(d.now().Add(answerTime)) }()
	r.Body = &pieces{r.Body, out, d.now, until}
	up, err := d.takeIn(w, r, s)
	if err != nil {
		return d.formFailed(w, r, s, err, showBring)
	}
	l, err := d.uploads.Review(r.Context(), d.call(s, "sheet"), up.ID, app.Part{})
	if err == nil && !l.Unreadable() && !l.AlreadyLoaded {
		return leadTo(w, r, "/sheets/"+up.ID)
	}
	if gone := d.uploads.Discard(s.person.Name, up.ID); gone != nil {
		return errors.Join(err, gone)
	}
	why := wrongChoice(err)
	switch {
	case err == nil && l.AlreadyLoaded:
		d.sessions.with(func() { s.again = l.LoadedAs })
		return leadTo(w, r, "/sheets/"+l.LoadedAs)
	case err == nil:
		return d.bringPage(w, r, s, http.StatusUnprocessableEntity, l.Findings, up.Name)
	case why != "":
		return d.formWrong(w, r, s, http.StatusUnprocessableEntity, why, showBring)
	}
	return err
}

// wrongChoice says which option for reading a sheet is wrong, and why; "" for any other error.
func wrongChoice(err error) string {
	e := app.Worst(err)
	if e == nil || e.Code != app.Usage || e.Option.Name == "" {
		return ""
	}
	words := cmp.Or(choiceNames[e.Option.Name], "Columns")
	if e.Option.Value != "" {
		words += ", " + e.Option.Value
	}
	return ledger.Plain(words + ": " + e.What + ".")
}

// choiceNames are the names of the options on the pages.
var choiceNames = map[ledger.OptionName]string{
	ledger.OptionTab: "Tab", ledger.OptionHiddenRows: "Hidden rows", ledger.OptionEncoding: "Encoding", ledger.OptionAccount: "Debit account of rows without one",
	ledger.OptionRefPrefix: "Before every reference", ledger.OptionNumericAccounts: "Account numbers may be numbers", ledger.OptionCorrect: "Each row corrects a payout",
	ledger.OptionKeepColumns: "Saved column mapping",
}

// takeIn reads the upload form: first the login's form token, then the sheet, which is written straight to
// the waiting sheets, and the options for reading it. If anything is wrong, the sheet is removed.
func (d *desk) takeIn(w http.ResponseWriter, r *http.Request, s *session) (up app.Upload, err error) {
	defer func() {
		if err != nil && up.ID != "" {
			err = errors.Join(err, d.uploads.Discard(s.person.Name, up.ID))
		}
	}()
	most := int64(d.set.Limits.SheetBytes)
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "multipart/form-data" {
		return up, refuse(http.StatusUnsupportedMediaType, "This is not a form with a sheet. Nothing was uploaded.")
	}
	r.Body = http.MaxBytesReader(w, r.Body, most+aroundBytes)
	parts, err := r.MultipartReader()
	if err != nil {
		return up, cutOff(err)
	}
	form := url.Values{}
	for range bringParts {
		part, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return up, d.toBeRead(s, up, form)
		case err != nil:
			return up, cutOff(err)
		case part.FileName() == "":
			value, err := io.ReadAll(io.LimitReader(part, fieldBytes))
			if err != nil {
				return up, cutOff(err)
			}
			form.Add(part.FormName(), string(value))
		case up.ID != "":
			return up, refuse(http.StatusUnprocessableEntity, "Upload one sheet at a time. Nothing was uploaded.")
		case !s.is(form.Get("form")):
			return up, refuse(http.StatusForbidden, "This form is of another login. Nothing was uploaded: choose the sheet again.")
		default:
			if up, err = d.uploads.Bring(s.person.Name, part.FileName(), part); err != nil {
				return app.Upload{}, notTaken(err, most)
			}
		}
	}
	return up, refuse(http.StatusUnprocessableEntity, "This is not a form with one sheet. Nothing was uploaded.")
}

// toBeRead stores how the uploaded sheet is to be read.
func (d *desk) toBeRead(s *session, up app.Upload, form url.Values) error {
	if up.ID == "" {
		return refuse(http.StatusUnprocessableEntity, "No sheet was chosen. Choose one, or drop it onto the field.")
	}
	o, err := choices(form)
	if err != nil {
		return refuse(http.StatusUnprocessableEntity, sentence(err.Error())+" Nothing was uploaded.")
	}
	return d.uploads.Choose(s.person.Name, up.ID, o)
}

// pieces lets an upload take longer than other forms. Each piece must arrive within pieceTime, and the
// whole in time. Errors of SetReadDeadline are ignored: a test's recorder has no deadlines.
type pieces struct {
	io.ReadCloser
	out   *http.ResponseController
	now   func() time.Time
	until time.Time // for the whole upload
}

// Read sets the deadline of the next piece and reads it.
func (p *pieces) Read(b []byte) (int, error) {
	at := p.now().Add(pieceTime)
	if at.After(p.until) {
		at = p.until
	}
	_ = p.out.SetReadDeadline(at)
	return p.ReadCloser.Read(b)
}

// cutOff says why a form ended early.
func cutOff(err error) error {
	if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return refuse(http.StatusRequestEntityTooLarge, "The form is too long. Nothing was uploaded.")
	}
	return refuse(http.StatusBadRequest, "The form was cut off. Nothing was uploaded: try again.")
}

// notTaken says why a sheet was not taken.
func notTaken(err error, most int64) error {
	_, long := errors.AsType[*http.MaxBytesError](err)
	switch {
	case long, errors.Is(err, app.ErrTooLarge):
		return refuse(http.StatusRequestEntityTooLarge, "The sheet is larger than "+megabytes(most)+", the most that limits.sheet_bytes allows. Nothing was uploaded.")
	case errors.Is(err, app.ErrTooMany):
		return refuse(http.StatusRequestEntityTooLarge, "Enough sheets wait already. Load or discard one first. Nothing was uploaded.")
	case errors.Is(err, io.ErrUnexpectedEOF):
		return cutOff(err)
	}
	return err
}

func megabytes(n int64) string {
	return strconv.FormatFloat(float64(n)/(1<<20), 'f', -1, 64) + " MB"
}

// kilobytes words the size of a file, rounded up.
func kilobytes(n int64) string { return ledger.Grouped(int((n+1023)>>10)) + " KB" }

// choices reads the options for reading a sheet from a form: the flags of payrun check. Values that are not
// allowed are refused when the sheet is read.
func choices(form url.Values) (o app.SheetOptions, err error) {
	is := func(name string) bool { return form.Get(name) != "" }
	o.Choices = app.Choices{
		Tab: form.Get("sheet_name"), Account: form.Get("account"), Encoding: form.Get("encoding"), HiddenRows: form.Get("hidden_rows"),
		RefPrefix: form.Get("ref_prefix"), NumericAccounts: is("numeric_accounts"), Strict: is("strict"), Correct: is("correct"),
	}
	if text := form.Get("keep_columns"); text != "" {
		keep, err := strconv.ParseBool(text)
		if err != nil {
			return o, errors.New("whether columns are kept is true or false")
		}
		o.KeepColumns = &keep
	}
	if text := strings.TrimSpace(form.Get("expect_count")); text != "" {
		n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
		if err != nil || n < 0 {
			return o, errors.New("the number of rows expected is not a whole number")
		}
		o.ExpectCount = &n
	}
	if text := strings.TrimSpace(form.Get("expect_total")); text != "" {
		total, err := app.ParseAmount(text)
		if err != nil {
			return o, errors.New("the total expected is not an amount, such as 18,40,150.50")
		}
		o.ExpectTotal = &total
	}
	for _, pair := range form["map"] {
		field, header, ok := strings.Cut(pair, "=")
		if field, header = strings.TrimSpace(field), strings.TrimSpace(header); !ok || field == "" || header == "" {
			continue // the column keeps its own meaning
		}
		if o.Map == nil {
			o.Map = map[string]string{}
		}
		if _, twice := o.Map[field]; twice {
			return o, errors.New("two columns are chosen for " + ledger.Plain(field))
		}
		o.Map[field] = header
	}
	return o, nil
}
