package desk

import (
	"context"
	"embed"
	"fmt"
	"net/http"
	"slices"

	"payrun/ledger"
)

//go:embed static
var static embed.FS

// anyone may use a route without logging in.
const anyone ledger.Role = "anyone"

// route is what one address does, and for whom.
type route struct {
	method, path string
	role         ledger.Role
	serve        func(*desk, http.ResponseWriter, *http.Request, *session) error
}

// routes is the one table. GET (and HEAD) changes nothing; what changes something
// is POST.
var routes = [...]route{
	{"GET", "/login", anyone, showLogin},
	{"POST", "/login", anyone, login},
	{"GET", "/first/{token}", anyone, showFirst},
	{"POST", "/first/{token}", anyone, first},
	{"GET", "/join/{token}", anyone, showJoin},
	{"POST", "/join/{token}", anyone, join},
	{"GET", "/static/{file}", anyone, serveStatic},
	{"POST", "/logout", ledger.RoleView, logout},
	{"GET", "/{$}", ledger.RoleView, board},
	{"GET", "/sheets", ledger.RoleView, listSheets},
	{"GET", "/sheets/{id}", ledger.RoleView, showSheet},
	{"GET", "/batches/{id}", ledger.RoleView, showBatch},
	{"GET", "/payouts", ledger.RoleView, listPayouts},
	{"GET", "/payouts/{ref...}", ledger.RoleView, showPayout},
	{"GET", "/attention", ledger.RoleView, attention},
	{"GET", "/reports", ledger.RoleView, listReports},
	{"POST", "/reports", ledger.RoleView, writeReports},
	{"GET", "/reports/{run}", ledger.RoleView, showRun},
	{"GET", "/reports/{run}/summary.html/preview", ledger.RoleView, previewSummary},
	{"GET", "/reports/{run}/{file}", ledger.RoleView, downloadReport},
	{"GET", "/log", ledger.RoleView, showLog},
	{"GET", "/live", ledger.RoleView, serveLive},
}

type contextKey struct{}

// handler puts the routes behind what every request passes.
func (d *desk) handler() http.Handler {
	mux := http.NewServeMux()
	open := map[string]bool{}
	for _, rt := range routes {
		if rt.role != anyone && !slices.Contains(ledger.Roles[:], rt.role) {
			panic(fmt.Sprintf("%s %s is for nobody", rt.method, rt.path)) // of the table above, at the start
		}
		pattern := rt.method + " " + rt.path
		open[pattern] = rt.role == anyone
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			s, _ := r.Context().Value(contextKey{}).(*session)
			if rt.role != anyone && !s.person.Can(rt.role) {
				d.refuse(w, r, s, http.StatusForbidden, "This needs the role "+string(rt.role)+", which you do not have. Ask an admin.")
				return
			}
			if rt.method == http.MethodPost && !d.formed(w, r, s, rt.role != anyone) {
				return
			}
			if err := rt.serve(d, w, r, s); err != nil {
				d.fail(w, r, s, err)
			}
		})
	}
	return d.guarded(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := mux.Handler(r)
		if open[pattern] {
			mux.ServeHTTP(w, r)
			return
		}
		s, err := d.who(r, r.Header.Get("Sec-Fetch-Dest") != "empty") // what a page asks for by itself keeps nobody logged in
		switch {
		case err != nil:
			d.fail(w, r, nil, err)
		case s == nil: // the same whether the address exists or not
			d.toLogin(w, r)
		case pattern == "":
			none := &statusOnly{header: w.Header()}
			mux.ServeHTTP(none, r)
			d.refuse(w, r, s, none.status, map[int]string{http.StatusMethodNotAllowed: "This address does not do that."}[none.status])
		default:
			mux.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), contextKey{}, s)))
		}
	}))
}

// statusOnly keeps the status of an answer, and its headers, and drops its words.
type statusOnly struct {
	header http.Header
	status int
}

func (s *statusOnly) Header() http.Header         { return s.header }
func (s *statusOnly) WriteHeader(status int)      { s.status = status }
func (s *statusOnly) Write(b []byte) (int, error) { return len(b), nil }

func serveStatic(d *desk, w http.ResponseWriter, r *http.Request, _ *session) error {
	name := r.PathValue("file")
	types := map[string]string{"desk.css": "text/css; charset=utf-8", "desk.js": "text/javascript; charset=utf-8"}
	if types[name] == "" {
		d.refuse(w, r, nil, http.StatusNotFound, "")
		return nil
	}
	b, err := static.ReadFile("static/" + name)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", types[name])
	_, err = w.Write(b)
	return err
}
