package desk

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/ledger"
)

// The pages say how things stand, in words and in figures that programs read.
func TestThePagesTellHowItStands(t *testing.T) {
	h, b := withAdmin(t)
	is(t, b.get("/"), 200, "SANDBOX: no money moves", "No sheet is loaded yet")
	is(t, b.get("/sheets"), 200, "No sheet is loaded yet")
	is(t, b.get("/attention"), 200, "Nothing needs a person")
	is(t, b.get("/reports"), 200, "No reports are written yet")
	is(t, b.get("/payouts?q=nosuch"), 200, "No payout is found")
	is(t, b.get("/payouts?q=nosuch&state=failed"), 200, "No payout is found", `<a href="/payouts">All payouts</a>`)
	for path, todo := range map[string]string{ // a page without anything says what to do
		"/": `<a href="/first">Set up payrun: people, safeguards, a first payday.</a>`, "/sheets": "A person with the role load uploads the first.", "/payouts": `come with the first of the <a href="/sheets">sheets</a>`,
		"/reports": "Choose above what they cover", "/log?kind=nosuch": `<a href="/log">all of it</a>`, "/otp": "Planned batches are sent to the bank on the page of their sheet", "/attention": `<a href="/payouts?state=request_initiated&amp;state=pending&amp;state=initiated">What the bank has not finished</a>`,
	} {
		is(t, b.get(path), 200, todo)
	}
	h.load("INV/1", "INV/2", "..")
	batch := h.batch()
	is(t, b.get("/"), 200, `<data value="300.00">₹300.00</data>`, "3 payouts", "Planned", `data-attention="planned"`, "Ready to send")
	is(t, b.get("/attention"), 200, "payrun initiate", `data-batch="`+batch.ID+`" data-state="planned"`)
	is(t, b.get("/sheets"), 200, "nov.csv", "asha")
	is(t, b.get("/sheets/"+batch.SheetID), 200, `href="/batches/`+batch.ID+`"`, "₹300.00")
	is(t, b.get("/batches/"+batch.ID), 200, "INV/2", "XXXXXXXX9012", "batch planned", ">nov.csv</a>", "payrun initiate "+batch.ID)
	is(t, b.get("/payouts?q=inv/2"), 200, `data-payout="INV/2" data-state="planned"`)
	is(t, b.get("/payouts/INV/2"), 200, "row 3", "nov.csv", "Attempt 1", "loaded by asha", "Nothing yet")
	is(t, b.get("/payouts?ref=.."), 200, "Payout ..")
	is(t, b.get("/payouts?ref=INV"), 404, "could not find that page")
	is(t, b.get("/batches/"+batch.ID[:8]), 404)
	is(t, b.get("/log"), 200, "sheet loaded", "person added", "logged in")
	for _, path := range h.paths() {
		isNot(t, b.get(path), "123456789012")
	}
}

// Reports are written in the name of who logged in, and come as files; nothing else
// of the disk does. Account numbers in them are masked.
func TestReportsAreWrittenAndGivenOut(t *testing.T) {
	h, _ := withAdmin(t, "INV/1")
	b := h.invite("mina", "view")
	is(t, b.post("/reports", "form", "another", "sheet", ""), 403)
	is(t, b.post("/reports", "form", b.form(), "sheet", "nosuch"), 404)
	made := b.reports()
	run := "/reports/" + made.Name
	path := run + "/"
	is(t, b.get("/reports"), 200, run, `class="lamp good">Sheet and ledger`)
	is(t, b.get(run), 200, path+"summary.html", path+"payouts.csv", run+".zip", path+"summary.html/preview")
	is(t, b.get(run+"-2"), 404)
	is(t, b.get(run+"-2.zip"), 404)
	preview := b.get(path + "summary.html/preview")
	is(t, preview, 200, "mina")
	same(t, "the preview may", preview.Header.Get("Content-Security-Policy"), "sandbox; default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; base-uri 'none'; form-action 'none'")
	zipIsWhole(t, b.get(run+".zip"), made.Files)
	is(t, b.post("/reports", "form", b.form(), "since", "3.11.2025"), 422, "is not a day")
	is(t, b.post("/reports", "form", b.form(), "since", "2025-11-03", "until", "2025-11-03"), 303)
	written := time.Date(2025, 11, 3, 9, 0, 0, 0, time.UTC)
	fine(t, os.Chtimes(filepath.Join(h.dir, "reports", made.Name, "summary.html"), written, written))
	p := b.get(path + "summary.html")
	is(t, p, 200, "mina")
	same(t, "by what a download that broke off goes on", p.Header.Get("Last-Modified"), written.Format(http.TimeFormat))
	attached(t, p, made.Name+"-summary.html")
	same(t, "its type", p.Header.Get("Content-Type"), "application/octet-stream")
	for _, name := range made.Files {
		isNot(t, b.get(path+name), "123456789012")
	}
	payouts := filepath.Join(h.dir, "reports", made.Name, "payouts.csv")
	fine(t, os.Remove(payouts))
	fine(t, os.Symlink(h.set.LedgerPath, payouts))
	for _, bad := range []string{path + "payouts.csv", path + "nov.result.xlsx", path + "..%2f..%2f..%2fpayrun.toml", path + "%2e%2e", "/reports/..%2f/summary.html", "/reports/..%2f" + made.Name + "/summary.html"} {
		if p := b.get(bad); p.StatusCode == 200 {
			t.Errorf("%s was given out", bad)
		}
	}
}

// zipIsWhole checks each file of a zip against the checksum that is in it.
func zipIsWhole(t *testing.T, p page, files []string) {
	t.Helper()
	z := need(zip.NewReader(strings.NewReader(p.body), int64(len(p.body))))(t)
	sums, found := map[string]string{}, map[string]string{}
	for _, f := range z.File {
		r := need(f.Open())(t)
		b := need(io.ReadAll(r))(t)
		if path.Base(f.Name) != "SHA256SUMS" {
			found[path.Base(f.Name)] = fmt.Sprintf("%x", sha256.Sum256(b))
			continue
		}
		for line := range strings.Lines(string(b)) {
			sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			sums[name] = sum
		}
	}
	if len(sums) != len(files) || !maps.Equal(sums, found) {
		t.Errorf("the zip has %v, and says %v", found, sums)
	}
}

// listens has the desk answer at an address of the network.
func (h *house) listens() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Host = "127.0.0.1:8660"
		h.handler.ServeHTTP(w, r)
	}))
}

// reports has reports written of everything.
func (b *browser) reports() app.ReportRun {
	b.Helper()
	is(b, b.post("/reports", "form", b.form(), "sheet", ""), 303)
	return need(b.app.ReportRuns(1))(b)[0]
}

// The stream tells what others do to the ledger, ends with the login, and there are
// four of them at most.
func TestThePageFollowsTheLedger(t *testing.T) {
	h, _ := withAdmin(t)
	b := h.invite("mina", "view")
	srv := h.listens()
	defer srv.Close()
	follow := func() (*http.Response, *bufio.Scanner) {
		r, _ := http.NewRequestWithContext(t.Context(), "GET", srv.URL+"/live", nil)
		r.AddCookie(b.cookie)
		resp := need(http.DefaultClient.Do(r))(t)
		return resp, bufio.NewScanner(resp.Body)
	}
	resp, lines := follow()
	defer resp.Body.Close()
	same(t, "the stream is", resp.Status+", "+resp.Header.Get("Content-Type"), "200 OK, text/event-stream")
	until := func(want string) string {
		for lines.Scan() {
			if strings.HasPrefix(lines.Text(), want) {
				return lines.Text()
			}
		}
		t.Fatalf("the stream ended before %q", want)
		return ""
	}
	until("event: hello")
	h.load("INV/1") // as another process does
	until("event: batch")
	if data := until("data: "); !strings.Contains(data, `"state":"planned"`) || strings.Contains(data, "Asha") || strings.Contains(data, "100") {
		t.Errorf("it says %s", data)
	}
	for range streamsEach - 1 {
		more, _ := follow()
		defer more.Body.Close()
	}
	over, _ := follow()
	if over.Body.Close(); over.StatusCode != 429 {
		t.Errorf("a stream too many: %s", over.Status)
	}
	fine(t, h.app.RemovePerson(t.Context(), h.asked("boss"), "mina"))
	for lines.Scan() { // it ends
	}
}

// N5: clients that send nothing keep no one out.
func TestSilentClientsKeepNobodyOut(t *testing.T) {
	w := &waiting{most: 2}
	var conns []*conn
	for range 5 {
		c := &conn{}
		conns = append(conns, c)
		w.state(c, http.StateNew)
		if len(conns) == 2 {
			w.state(c, http.StateActive) // it is served, and stays
		}
	}
	for i, want := range []bool{true, false, true, true, false} {
		same(t, fmt.Sprintf("connection %d is closed", i), conns[i].closed, want)
	}
}

// A handler that panics ends its own request only.
func TestAPanicEndsOneRequest(t *testing.T) {
	h := build(t)
	w := httptest.NewRecorder()
	h.guarded(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic("secret " + h.dir) })).
		ServeHTTP(w, httptest.NewRequest("GET", origin+"/", nil))
	is(t, answer(w), 500)
	isNot(t, answer(w), "secret")
	h.warnedOf(1)
}

// That someone else has the ledger is said, with what to do.
func TestALedgerInUseIsSaid(t *testing.T) {
	h, _ := withAdmin(t)
	w := httptest.NewRecorder()
	h.fail(w, httptest.NewRequest("POST", origin+"/login", nil), nil, ledger.ErrLocked)
	is(t, answer(w), 503, "in use by another run")
	same(t, "it does not say when to come again", w.Header().Get("Retry-After") == "", false)
}

// A ledger that another version wrote is reported with its cause and what to do, without a path.
func TestALedgerOfAnotherVersionIsTold(t *testing.T) {
	h, b := withAdmin(t, "INV/1")
	for wrote, words := range map[error][]string{
		ledger.ErrOutdated:     {"An older payrun wrote this ledger last", "payrun poll"},
		ledger.ErrOtherProgram: {"Another version of payrun made this ledger", "payrun ledger import --help"},
	} {
		r := httptest.NewRequest("GET", origin+"/", nil)
		r = r.WithContext(context.WithValue(t.Context(), contextKey{}, &visitor{session: b.session()}))
		w := httptest.NewRecorder()
		h.desk.fail(w, r, b.session(), fmt.Errorf("open /srv/secret/payrun.db: %w", wrote))
		p := answer(w)
		is(t, p, 500, words...)
		isNot(t, p, "That did not work", "/srv/secret")
	}
}

// answer is what was written so far.
func answer(w *httptest.ResponseRecorder) page { return page{w.Result(), w.Body.String()} }

// conn is a connection of which only the end is looked at.
type conn struct {
	net.Conn
	closed bool
}

func (c *conn) Close() error { c.closed = true; return nil }

// D1: account numbers in full are for who approves or pays, by a decision; that they
// were given is on record before they are, they are given once, and they are in no file.
func TestAccountNumbersInFullAreOnRecord(t *testing.T) {
	h, boss := withAdmin(t, "INV/1", "INV/2")
	viewer, pays := h.invite("vera", "view", "load"), h.invite("ravi", "pay")
	name := pays.reports().Name
	run := "/reports/" + name
	for _, other := range []*browser{viewer, boss} {
		isNot(t, other.get(run), run+"/full")
		is(t, other.decide(run+"/full"), 403, "approve or pay")
	}
	is(t, pays.get(run+"/full"), 404)
	is(t, pays.get(run), 200, `action="`+run+`/full"`)
	is(t, pays.decide("/reports/2020-01-01-all/full"), 404)
	n := len(h.events())
	p := pays.decide(run + "/full")
	is(t, p, 200, "INV/1", "INV/2", ",123456789012,")
	attached(t, p, name+"-full-payouts.csv")
	h.recorded(n, ledger.EventNumbersGiven)
	eventSays(t, h.last(), " by ravi\nat the desk, from 127.0.0.1: "+name+", 2 payouts\nproof: at the desk, from 127.0.0.1, password")
	h.at = h.at.Add(6 * time.Minute)
	is(t, pays.decide(run+"/full"), 403, "Nothing was done yet: type your password again")
	isNot(t, pays.decide(run+"/full"), "123456789012")
	fine(t, filepath.WalkDir(h.dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.Contains(path, "reports") || strings.Contains(path, ".result.") {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte("123456789012")) {
			t.Errorf("%s has an account number", path)
		}
		return err
	}))
}

// A payouts.csv that is another ledger's, or was written into, tells no account number,
// and nothing is on record.
func TestNoNumbersForAnotherLedgersPayouts(t *testing.T) {
	h := build(t, "INV/1", "INV/2")
	pays := h.adminWho("pay")
	run := pays.reports().Name
	path := filepath.Join(h.dir, "reports", run, "payouts.csv")
	text := need(os.ReadFile(path))(t)
	n := len(h.events())
	for name, wrong := range map[string]string{
		"another payout": strings.Replace(string(text), "INV/2", "INV/9", 1),
		"another end":    strings.Replace(string(text), "9012", "9013", 1),
		"a line more":    string(text) + "INV/3" + strings.Repeat(",", 21) + "\n",
		"a line twice":   string(text) + strings.SplitAfter(string(text), "\n")[1],
		"cut off":        string(text[:len(text)-9]),
		"another header": strings.Replace(string(text), "wire_ref", "wire", 1),
		"no file of it":  "",
	} {
		fine(t, os.WriteFile(path, []byte(wrong), 0o600))
		p := pays.decide("/reports/" + run + "/full")
		if is(t, p, 409, "No account number was given out"); strings.Contains(p.body, "123456789012") {
			t.Errorf("%s: an account number", name)
		}
	}
	h.has(ledger.EventNotDecided, len(h.events())-n) // and nothing else
}
