//go:build unix

package killtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"payrun/ledger"
)

// browser is a person at `payrun desk`, a process of its own.
type browser struct {
	t       *testing.T
	desk    *process
	rest    chan struct{} // closed when the desk has said all
	out     strings.Builder
	client  http.Client
	origin  string
	first   string
	visited strings.Builder // every answer, with its headers
}

// serve starts the desk on the ledger.
func (d *desk) serve(args ...string) *browser {
	d.t.Helper()
	cmd := d.command(payrun, append([]string{"desk", "--json"}, args...)...)
	said, err := cmd.StdoutPipe()
	must(d.t, err)
	b := &browser{t: d.t, desk: launch(d.t, cmd), rest: make(chan struct{})}
	in := bufio.NewReader(said)
	line, err := in.ReadString('\n')
	if err != nil {
		d.t.Fatalf("the desk did not say where it listens: %v", err)
	}
	go func() {
		defer close(b.rest)
		b.out.WriteString(line)
		_, _ = io.Copy(&b.out, in)
	}()
	var ready struct{ Schema, URL, First string }
	must(d.t, json.Unmarshal([]byte(line), &ready))
	if ready.Schema != "payrun.desk/v1" {
		d.t.Fatalf("the desk says %s", line)
	}
	b.origin, b.first = strings.TrimSuffix(ready.URL, "/"), ready.First
	jar, err := cookiejar.New(nil)
	must(d.t, err)
	b.client = http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	return b
}

func (b *browser) get(path string) string { _, body := b.send("GET", path, nil); return body }

func (b *browser) post(path string, fields ...string) int {
	form := url.Values{}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	status, _ := b.send("POST", path, strings.NewReader(form.Encode()))
	return status
}

func (b *browser) send(method, path string, body io.Reader) (status int, text string) {
	b.t.Helper()
	r, err := http.NewRequest(method, b.origin+path, body)
	must(b.t, err)
	r.Header.Set("Accept", "text/html")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	answer, err := b.client.Do(r)
	must(b.t, err)
	defer answer.Body.Close()
	all, err := io.ReadAll(answer.Body)
	must(b.t, err)
	_ = answer.Header.Write(&b.visited)
	b.visited.Write(all)
	return answer.StatusCode, string(all)
}

// hidden are the fields of the form of a page that posts to path.
func (b *browser) hidden(page, path string) (fields []string) {
	b.t.Helper()
	body := b.get(page)
	at := strings.Index(body, `action="`+path+`"`)
	if at < 0 {
		b.t.Fatalf("%s has no form of %s\n%s", page, path, body)
	}
	form := body[at : at+strings.Index(body[at:], "</form>")]
	for _, m := range regexp.MustCompile(`type="hidden" name="([^"]+)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		fields = append(fields, m[1], m[2])
	}
	return fields
}

const longPassword = "a long winter evening"

// payer logs a new person in who may enter OTPs.
func (d *desk) payer(b *browser) { d.joined(b, "pay") }

// joined logs a new person in who may do that.
func (d *desk) joined(b *browser, may string) {
	d.t.Helper()
	if first := strings.TrimPrefix(b.first, b.origin); b.first != "" {
		if got := b.post(first, "name", "boss", "password", longPassword, "password_again", longPassword); got != http.StatusSeeOther {
			d.t.Fatalf("the first person: %d", got)
		}
	}
	form := url.Values{"name": {"ravi"}, "may": {may}}
	for fields := b.hidden("/people", "/people"); len(fields) > 0; fields = fields[2:] {
		form.Set(fields[0], fields[1])
	}
	_, page := b.send("POST", "/people", strings.NewReader(form.Encode()))
	path := regexp.MustCompile(`/join/[A-Za-z0-9_-]{43}`).FindString(page)
	if got := b.post(path, "password", longPassword, "password_again", longPassword); got != http.StatusSeeOther {
		d.t.Fatalf("joining: %d\n%s", got, page)
	}
}

func (b *browser) login() {
	b.t.Helper()
	if got := b.post("/login", "name", "ravi", "password", longPassword); got != http.StatusSeeOther {
		b.t.Fatalf("the login: %d", got)
	}
}

// enter enters an OTP, and a token, for a batch.
func (b *browser) enter(id, otp, token string) int {
	path := "/batches/" + id + "/submit"
	return b.post(path, append(b.hidden("/otp/"+id, path), "otp", otp, "transaction_token", token)...)
}

// stop ends the desk as a person does, and returns all that it said.
func (b *browser) stop() string {
	b.t.Helper()
	b.desk.signal(syscall.SIGTERM)
	<-b.rest
	if o := b.desk.wait(); o.exit != 0 {
		b.t.Fatalf("the desk ended with %d\n%s", o.exit, o.err)
	}
	return b.out.String() + b.desk.stderr.String()
}

// submitting is a person at the desk who entered the OTP of a batch. The bank took the submit,
// and answers after so many seconds.
func submitting(t *testing.T, seconds float64) (d *desk, b *browser, id string) {
	t.Helper()
	d = openDesk(t, openBank(t, *seed), *seed, 0)
	held(d)
	id = d.known.in(ledger.BatchHeld)[0].ID
	b = d.serve("--no-poll")
	d.payer(b)
	d.bank.faults(fault{Op: "submit", Nth: []int{1}, Kind: "slow", Seconds: seconds})
	otp, token := d.bank.otp(id)
	if got := b.enter(id, otp, token); got != http.StatusAccepted {
		t.Fatalf("the submit: %d", got)
	}
	until(t, "the bank took the submit", func() bool { return d.truth().submits() == 1 })
	return d, b, id
}

// The desk killed while the bank works on a submit: the next one asks the bank, and
// nothing is sent again.
func TestTheDeskKilledInTheMiddleOfASubmit(t *testing.T) {
	t.Parallel()
	d, b, id := submitting(t, longTime)
	b.desk.kill()
	<-b.rest
	d.whole()
	if !d.has(ledger.BatchSubmitting) {
		t.Fatal("the kill came too late")
	}
	d.bank.faults()

	b = d.serve("--no-poll")
	b.login()
	for _, page := range []string{"/otp", "/otp/" + id, "/batches/" + id} {
		if strings.Contains(b.get(page), `action="/batches/`+id+`/submit"`) {
			t.Errorf("%s asks for the OTP again", page)
		}
	}
	if !strings.Contains(b.get("/batches/"+id), "In doubt") {
		t.Error("the page of the batch does not say that it is in doubt")
	}
	b.stop()

	b = d.serve()
	until(t, "the desk asked the bank", func() bool { return !d.has(ledger.BatchSubmitting) && !d.has(ledger.BatchSubmitUnknown) })
	b.stop()
	if got := d.truth().submits(); got != 1 {
		t.Errorf("the bank saw %d submits", got)
	}
	d.sound()
	d.worksToTheEnd()
}

// SIGTERM while the bank works on a submit: its answer is waited for and recorded.
func TestTheDeskIsStoppedInTheMiddleOfASubmit(t *testing.T) {
	ofTheProof(t)
	d, b, _ := submitting(t, 1)
	b.stop()
	if d.has(ledger.BatchSubmitting) || d.has(ledger.BatchSubmitUnknown) || !d.has(ledger.BatchSubmitted) {
		t.Errorf("the answer is not recorded: %+v", d.batches())
	}
	d.sound()
}

// O1: OTPs and tokens that were entered at the desk, right and wrong ones, are
// nowhere but at the bank.
func TestNoOTPOfTheDeskIsKept(t *testing.T) {
	ofTheProof(t)
	d := openDesk(t, openBank(t, *seed), *seed, 0)
	d.loaded(d.fresh(), 3, "pb1", "pb3", "pb4")
	d.must(12, "initiate", "--all", "--yes")
	d.known = d.view()
	b := d.serve()
	d.payer(b)
	canaries := []string{"Canary4711", "Canary4712", "Canary4713x", "canary-token-8e1f"}
	id := func(bank string) string {
		for _, one := range d.known.in(ledger.BatchHeld) {
			if one.Account == bank {
				return one.ID
			}
		}
		t.Fatalf("no batch of %s is held", bank)
		return ""
	}
	first, second := id("a0000000-0000-4000-8000-000000000001"), id("a0000000-0000-4000-8000-000000000003")
	look := func() {
		for _, page := range []string{"/", "/otp", "/batches/" + first, "/batches/" + second, "/attention", "/log", "/payouts"} {
			b.get(page)
		}
	}
	over := func() bool { return !strings.Contains(b.get("/otp"), "in progress") }
	for _, one := range []struct {
		id, otp string
		want    int
		says    string
	}{{first, canaries[0], http.StatusAccepted, "Wrong OTP"}, {second, canaries[2], http.StatusUnprocessableEntity, "Wrong OTP"}, {second, canaries[1], http.StatusAccepted, "In doubt"}} {
		if one.want == http.StatusAccepted && one.id == second {
			d.bank.faults(fault{Op: "submit", Nth: []int{1}, Kind: "drop_after"})
		}
		if got := b.enter(one.id, one.otp, canaries[3]); got != one.want {
			t.Fatalf("an OTP was answered %d, not %d", got, one.want)
		}
		until(t, "the bank answered", over)
		if !strings.Contains(b.get("/otp"), one.says) {
			t.Errorf("the result is not %q\n%s", one.says, b.get("/otp"))
		}
		look()
	}
	d.bank.faults()
	found := func(where, text string) {
		for _, c := range canaries {
			if strings.Contains(text, c) {
				t.Errorf("%s has %s", where, c)
			}
		}
	}
	folder := func() {
		files := 0
		err := filepath.WalkDir(d.dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			if errors.Is(err, fs.ErrNotExist) { // the log of a ledger that was just closed is kept nowhere
				return nil
			}
			files++
			found(filepath.Base(path), string(text))
			return err
		})
		if err != nil || files < 3 {
			t.Errorf("%d files were looked at: %v", files, err)
		}
	}
	b.desk.signal(syscall.SIGSTOP) // so that no one opens the ledger meanwhile
	folder()
	b.desk.signal(syscall.SIGCONT)
	said := b.stop()
	folder()
	found("what the desk said", said)
	found("a page", b.visited.String())
	for _, args := range [][]string{{"ledger", "export"}, {"ledger", "log"}, {"status"}} {
		found(strings.Join(args, " "), d.must(0, args...).out)
	}
}
