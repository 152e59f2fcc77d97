package desk

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
	"payrun/ledger"
	"payrun/ledger/postgres/pgtest"
	"payrun/ledger/sqlite/sqlitetest"
	"payrun/submitter/sandbox"
)

// twoDesks are on one ledger in PostgreSQL, each of a machine of its own, behind a proxy: a
// browser is led to the desk that its cookie names, and a new one to the next.
func twoDesks(t *testing.T) (desks [2]*house, at string) {
	t.Helper()
	t.Parallel()
	bank := need(sandbox.Start(t.Context(), sandbox.Options{Seed: 1, Now: time.Now}))(t)
	t.Cleanup(func() { _ = bank.Close() })
	_, ledgerURL := pgtest.Database(t, "")
	var next atomic.Int64
	const sticky = "desk"
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := r.Cookie(sticky)
		if err != nil {
			c = &http.Cookie{Name: sticky, Value: []string{"0", "1"}[next.Add(1)%2], Path: "/"}
			http.SetCookie(w, c)
		}
		to := desks[c.Value[0]-'0']
		(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: "http", Host: to.behind})
			r.Out.Host = r.In.Host
		}}).ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	for i := range desks {
		h := &house{TB: t, warning: new(sync.Mutex), dir: sqlitetest.Folder(t), bank: bank}
		h.opens(time.Now, ledgerURL, strings.Replace(config.Rehearsal(bank.Ready().Addr), `"replicated"`, `"single"`, 1))
		h.named(strings.TrimPrefix(proxy.URL, "http://"), "", false)
		own := httptest.NewServer(h.desk.handler())
		t.Cleanup(own.Close)
		h.behind, desks[i] = strings.TrimPrefix(own.URL, "http://"), h
	}
	return desks, proxy.URL
}

// guest is a person with a browser of their own.
type guest struct {
	testing.TB
	client http.Client
	at     string
}

// visits logs a person in by their password.
func visits(t testing.TB, at, name string) *guest {
	t.Helper()
	jar, _ := cookiejar.New(nil) // never an error
	v := &guest{TB: t, at: at, client: http.Client{Jar: jar}}
	v.get("/login")
	v.post("/login", "name", name, "password", password)
	return v
}

func (v *guest) get(path string) string {
	v.Helper()
	return v.body(need(http.NewRequestWithContext(v.Context(), "GET", v.at+path, nil))(v))
}

func (v *guest) post(path string, fields ...string) string {
	v.Helper()
	r := need(http.NewRequestWithContext(v.Context(), "POST", v.at+path, strings.NewReader(pairs(fields).Encode())))(v)
	r.Header.Set("Content-Type", urlencoded)
	r.Header.Set("Origin", v.at)
	return v.body(r)
}

func (v *guest) body(r *http.Request) string {
	v.Helper()
	r.Header.Set("Accept", "text/html")
	resp := need(v.client.Do(r))(v)
	defer resp.Body.Close()
	return string(need(io.ReadAll(resp.Body))(v))
}

// Two people are logged in at a desk each, and both see a batch. Both enter its OTP at the
// same moment: the bank gets one submit, and the other person reads who sent it.
func TestTwoDesksOnOneLedger(t *testing.T) {
	pgtest.InProof(t)
	desks, at := twoDesks(t)
	a, b := desks[0], desks[1]
	need(a.app.AddFirst(t.Context(), app.Call{}, "boss", password))(t)
	for _, name := range []string{"mina", "ravi"} {
		a.invite(name, "pay")
	}
	people := []*guest{visits(t, at, "mina"), visits(t, at, "ravi")}
	if len(b.sessions.all) != 1 {
		t.Fatalf("the other desk has %d sessions", len(b.sessions.all))
	}
	for round := range 5 {
		a.load("INV/" + string(rune('1'+round)))
		id := a.initiate()
		otp, _ := a.otp(id)
		var both sync.WaitGroup
		var answers [2]string
		var seen [2][]string
		for i, v := range people {
			seen[i] = fieldsOf(t, v.get("/otp/"+id), "/batches/"+id+"/submit", "form|"+boundTo)
		}
		for i, v := range people {
			both.Go(func() { answers[i] = v.post("/batches/"+id+"/submit", append(seen[i], "otp", otp)...) })
		}
		both.Wait()
		a.jobs.wait()
		b.jobs.wait()
		a.bankSaw(id, 1, 0)
		story := need(a.app.Batch(t.Context(), app.Call{}, id))(t)
		sent := slices.IndexFunc(story.Events, func(e ledger.Event) bool { return e.Kind == string(ledger.SubmitAccepted) })
		if sent < 0 {
			t.Fatalf("nothing was sent: %+v", story.Events)
		}
		first, slower := story.Events[sent].Actor, 0
		if first == "mina" {
			slower = 1
		}
		// refused at once where the other was quicker than the form, else when it is carried out
		answer, page := answers[slower], people[slower].get("/otp")
		says := func(text string) bool {
			return strings.Contains(text, first+" sent it at ") || strings.Contains(text, first+" began to send it at ")
		}
		if !strings.Contains(answer, " by "+first+", ") && !says(answer) && !says(page) {
			t.Errorf("%s sent it, and the other person reads\n%s\n%s", first, answer, page)
		}
	}
	b.isWhole()
}
