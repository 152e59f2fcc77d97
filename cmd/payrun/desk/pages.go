package desk

import (
	"bytes"
	"cmp"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
)

//go:embed pages
var pageFiles embed.FS

// pages are the templates, by name. Each is parsed when it is first shown: all of them take 9 MB.
type pages map[string]func() *template.Template

// view is the data of a page.
type view struct {
	Status      int // HTTP status; 0 for that of a refused form, or 200
	Title       string
	Wrong       string     // why a form of the page was refused
	Typed       url.Values // what was typed into that form
	Environment string     // "SANDBOX" or "PRODUCTION"
	Sandbox     bool
	Here        string        // the path of the page in the navigation
	Me          string        // "" without a login
	Form        string        // the form token
	Proof       time.Duration // time until a decision needs the password again
	Last        *ledger.Event // their login before this one, for a minute after it; nil if there was none
	Live        bool          // the page follows changes of the ledger
	From        int64         // the last event that a live page was made from
	Again       bool          // it reloads soon, by its Refresh header
	People      ledger.Users  // who of them may confirm what waits
	Data        any

	person ledger.Person
}

// MyName returns the name by which pages address the person.
func (v view) MyName() string { return cmp.Or(v.person.Display, v.Me) }

// roleWords describe each role in a sentence or two.
var roleWords = map[ledger.Role]string{
	ledger.RoleView:    "Sees everything, changes nothing. Part of every role.",
	ledger.RoleLoad:    "Uploads sheets, corrects and retries.",
	ledger.RoleApprove: "Checks a sheet and approves it. Never their own.",
	ledger.RolePay:     "Requests and enters OTPs, so that money leaves.",
	ledger.RoleAdmin:   "Says who may do what. Neither uploads, approves nor pays.",
}

// Ticked reports whether a role was chosen in a form that was refused.
func (v view) Ticked(r ledger.Role) bool { return slices.Contains(v.Typed["may"], string(r)) }

// Has reports whether the person has a second factor of this kind.
func (v view) Has(kind ledger.FactorKind) bool { return v.person.Has(kind) }

// toldLogin is how long after a login each page shows the previous login.
const toldLogin = time.Minute

// May reports whether the person has a role. A page shows only forms that they may send.
func (v view) May(r ledger.Role) bool { return lets(v.person, r) }

// parts are the templates that every page may use. The first is the layout.
var parts = []string{"pages/layout.html", "pages/review.html", "pages/steps.html", "pages/words.html"}

func (d *desk) parsePages() pages {
	set := d.set
	funcs := template.FuncMap{
		"rupees":  ledger.Paise.Rupees,
		"inwords": ledger.Paise.InWords,
		"amount":  ledger.Paise.String,
		"clock":   set.Moment,
		"time":    set.TimeOfDay,
		"account": func(id string) string { return ledger.Plain(set.AccountName(id)) },
		"mask":    ledger.Mask,
		"plain":   ledger.Plain,
		"short":   ledger.ShortID,
		"words": func(asks any, state interface{ Words() string }) string {
			return cmp.Or(rowOf(asks).Title, state.Words())
		},
		"typed":     rupeesOf,
		"class":     func(asks, state any) string { return stateClass(rowOf(asks), state) },
		"ref":       refPath,
		"command":   ledger.CommandLine,
		"batches":   ledger.CountedBatches,
		"payouts":   ledger.CountedPayouts,
		"rows":      ledger.CountedRows,
		"counted":   ledger.Counted,
		"event":     eventWords,
		"atonce":    func(list []ledger.Payout) []ledger.Payout { return list[:min(atOnce, len(list))] },
		"rest":      func(list []ledger.Payout) []ledger.Payout { return list[min(atOnce, len(list)):] },
		"unusual":   func(code string) string { return cmp.Or(unusualWords[code], "Unusual") },
		"masked":    func(a ledger.Account) string { return strings.TrimSpace(a.Masked() + " " + a.IFSC) },
		"dayof":     set.Day,
		"payee":     payeePath,
		"details":   app.EventPieces,
		"who":       d.nameOf,
		"next":      func(n int) int { return n + 1 },
		"eachstate": eachState,
		"bankwords": app.BankWords,
		"field":     app.FieldWords,
		"dict":      dict,
		"choice":    choiceWords,
		"release":   wordsOf,
		"sumof":     app.SumOf,
		"shown":     app.RetryDigest,
		"choosable": func(list []ledger.Attempt) bool { return len(list) <= fewToChoose },

		"segments": segments,
		"day":      func() string { return d.now().In(set.Timezone.At).Format("Monday, 2 January 2006") },

		"most":          func() string { return megabytes(int64(set.Limits.SheetBytes)) },
		"debitaccounts": func() []ledger.DebitAccount { return set.Accounts },
		"columns":       app.Columns,
		"least":         func() int { return app.LeastPassword },
		"may":           func(r ledger.Role) string { return roleWords[r] },
		"roles":         func() []ledger.Role { return ledger.Roles[:] },
		"kilobytes":     kilobytes,
		"more":          func(all, shown int) int { return all - shown },
		"links":         d.linksOf,
		"age":           func(since time.Time) string { return ledger.Lasting(d.now().Sub(since)) },

		"accountwords": app.AccountsWords,
		"by":           app.ByWords,
		"linewords":    app.LineWords,
		"firstlines":   func(list []app.BookedLine) []app.BookedLine { shown, _ := app.FirstLines(list); return shown },
		"when":         func(l app.BookedLine) string { return l.When(set.Clock) },
		"sentence":     sentence,
		"minutes":      minutes,
		"alike":        app.AlikeWords,
		"outcome":      func(r app.Result) outcome { return outcomeOf(r, set) },
	}
	every := template.Must(template.New("layout.html").Option("missingkey=error").Funcs(funcs).ParseFS(pageFiles, parts...))
	all := pages{}
	found, _ := fs.Glob(pageFiles, "pages/*.html") // the pattern is right
	for _, name := range found {
		if !slices.Contains(parts, name) {
			all[strings.TrimSuffix(path.Base(name), ".html")] = sync.OnceValue(func() *template.Template {
				return template.Must(template.Must(every.Clone()).ParseFS(pageFiles, name))
			})
		}
	}
	return all
}

// dict returns pairs of a name and a value, for a template that needs several values.
func dict(pairs ...any) map[string]any {
	values := map[string]any{}
	for pair := range slices.Chunk(pairs, 2) {
		values[pair[0].(string)] = pair[1]
	}
	return values
}

// show writes a page. It builds the whole page before it sends any of it.
func (d *desk) show(w http.ResponseWriter, r *http.Request, s *session, name string, v view) error {
	visitor := visitorOf(r)
	status := cmp.Or(v.Status, visitor.refused, http.StatusOK)
	if v.Wrong = visitor.wrong; v.Wrong != "" {
		v.Typed = r.PostForm
	}
	v.Environment, v.Sandbox = strings.ToUpper(d.set.Environment), d.set.Environment != config.Production
	v.Live = v.Live && r.Method == http.MethodGet && visitor.refused == 0 // reloading the answer to a form would send the form again
	if v.Live {
		v.From = visitor.look.Head.Length
	}
	v.Here = "/" + strings.SplitN(strings.TrimPrefix(r.URL.Path, "/"), "/", 2)[0]
	v.Again = r.Method == http.MethodGet && w.Header().Get("Refresh") != ""
	if s != nil {
		v.Me, v.Form = s.person.Name, s.form
		v.person, v.People = s.person, visitor.look.People
		if d.now().Sub(s.since) < toldLogin {
			v.Last = s.last
		}
		v.Proof = max(0, d.until(d.sessions.proofOf(s)).Sub(d.now()))
	}
	var b bytes.Buffer
	if err := d.pages[name]().Execute(&b, v); err != nil {
		return err
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	visitor.status = status
	_, _ = b.WriteTo(w) // a sender who left needs no answer
	return nil
}

// formWrong answers a form that was refused with its page, which says why and keeps what was typed.
func (d *desk) formWrong(w http.ResponseWriter, r *http.Request, s *session, status int, why string, page handler) error {
	v := visitorOf(r)
	v.wrong, v.refused = why, status
	return page(d, w, r, s)
}

// formFailed is formWrong for a refusal, a usage error, and what another person has to do. It returns any other error
// unchanged.
func (d *desk) formFailed(w http.ResponseWriter, r *http.Request, s *session, err error, page handler) error {
	if why, ok := errors.AsType[*refusal](err); ok {
		return d.formWrong(w, r, s, why.Status, why.What, page)
	}
	status, ok := map[app.Code]int{app.Usage: http.StatusUnprocessableEntity, app.NeedsPerson: http.StatusForbidden}[codeOf(err)]
	said := d.said(app.Worst(err))
	if !ok || said == nil { // not for a browser
		return err
	}
	return d.formWrong(w, r, s, status, said.What, page)
}

// leadTo answers a form by leading to the page that shows its result.
func leadTo(w http.ResponseWriter, r *http.Request, page string) error {
	http.Redirect(w, r, page, http.StatusSeeOther)
	return nil
}

// refusal is a handler's error that the person reads unchanged: why there is no page, and what to do.
type refusal struct {
	Status                      int // HTTP status
	What, Do, Command, Link, ID string
	Title                       string // "" for the title of the status
}

func (r *refusal) Error() string { return r.What }

// refuse makes a refusal of one sentence.
func refuse(status int, what string) *refusal { return &refusal{Status: status, What: what} }

// needs returns the refusal for a person without the role.
func needs(role ledger.Role) *refusal {
	return refuse(http.StatusForbidden, "This needs the role "+string(role)+", which you do not have. Ask an admin.")
}

// addressWith returns the address of a page with the fields that were asked for, and one more. It has no empty fields.
func addressWith(path string, asked url.Values, name, value string) string {
	fields := maps.Clone(asked)
	fields.Set(name, value)
	maps.DeleteFunc(fields, func(_ string, values []string) bool { return slices.Equal(values, []string{""}) })
	return strings.TrimSuffix(path+"?"+fields.Encode(), "?")
}

// refusedTitles say what an HTTP status means here.
var refusedTitles = map[int]string{
	http.StatusForbidden: "Not allowed", http.StatusNotFound: "Not found", http.StatusConflict: "Not done", http.StatusGone: "No longer here",
	http.StatusRequestEntityTooLarge: "Too large", http.StatusUnprocessableEntity: "Not taken", http.StatusTooManyRequests: "Too many",
	http.StatusBadGateway: "The bank did not answer", http.StatusServiceUnavailable: "In use", http.StatusInsufficientStorage: "No room",
	http.StatusInternalServerError: "That did not work",
}

// fail answers an error with a sentence and, if there is more to know, a number under which the person who
// runs the desk finds the details. The text of an error may hold paths and account numbers, and never goes
// to a browser.
func (d *desk) fail(w http.ResponseWriter, r *http.Request, s *session, err error) {
	if over, ok := errors.AsType[*app.OverError](err); ok && over.SheetID != "" {
		http.Redirect(w, r, "/sheets/"+over.SheetID, http.StatusSeeOther)
		return
	}
	why := d.whyFailed(r, err)
	if why.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "10")
	}
	if why.Status == http.StatusInternalServerError {
		why.ID = app.NewToken()[:8]
		d.warn(fmt.Sprintf("desk %s: %s %s: %v", why.ID, r.Method, r.Pattern, err))
	}
	title := cmp.Or(why.Title, refusedTitles[why.Status], http.StatusText(why.Status))
	if err := d.show(w, r, s, "error", view{Status: why.Status, Title: title, Data: why}); err != nil {
		visitorOf(r).status = why.Status
		http.Error(w, why.What, why.Status)
	}
}

// whyFailed returns what a person reads about an error.
func (d *desk) whyFailed(r *http.Request, err error) *refusal {
	if why, ok := errors.AsType[*refusal](err); ok {
		return why
	}
	e := app.Worst(err)
	said := d.said(e)
	_, over := errors.AsType[*app.OverError](err)
	switch {
	case errors.Is(err, ledger.ErrNotFound):
		return refuse(http.StatusNotFound, "We could not find that page.")
	case errors.Is(err, app.ErrNotYours):
		return refuse(http.StatusForbidden, "Another person uploaded this sheet; only they can load or discard it.")
	case over:
		return &refusal{Status: http.StatusGone, What: "This sheet was discarded, or waited for more than a day. Nothing of it was recorded.",
			Do: "Upload it again to load it.", Link: "/sheets/new"}
	case errors.Is(err, app.ErrSpoolHeld):
		return refuse(http.StatusServiceUnavailable, "Sheets are uploaded, and files are made, at another desk of this ledger. Use that one, or stop it. Nothing was done.")
	case errors.Is(err, app.ErrNoRoom):
		return refuse(http.StatusInsufficientStorage, "The disk of the ledger is almost full. Tell the person who runs the desk. Nothing was done.")
	case errors.Is(err, ledger.ErrStale):
		return d.overtaken(cameFrom(d, r), err)
	case e.Code == app.LedgerLocked:
		return &refusal{Status: http.StatusServiceUnavailable, What: "The ledger is in use by another run, and nothing was done.", Do: "Try again in a moment."}
	case errors.Is(err, app.ErrRefused):
		return cmp.Or(said, refuse(http.StatusConflict, sentence(e.What)))
	case said != nil && r.Method == http.MethodPost:
		return said
	case e.Code == app.BankUnanswered:
		return &refusal{Status: http.StatusBadGateway, What: "The bank did not answer, so nothing was decided.", Do: "Try again in a moment."}
	case errors.Is(err, ledger.ErrOutdated):
		return &refusal{Status: http.StatusInternalServerError, Title: "An older ledger", What: "An older payrun wrote this ledger last, so this one cannot read it yet. Nothing was done.",
			Do: "This command at a terminal keeps a copy of the ledger and brings it up to date. The person who runs the desk types it once:", Command: "payrun poll"}
	case errors.Is(err, ledger.ErrOtherProgram):
		return &refusal{Status: http.StatusInternalServerError, Title: "A ledger of another version", What: "Another version of payrun made this ledger, and this one cannot read it. Nothing was done.",
			Do: "Go on with that version, or export the ledger with it and import it with this one. This says how:", Command: "payrun ledger import --help"}
	case app.OfTheLedger(err):
		return &refusal{Status: http.StatusInternalServerError, What: "The ledger cannot be used as it is.", Do: "Give the person who runs the desk this number. This command says what is wrong:", Command: "payrun ledger verify"}
	case r.Method == http.MethodPost:
		return &refusal{Status: http.StatusInternalServerError, What: "That did not work, and some of it may have been done.", Do: "Look at its state before you try again. If it goes on, give the person who runs the desk this number:"}
	}
	return &refusal{Status: http.StatusInternalServerError, What: "That did not work, and nothing was changed.", Do: "Try again. If it goes on, give the person who runs the desk this number:"}
}

// codeOf returns the code of an error; "" for nil.
func codeOf(err error) app.Code {
	if err == nil {
		return ""
	}
	return app.Worst(err).Code
}

// rowOf returns the row of an attention, for templates that have the kind or the row.
func rowOf(asks any) ledger.AttentionRow {
	if kind, ok := asks.(ledger.Attention); ok {
		return kind.Row()
	}
	return asks.(ledger.AttentionRow)
}

// rupeesOf formats an amount that is stored as text like every other amount.
func rupeesOf(value string) string {
	p, err := ledger.ParsePaise(value)
	if err != nil {
		return value
	}
	return p.Rupees()
}

// stateClass returns the colour of a state. The words say the same.
func stateClass(asks ledger.AttentionRow, state any) string {
	switch {
	case asks.Kind == ledger.SentBack:
		return "notpaid"
	case asks.Weight == ledger.WeightGrave:
		return "indoubt"
	case asks.Weight == ledger.WeightPerson && (asks.Exit == 0 || asks.Exit == ledger.ExitPerson):
		return "todo" // an ordinary next step
	case asks.Weight == ledger.WeightPerson:
		return "notpaid"
	}
	switch fmt.Sprint(state) {
	case string(ledger.BatchSettled), string(ledger.PayoutSuccess):
		return "paid"
	}
	return "open"
}

// refPath returns the address of a payout. Any reference is possible.
func refPath(ref string) string { return "/payouts?ref=" + url.QueryEscape(ref) }

// sentence turns words into a sentence: a capital letter and a full stop.
func sentence(words string) string {
	words = ledger.Plain(strings.TrimSpace(words))
	first, size := utf8.DecodeRuneInString(words)
	if words == "" {
		return ""
	}
	return string(unicode.ToUpper(first)) + strings.TrimRight(words[size:], ".") + "."
}

// eventWords returns the kind of an event in words.
func eventWords(kind string) string { return strings.ReplaceAll(kind, "_", " ") }
