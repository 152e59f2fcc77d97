package desk

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/cmd/payrun/doc"
	"payrun/ledger"
	"payrun/ledger/sqlite/sqlitetest"
	"payrun/submitter/sandbox"
)

// origin is where the desk of these tests is reached.
const origin = "http://127.0.0.1:8660"

// password of everybody here.
const password = "a long winter evening"

// house is a desk over a real ledger, and what tests do with it.
type house struct {
	testing.TB
	*desk
	app  *app.App
	set  config.Settings
	env  app.Env
	dir  string
	bank *sandbox.Server
	*clock
	warning *sync.Mutex
	warned  []string
	keys    map[string]string // of the environment
	handler http.Handler
	behind  string // a proxy: where it serves
	slate   *sqlitetest.Slate
}

// Context has the connections to the ledger kept from one request to the next: reading the
// schema again would be half of what these tests compute.
func (h *house) Context() context.Context { return h.slate.Context(h.TB.Context()) }

// clock is the one on the wall of a house. The bank has it too, without the house:
// the test runner keeps the bank until the last test, and would keep the desk and its pages.
type clock struct {
	at time.Time
	mu sync.Mutex // for a time that passes while a task runs
}

func (c *clock) time() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// passes moves the clock while a task may look at it.
func (c *clock) passes(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// build makes a ledger with a sheet of payouts, and a desk over it. Houses know
// nothing of one another, and wait for disks and banks: tests run next to others.
func build(t testing.TB, refs ...string) *house {
	t.Helper()
	return buildAt(t, nil, refs...)
}

// buildAt is build at a bank that reads the interface so; nil for as any may.
func buildAt(t testing.TB, reading *sandbox.Reading, refs ...string) *house {
	t.Helper()
	if alone, ok := t.(*testing.T); ok {
		alone.Parallel()
	}
	wall := &clock{at: time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)}
	h := &house{TB: t, warning: new(sync.Mutex), dir: sqlitetest.Folder(t), clock: wall}
	h.slate = sqlitetest.NewSlate(filepath.Join(h.dir, "payrun.db"))
	t.Cleanup(func() { _ = h.slate.Close() })
	bank := need(sandbox.Start(t.Context(), sandbox.Options{Seed: 1, Now: wall.time, Reading: reading}))(t)
	t.Cleanup(func() { _ = bank.Close() })
	h.bank = bank
	h.opens(wall.time, "", config.Rehearsal(bank.Ready().Addr))
	if len(refs) > 0 {
		h.load(refs...)
	}
	return h
}

// opens makes the desk of a payrun.toml, over a ledger of its own, or over one at a URL that
// may be there already.
func (h *house) opens(now func() time.Time, url, toml string) {
	h.Helper()
	path := h.file(config.Name, toml)
	keys := map[string]string{"PAYRUN_ACCESS_KEY": h.bank.Ready().AccessKey, "PAYRUN_SECRET_KEY": h.bank.Ready().SecretKey, "XDG_STATE_HOME": filepath.Join(h.dir, "state")}
	h.keys = keys
	env := app.Env{Now: now, Getenv: func(name string) string { return keys[name] }, Stderr: io.Discard, TestPasswords: true}
	from := config.Sources{Config: path, Ledger: url, Getenv: env.Getenv, Amount: app.ParseAmount, Column: app.ColumnOf}
	if _, err := app.Init(h.TB.Context(), from, env, true); err != nil && (url == "" || !errors.Is(err, ledger.ErrLedgerExists)) {
		h.Fatal(err)
	}
	h.env, h.set = env, need(config.Load(from))(h)
	h.app = app.New(h.set, env)
	h.serves(now, need(h.app.FirstLink(h.Context(), app.Call{}))(h))
}

// serves has a desk that was started now serve the house.
func (h *house) serves(now func() time.Time, first app.First) {
	h.desk = newDesk(h.Context(), h.app, h.set, now, first, h.warns)
	h.named("127.0.0.1:8660", "", false)
	h.handler = h.desk.handler()
}

// file writes a file into the folder of the house.
func (h *house) file(name, text string) (path string) {
	h.Helper()
	path = filepath.Join(h.dir, name)
	fine(h, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func (h *house) load(refs ...string) { h.Helper(); h.loadFor("pb3", refs...) }

// loadFor loads a sheet of payouts from one debit account.
func (h *house) loadFor(account string, refs ...string) {
	h.Helper()
	rows := make([]string, len(refs))
	for i, ref := range refs {
		rows[i] = ref + ",<b>Asha</b> & Sons,123456789012,HDFC0001234,100.00," + account
	}
	h.loadRows(rows...)
}

// header is that of the sheets here.
const header = "Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Debit Account"

// loadRows loads a sheet of these rows, by asha.
func (h *house) loadRows(rows ...string) *house {
	h.Helper()
	h.loadText("nov.csv", header+"\n"+strings.Join(rows, "\n")+"\n", app.SheetOptions{})
	return h
}

// loadText loads a sheet, by asha.
func (h *house) loadText(name, text string, options app.SheetOptions) {
	h.Helper()
	_, err := h.app.Load(h.Context(), app.Call{Actor: "asha"}, []string{h.file(name, text)}, options)
	if !options.SkipBad || err != nil && codeOf(err) != app.RowsLeftOut { // which is no failure
		fine(h, err)
	}
}

// warns collects the warnings for the person who runs the desk.
func (h *house) warns(words string) {
	h.warning.Lock()
	defer h.warning.Unlock()
	h.warned = append(h.warned, words)
}

// browser is one, with its cookies.
type browser struct {
	*house
	cookie *http.Cookie
	known  *http.Cookie // as one that someone has signed in with
	from   string
}

// page is an answer.
type page struct {
	*http.Response
	body string
}

func (h *house) browser() *browser { return &browser{house: h, from: "127.0.0.1:50000"} }

func (b *browser) do(r *http.Request) page {
	b.Helper()
	return b.doIn(b.Context(), r)
}

// doIn is do for as long as ctx goes on.
func (b *browser) doIn(ctx context.Context, r *http.Request) page {
	b.Helper()
	r = r.WithContext(ctx)
	r.RemoteAddr = b.from
	if b.cookie != nil {
		r.AddCookie(b.cookie)
	}
	if b.known != nil {
		r.AddCookie(b.known)
	}
	w := httptest.NewRecorder()
	b.handler.ServeHTTP(w, r)
	p := answer(w)
	p.Request = r
	for _, c := range p.Cookies() {
		if strings.HasSuffix(c.Name, "-known") {
			b.known = c
		} else if b.cookie = c; c.MaxAge < 0 {
			b.cookie = nil
		}
	}
	return p
}

func (b *browser) get(path string) page {
	r := httptest.NewRequest("GET", origin+path, nil)
	r.Header.Set("Accept", "text/html")
	return b.do(r)
}

func (b *browser) post(path string, fields ...string) page {
	b.Helper()
	return b.postIn(b.Context(), path, fields...)
}

func (b *browser) postIn(ctx context.Context, path string, fields ...string) page {
	b.Helper()
	return b.doIn(ctx, sent(path, urlencoded, strings.NewReader(pairs(fields).Encode())))
}

const urlencoded = "application/x-www-form-urlencoded"

// sent is a form as a page of the desk sends it.
func sent(path, kind string, body io.Reader) *http.Request {
	r := httptest.NewRequest("POST", origin+path, body)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// pairs are the fields of a form, each with its value behind it.
func pairs(fields []string) url.Values {
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	return form
}

// form is what is in the forms of who is logged in.
func (b *browser) form() string { b.Helper(); return b.session().form }

// admin is the browser of the first person.
func (h *house) admin() *browser {
	h.Helper()
	b := h.browser()
	is(h, b.post("/first/"+h.first.Token, "name", "boss", "password", password, "password_again", password), 303)
	return b
}

// withAdmin is build, and admin.
func withAdmin(t testing.TB, refs ...string) (h *house, b *browser) {
	t.Helper()
	h = build(t, refs...)
	return h, h.admin()
}

// invite has boss add a person, and lets them choose their password.
func (h *house) invite(name string, may ...string) *browser {
	h.Helper()
	got := need(h.app.AddPerson(h.Context(), h.asked("boss"), app.PersonRequest{Name: name, May: may}))(h)
	need(h.app.Join(h.Context(), app.Call{}, strings.TrimPrefix(got.Link, "/join/"), password))(h)
	return h.comesIn(name)
}

// who is a person of the roster.
func (h *house) who(name string) ledger.Person {
	h.Helper()
	p, there := need(h.app.People(h.Context(), app.Call{}))(h).Find(name)
	same(h, name+" is there", there, true)
	return p
}

// comesIn logs a person in as the form does, but for the password: to compare it
// takes longer than most of these tests.
func (h *house) comesIn(name string) *browser {
	h.Helper()
	p, b := h.who(name), h.browser()
	r := httptest.NewRequest("POST", origin+"/login", nil)
	r.RemoteAddr = b.from
	fine(h, h.app.RecordLogin(h.Context(), h.call(nil, "login"), ledger.Login{Name: p.Name, From: address(r), Kind: ledger.EventLoggedIn}))
	b.cookie = &http.Cookie{Name: h.cookie, Value: h.sessions.begin(&session{person: p, from: "127.0.0.1"})}
	return b
}

func (h *house) events() (all []ledger.Event) {
	h.Helper()
	fine(h, h.app.Log(h.Context(), app.Call{}, func(e ledger.Event) error { all = append(all, e); return nil }))
	return all
}

// N1: where others reach it, only with a certificate and a name.
func TestAnotherAddressNeedsACertificateAndAName(t *testing.T) {
	h := build(t)
	for _, opt := range []config.Desk{
		{Addr: "0.0.0.0:0"}, {Addr: ":0"}, {Addr: "192.0.2.1:0"}, {Addr: "0.0.0.0:0", PublicHost: "pay.example.com"},
		{Addr: "0.0.0.0:0", Cert: "c", Key: "k"}, {Addr: "127.0.0.1:0", Cert: "c"}, {Addr: "127.0.0.1:0", Cert: "nosuch", Key: "nosuch"},
		{Addr: "127.0.0.1:0", OwnHost: true, PublicHost: "pay.example.com"}, {Addr: "0.0.0.0:0", OwnHost: true},
		{Addr: "127.0.0.1"}, {Addr: "127.0.0.1:0", PublicHost: "http://x/"},
	} {
		err := Serve(h.Context(), h.app, h.set, opt, func(string) {}, func(doc.Desk) error { return errors.New("it listens") })
		if e, ok := errors.AsType[*app.Error](err); !ok || e.Code != app.Usage {
			t.Errorf("%+v: %v", opt, err)
		}
	}
}

// The desk serves until it is asked to stop, and says where.
func TestItServesUntilItIsStopped(t *testing.T) {
	h := build(t)
	ctx, stop := context.WithCancel(t.Context())
	fine(t, Serve(ctx, h.app, h.set, config.Desk{Addr: config.DeskAddr}, func(string) {}, func(d doc.Desk) error {
		go func() {
			defer stop()
			resp, err := http.Get(d.First)
			if err != nil || resp.StatusCode != 200 {
				t.Errorf("the first link: %v, %v", resp, err)
			}
			if err == nil {
				_ = resp.Body.Close()
			}
		}()
		if !strings.HasPrefix(d.URL, "http://127.0.0.1:") || !strings.HasPrefix(d.First, d.URL+"first/") {
			t.Errorf("it says %+v", d)
		}
		return nil
	}))
}

// --own-host: one name, of this machine, another at each start.
func TestItsOwnHostIsNobodyElses(t *testing.T) {
	h := build(t)
	var names []string
	for range 2 {
		ctx, stop := context.WithCancel(t.Context())
		fine(t, Serve(ctx, h.app, h.set, config.Desk{Addr: config.DeskAddr, OwnHost: true}, func(string) {}, func(d doc.Desk) error {
			go func() {
				defer stop()
				for host, status := range map[string]int{strings.TrimSuffix(strings.TrimPrefix(d.URL, "http://"), "/"): 200, d.Addr: 421, "localhost" + d.Addr[strings.LastIndex(d.Addr, ":"):]: 421} {
					r, err := http.NewRequest("GET", "http://"+d.Addr+"/login", nil)
					if err != nil {
						t.Error(err)
						return
					}
					r.Host = host
					resp, err := http.DefaultClient.Do(r)
					if err != nil || resp.StatusCode != status {
						t.Errorf("%s: %v, %v", host, resp, err)
						return
					}
					_ = resp.Body.Close()
				}
			}()
			names = append(names, d.URL)
			return nil
		}))
	}
	form := regexp.MustCompile(`^http://d-[a-z0-9]{8}\.localhost:[0-9]+/$`)
	if !form.MatchString(names[0]) || !form.MatchString(names[1]) || names[0][:18] == names[1][:18] {
		t.Errorf("its names are %q", names)
	}
}

// N2: whatever else a request says, a name that is not the desk's goes no further.
func TestOnlyItsOwnNameIsServed(t *testing.T) {
	h := build(t)
	for host, status := range map[string]int{"127.0.0.1:8660": 200, "localhost:8660": 200, "LOCALHOST:8660": 200, "localhost": 421, "evil.example:8660": 421, "127.0.0.1:8661": 421, "": 421} {
		r := httptest.NewRequest("GET", "/login", nil)
		r.Host = host
		r.Header.Set("Sec-Fetch-Site", "same-origin")
		same(t, host, h.browser().do(r).StatusCode, status)
	}
}

// N3: the first link works once and ten minutes; looking at it uses nothing up.
func TestTheFirstLinkWorksOnce(t *testing.T) {
	h := build(t)
	path := "/first/" + h.first.Token
	b := h.browser()
	is(t, b.get(path), 200, "This desk has no people yet")
	is(t, b.get("/first/"+strings.Repeat("a", 43)), 401, "already used")
	is(t, b.post(path, "name", "boss", "password", "too short", "password_again", "too short"), 422, "at least 12 characters")
	is(t, b.post(path, "name", "boss", "password", password, "password_again", password+"!"), 422, "not the same")
	is(t, b.post(path, "name", "the boss", "password", password, "password_again", password), 422, "no name for a person")
	is(t, b.post(path, "name", "Boss", "password", password, "password_again", password), 303)
	is(t, b.get("/"), 200, "boss")
	is(t, b.get(path), 401)
	is(t, h.browser().post(path, "name", "eve", "password", password, "password_again", password), 401)
}

func TestTheFirstLinkEndsAfterTenMinutes(t *testing.T) {
	h := build(t)
	h.at = h.at.Add(10 * time.Minute)
	is(t, h.browser().post("/first/"+h.first.Token, "name", "boss", "password", password, "password_again", password), 401)
}

// Two desks on one ledger: people who came by one end the other's link.
func TestAFirstLinkOfAnotherDeskIsOver(t *testing.T) {
	h := build(t)
	need(h.app.AddPerson(t.Context(), app.Call{Actor: atTerminal}, app.PersonRequest{Name: "boss", May: []string{"admin"}}))(t)
	is(t, h.browser().post("/first/"+h.first.Token, "name", "eve", "password", password, "password_again", password), 401, "already used")
	if _, err := h.app.AddFirst(t.Context(), app.Call{}, "eve", password); err == nil || !strings.Contains(err.Error(), "people already") { // of two at once
		t.Errorf("a second first person: %v", err)
	}
	same(t, "a second first link", need(h.app.FirstLink(t.Context(), app.Call{}))(t).Token, "")
}

// Joining: once, in a day, and it is the person of the link who is in.
func TestALinkLetsItsPersonInOnce(t *testing.T) {
	h, _ := withAdmin(t)
	got := need(h.app.AddPerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "Ravi", May: []string{"load"}}))(t)
	b := h.browser()
	is(t, b.get(got.Link), 200, "<b>ravi</b>")
	is(t, b.post(got.Link, "password", password, "password_again", password, "name", "boss"), 303)
	is(t, b.get("/"), 200, "<span>ravi</span>")
	is(t, h.browser().post(got.Link, "password", "another long one", "password_again", "another long one"), 401, "already used")
	is(t, h.browser().post("/login", "name", "ravi", "password", "another long one"), 401)
	late := need(h.app.ChangePerson(t.Context(), h.asked("boss"), app.PersonRequest{Name: "ravi", NewLink: true}))(t)
	is(t, b.get("/"), 303) // a change ends where they are logged in
	h.at = h.at.Add(24 * time.Hour)
	is(t, h.browser().post(late.Link, "password", "another long one", "password_again", "another long one"), 401)
	is(t, h.browser().post("/login", "name", " RAVI ", "password", password), 303) // the old password holds until then
}

// What is on record, and that nothing secret is in it.
func TestLoginsAreOnRecord(t *testing.T) {
	h, b := withAdmin(t)
	is(t, h.browser().post("/login", "name", "boss", "password", "wrong wrong wrong"), 401, "not right")
	is(t, h.browser().post("/login", "name", password, "password", ""), 401, "not right") // in the wrong field
	is(t, b.post("/logout", "form", b.form()), 303)
	is(t, b.get("/"), 303)
	var got []string
	for _, e := range h.events() {
		if strings.Contains(e.Detail+e.Actor, password) || strings.Contains(e.Detail, h.first.Token) && h.first.Token != "" {
			t.Errorf("the trail has a secret: %+v", e)
		}
		if e.Kind == ledger.EventLoggedIn || e.Kind == ledger.EventLoginRefused || e.Kind == ledger.EventLoggedOut {
			got = append(got, e.Kind+" "+e.Actor+" "+e.Words())
		}
	}
	want := []string{"logged_in boss at the desk, from 127.0.0.1", "login_refused boss at the desk, from 127.0.0.1",
		"login_refused (nobody) at the desk, from 127.0.0.1", "logged_out boss at the desk, from 127.0.0.1"}
	same(t, "on record", strings.Join(got, "\n"), strings.Join(want, "\n"))
	h.isWhole()
}
