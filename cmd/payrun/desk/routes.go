package desk

import (
	"embed"
	"fmt"
	"mime"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"unicode/utf8"

	"payrun/ledger"
)

//go:embed static
var static embed.FS

// anyone is the role of a route that needs no login.
const anyone ledger.Role = "anyone"

// kind is what a route does to the ledger.
type kind int

// The kinds of routes.
const (
	looks   kind = iota // changes nothing; GET
	says                // changes something but decides nothing, such as a login; POST
	brings              // uploads a sheet and reads it; POST, with a form of its own kind
	decides             // a person's decision, which needs what decide.go asks for; POST
	gives               // a decision to send full account numbers: it ends when its sender has left
)

// route says what one address does, and who may use it.
type route struct {
	method, path string
	role         ledger.Role
	kind         kind
	serve        handler
}

type handler func(*desk, http.ResponseWriter, *http.Request, *session) error

// routes is the table of all routes. GET (and HEAD) changes nothing; POST can.
var routes = [...]route{
	{"GET", "/login", anyone, looks, showLogin},
	{"POST", "/login", anyone, says, login},
	{"GET", "/login/factor", anyone, looks, showSecond},
	{"POST", "/login/factor", anyone, says, second},
	{"GET", "/first/{token}", anyone, looks, showLink},
	{"POST", "/first/{token}", anyone, says, followLink},
	{"GET", "/join/{token}", anyone, looks, showLink},
	{"POST", "/join/{token}", anyone, says, followLink},
	{"GET", "/static/{file}", anyone, looks, serveStatic},
	{"POST", "/logout", ledger.RoleView, says, logout},
	{"GET", "/proof", ledger.RoleView, looks, showProof},
	{"POST", "/proof", ledger.RoleView, says, prove},
	{"GET", "/account", ledger.RoleView, looks, showAccount},
	{"POST", "/account/password", ledger.RoleView, decides, changePassword},
	{"POST", "/account/factors", ledger.RoleView, decides, changeFactors},
	{"GET", "/account/factors/qr.png", ledger.RoleView, looks, showQR},
	{"POST", "/account/passkey", ledger.RoleView, says, askPasskey},
	{"POST", "/account/sessions/end", ledger.RoleView, decides, endSessions},
	{"GET", "/first", ledger.RoleAdmin, looks, showFirstDay},
	{"GET", "/first/example.csv", ledger.RoleView, looks, giveExample},
	{"GET", "/{$}", ledger.RoleView, looks, board},
	{"GET", "/sheets", ledger.RoleView, looks, listSheets},
	{"GET", "/sheets/new", ledger.RoleLoad, looks, showBring},
	{"POST", "/sheets/new", ledger.RoleLoad, brings, bring},
	{"GET", "/sheets/{id}", ledger.RoleView, looks, showSheet},
	{"POST", "/sheets/{id}/check", ledger.RoleLoad, says, checkSheet},
	{"POST", "/sheets/{id}/load", ledger.RoleLoad, decides, loadSheet},
	{"POST", "/sheets/{id}/discard", ledger.RoleLoad, decides, discardSheet},
	{"POST", "/sheets/{id}/rejected", ledger.RoleLoad, gives, downloadLeftOut},
	{"POST", "/sheets/{id}/approve", ledger.RoleApprove, decides, approve},
	{"POST", "/sheets/{id}/initiate", ledger.RolePay, decides, initiate},
	{"POST", "/sheets/{id}/send-back", ledger.RoleApprove, decides, sendBack},
	{"POST", "/sheets/{id}/withdraw", ledger.RoleLoad, decides, withdraw},
	{"POST", "/sheets/{id}/comments", ledger.RoleView, says, comment},
	{"GET", "/batches/{id}", ledger.RoleView, looks, showBatch},
	{"POST", "/batches/{id}/submit", ledger.RolePay, decides, submitOTP},
	{"POST", "/batches/{id}/abandon", ledger.RolePay, decides, giveUp},
	{"POST", "/batches/{id}/retry", ledger.RoleLoad, decides, retry},
	{"POST", "/batches/{id}/resolve", trusted, decides, resolve},
	{"POST", "/sheets/{id}/retry", ledger.RoleLoad, decides, retry},
	{"POST", "/sheets/{id}/retry.xlsx", ledger.RoleLoad, gives, toCorrect},
	{"POST", "/batches/{id}/retry.xlsx", ledger.RoleLoad, gives, toCorrect},
	{"POST", "/payouts/{ref}/resolve", trusted, decides, resolve},
	{"POST", "/poll", ledger.RoleView, says, poll},
	{"POST", "/verify", ledger.RoleView, says, verify},
	{"GET", "/otp", ledger.RoleView, looks, showOTPs},
	{"GET", "/otp/{id}", ledger.RoleView, looks, showOTPs},
	{"POST", "/batches/{id}/approve", ledger.RoleApprove, decides, approve},
	{"POST", "/batches/{id}/initiate", ledger.RolePay, decides, initiate},
	{"POST", "/balances", ledger.RoleView, says, askBalances},
	{"GET", "/payouts", ledger.RoleView, looks, listPayouts},
	{"GET", "/payouts.csv", ledger.RoleView, looks, exportPayouts},
	{"GET", "/payouts.xlsx", ledger.RoleView, looks, exportPayouts},
	{"POST", "/payouts/full", trusted, gives, givePayoutsFull},
	{"GET", "/payouts/{ref...}", ledger.RoleView, looks, showPayout},
	{"GET", "/payees/{id}", ledger.RoleView, looks, showPayee},
	{"GET", "/attention", ledger.RoleView, looks, attention},
	{"GET", "/reports", ledger.RoleView, looks, listReports},
	{"POST", "/reports", ledger.RoleView, says, writeReports},
	{"GET", "/reports/{run}", ledger.RoleView, looks, showRun},
	{"GET", "/reports/{run}/summary.html/preview", ledger.RoleView, looks, previewSummary},
	{"POST", "/reports/{run}/full", trusted, gives, giveFull},
	{"GET", "/reports/{run}/{file}", ledger.RoleView, looks, downloadReport},
	{"GET", "/log", ledger.RoleView, looks, showLog},
	{"GET", "/people", ledger.RoleAdmin, looks, showPeople},
	{"POST", "/people", ledger.RoleAdmin, decides, addPerson},
	{"GET", "/people/{name}", ledger.RoleAdmin, looks, showPerson},
	{"POST", "/people/{name}", ledger.RoleAdmin, decides, changePerson},
	{"POST", "/people/{name}/confirm", ledger.RoleAdmin, decides, answerGrant(ledger.EventPersonConfirmed)},
	{"POST", "/people/{name}/take-back", ledger.RoleAdmin, decides, answerGrant(ledger.EventGrantTakenBack)},
	{"GET", "/policy", confirms, looks, showPolicy},
	{"POST", "/policy", confirms, decides, setPolicy},
	{"GET", "/live", ledger.RoleView, looks, serveLive},
}

type contextKey struct{}

// handler returns the routes behind the checks that every request passes.
func (d *desk) handler() http.Handler {
	mux := http.NewServeMux()
	d.mux, d.verbs = mux, map[string]ledger.Role{}
	open := map[string]bool{}
	for _, rt := range routes {
		if rt.role != anyone && either[rt.role] == nil && !slices.Contains(ledger.Roles[:], rt.role) {
			panic(fmt.Sprintf("%s %s has no role", rt.method, rt.path)) // an error in the table above, found at the start
		}
		if (rt.kind == looks) != (rt.method == http.MethodGet) || rt.kind >= decides && rt.role == anyone {
			panic(fmt.Sprintf("%s %s is of the wrong kind", rt.method, rt.path))
		}
		pattern := rt.method + " " + rt.path
		open[pattern], d.verbs[path.Base(rt.path)] = rt.role == anyone, rt.role
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			s := visitorOf(r).session
			var err error
			if rt.method == http.MethodPost && rt.kind != brings {
				err = formed(w, r, s)
			}
			switch {
			case err != nil:
			case rt.kind >= decides:
				d.decide(w, r, s, rt)
			case rt.role != anyone && !lets(s.person, rt.role):
				err = needs(rt.role)
			default:
				err = rt.serve(d, w, r, s)
			}
			if err != nil {
				d.fail(w, r, s, err)
			}
		})
	}
	return d.guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := mux.Handler(r)
		if open[pattern] {
			mux.ServeHTTP(w, visited(r, &visitor{}))
			return
		}
		v, err := d.who(r, r.Header.Get("Sec-Fetch-Dest") != "empty") // a request that a page makes by itself does not prolong the login
		switch {
		case err != nil:
			d.fail(w, r, nil, err)
		case v == nil: // the same answer whether the address exists or not
			d.toLogin(w, r)
		case v.look.MustAddFactor(v.person) && !strings.Contains(pattern, " /account") && !strings.HasSuffix(pattern, " /logout") && !strings.HasSuffix(pattern, " /proof"):
			d.leadOff(w, r, v.session, "/account#factors", &refusal{Status: http.StatusForbidden, Link: "/account",
				What: "Nothing was done: the policy asks you for a second factor first.", Do: "Add one on the page of your account."})
		case pattern == "":
			none := &keptAnswer{header: w.Header()}
			mux.ServeHTTP(none, r)
			why := refuse(none.status, "There is nothing at this address.")
			if none.status == http.StatusMethodNotAllowed {
				why.What = "This address does not do that."
			}
			d.fail(w, r, v.session, why)
		default:
			mux.ServeHTTP(w, visited(r, v))
		}
	}))
}

func serveStatic(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	name := r.PathValue("file")
	b, err := static.ReadFile("static/" + name)
	if err != nil {
		return refuse(http.StatusNotFound, "There is nothing at this address.")
	}
	types := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	w.Header().Set("Content-Type", types[path.Ext(name)])
	_, err = w.Write(b)
	return err
}

// policy allows a page to use resources of this desk only, and nothing inline.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; frame-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// permissions denies a page everything that a browser asks a person for, except passkeys.
const permissions = "accelerometer=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), microphone=(), midi=(), payment=(), serial=(), usb=(), " +
	"publickey-credentials-get=(self), publickey-credentials-create=(self)"

// guarded sets the headers of every answer, and refuses a wrong host name and a form from another site.
func (d *desk) guarded(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Permissions-Policy", permissions)
		if d.secure {
			h.Set("Strict-Transport-Security", "max-age=31536000; includeSubDomains")
		}
		defer d.caught(w, r, nil)
		switch {
		case !slices.Contains(d.hosts, strings.ToLower(r.Host)):
			d.fail(w, r, nil, refuse(http.StatusMisdirectedRequest, "The desk is not reached by this name."))
		case r.Method != http.MethodGet && r.Method != http.MethodHead && !d.ours(r):
			d.fail(w, r, nil, refuse(http.StatusForbidden, "This form was not sent from a page of the desk. Nothing was done."))
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// caught, deferred, answers a panic like any other error.
func (d *desk) caught(w http.ResponseWriter, r *http.Request, s *session) {
	if p := recover(); p != nil {
		if p == http.ErrAbortHandler {
			panic(p)
		}
		d.fail(w, r, s, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
	}
}

// ours reports whether a form comes from a page of this very address. A request without Origin and
// Sec-Fetch-Site is not from a browser's form, and is refused.
func (d *desk) ours(r *http.Request) bool {
	origin := r.Header.Get("Origin")
	same := strings.EqualFold(origin, d.scheme()+"://"+r.Host) // r.Host is one of our names
	switch r.Header.Get("Sec-Fetch-Site") {
	case "same-origin":
		return origin == "" || origin == "null" || same
	case "":
		return same
	}
	return false
}

func (d *desk) scheme() string {
	if d.secure {
		return "https"
	}
	return "http"
}

// formed parses a form. It refuses another content type, a form that is too long or not UTF-8, and one that
// was not made for this session. s is nil without a login.
func formed(w http.ResponseWriter, r *http.Request, s *session) error {
	if kind, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); kind != "application/x-www-form-urlencoded" {
		return refuse(http.StatusUnsupportedMediaType, "This is not a form of the desk. Nothing was done.")
	}
	r.Body = http.MaxBytesReader(w, r.Body, formBytes)
	if err := r.ParseForm(); err != nil {
		return refuse(http.StatusRequestEntityTooLarge, "The form is too long, or was cut off. Nothing was done.")
	}
	for _, values := range r.PostForm {
		if !utf8.ValidString(strings.Join(values, "")) { // an export could not hold it
			return refuse(http.StatusBadRequest, "This form is not written in UTF-8. Nothing was done.")
		}
	}
	if s != nil && !s.is(r.PostFormValue("form")) {
		return refuse(http.StatusForbidden, "This form is of another login. Nothing was done: open the page again.")
	}
	return nil
}
