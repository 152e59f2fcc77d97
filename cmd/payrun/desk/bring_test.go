package desk

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"html"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/xuri/excelize/v2"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
)

// sheetOf is a small sheet of payouts of 100 rupees each, with these references.
func sheetOf(refs ...string) string {
	text := "Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Debit Account\n"
	for i, ref := range refs {
		text += fmt.Sprintf("%s,Asha %d,1234567890%02d,HDFC0001234,100.00,pb3\n", ref, i, i)
	}
	return text
}

// bring posts a sheet as the form of the page does.
func (b *browser) bring(name, content string, fields ...string) page {
	b.Helper()
	return b.bringOf(append([]string{"form", b.formOf("/sheets/new")}, fields...), [2]string{name, content})
}

// bringOf posts fields, then files under the name sheet.
func (b *browser) bringOf(fields []string, files ...[2]string) page {
	b.Helper()
	var body bytes.Buffer
	w := multipart.NewWriter(&body)
	for i := 0; i < len(fields); i += 2 {
		_ = w.WriteField(fields[i], fields[i+1]) // into memory
	}
	for _, f := range files {
		part, err := w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="sheet"; filename="` + strings.ReplaceAll(f[0], `"`, "%22") + `"`}, "Content-Type": {"application/octet-stream"}})
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.WriteString(part, f[1])
	}
	_ = w.Close()
	return b.do(b.multipart(w.FormDataContentType(), &body))
}

func (b *browser) multipart(kind string, body io.Reader) *http.Request {
	r := httptest.NewRequest("POST", origin+"/sheets/new", body)
	r.Header.Set("Content-Type", kind)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return r
}

// formOf is the mark that the forms of a page carry.
func (b *browser) formOf(path string) string {
	b.Helper()
	return hidden(b.get(path).body, "form")
}

// hidden is the value of a hidden field of a page; "" where there is none.
func hidden(body, name string) string {
	found := regexp.MustCompile(`name="` + name + `" value="([^"]*)"`).FindStringSubmatch(body)
	if found == nil {
		return ""
	}
	return found[1]
}

// spooled are the sheets that lie in the folder of those that wait, and what is made
// there to be given out.
func (h *house) spooled() (names []string) {
	h.Helper()
	for _, kind := range []string{"up-*", "out-*"} {
		found, err := filepath.Glob(h.set.LedgerPath + ".spool/" + kind)
		if err != nil {
			h.Fatal(err)
		}
		names = append(names, found...)
	}
	return names
}

// loads posts the form of the page of a sheet that waits, as it is there, with
// every box ticked.
func (b *browser) loads(path string) page {
	b.Helper()
	return b.postAll(path+"/load", b.loadForm(path))
}

// The whole way: brought, looked at, loaded in the name of who is logged in.
func TestASheetIsBroughtLookedAtAndLoaded(t *testing.T) {
	h := build(t)
	h.admin()
	b := h.invite("ravi", "load")
	is(t, b.get("/sheets"), 200, `href="/sheets/new"`)
	is(t, b.get("/sheets/new"), 200, `type="file"`, "Nothing is recorded")
	p := b.bring("nov.csv", sheetOf("INV/1", "INV/2"))
	is(t, p, 303)
	path := p.Header.Get("Location")
	if !regexp.MustCompile(`^/sheets/up-[A-Za-z0-9_-]{22}$`).MatchString(path) {
		t.Fatalf("it leads to %q", path)
	}
	if info, err := os.Stat(h.set.LedgerPath + ".spool"); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(h.spooled()[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the sheet in it: %v, %v", info.Mode(), err)
	}
	before := len(h.events())
	is(t, b.get(path), 200, "Sheet nov.csv", "<span>2 rows</span>", "<span>2 payouts</span>", "<span>0 rows</span>", "merchant_txn_ref_id", "INV/1", "XXXXXXXX9000", "Load 2 payouts, ₹200.00", "Recorded, nothing sent", "Nothing recorded",
		"payrun check nov.csv", "payrun load nov.csv --expect-sha256 ")
	is(t, b.get("/sheets"), 200, `href="`+path+`"`)
	if len(h.events()) != before {
		t.Error("looking at it was recorded")
	}
	p = b.loads(path)
	is(t, p, 303)
	to := p.Header.Get("Location")
	is(t, b.get(to), 200, "nov.csv", "Loaded by ravi")
	var loaded []string
	for _, e := range h.events()[before:] {
		loaded = append(loaded, e.Kind+" by "+e.Actor+": "+e.Proof)
	}
	if all := strings.Join(loaded, "\n"); !strings.Contains(all, "sheet_loaded by ravi: at") || strings.Count(all, "at the desk, from 127.0.0.1, password ") != len(loaded) {
		t.Errorf("on record is\n%s", all)
	}
	if p := b.get(path); p.StatusCode != 303 || p.Header.Get("Location") != to {
		t.Errorf("afterwards: %s, %s", p.Status, p.Header.Get("Location"))
	}
	if left := h.spooled(); len(left) > 0 {
		t.Errorf("it is still in %q", left)
	}
	if p := b.bring("again.csv", sheetOf("INV/1", "INV/2")); p.StatusCode != 303 || p.Header.Get("Location") != to || len(h.spooled()) > 0 {
		t.Errorf("the same again: %s to %s\n%s", p.Status, p.Header.Get("Location"), p.body)
	}
	if problems, err := h.app.Verify(t.Context(), app.Call{}, ""); err != nil || len(problems) > 0 {
		t.Errorf("the ledger: %v, %v", problems, err)
	}
}

// loadForm are the fields of the form that loads, as the page has them.
func (b *browser) loadForm(path string) map[string][]string {
	b.Helper()
	body := b.get(path).body
	_, form, ok := strings.Cut(body, `/load" class="load" autocomplete="off">`)
	if form, _, _ = strings.Cut(form, "</form>"); !ok {
		b.Fatalf("no form loads it\n%s", body)
	}
	fields := map[string][]string{}
	for _, f := range regexp.MustCompile(`name="([a-z_0-9]+)" value="([^"]*)"`).FindAllStringSubmatch(form, -1) {
		fields[f[1]] = append(fields[f[1]], html.UnescapeString(f[2]))
	}
	return fields
}

func (b *browser) postAll(path string, fields url.Values) page {
	b.Helper()
	r := httptest.NewRequest("POST", origin+path, strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	return b.do(r)
}

// waits brings a sheet that stays, and returns its address.
func (b *browser) waits(name, content string, fields ...string) string {
	b.Helper()
	p := b.bring(name, content, fields...)
	if !strings.HasPrefix(p.Header.Get("Location"), "/sheets/up-") {
		b.Fatalf("%s: %s to %q\n%s", name, p.Status, p.Header.Get("Location"), p.body)
	}
	return p.Header.Get("Location")
}

// loader is someone who may load, where no one is there yet.
func (h *house) loader() *browser {
	h.Helper()
	h.admin()
	return h.invite("ravi", "load")
}

// anew is the house with other settings: another desk over the same ledger.
func (h *house) anew(change func(*config.Settings)) {
	h.Helper()
	if err := h.uploads.Close(); err != nil {
		h.Fatal(err)
	}
	change(&h.set)
	h.app = app.New(h.set, app.Env{Now: func() time.Time { return h.at }, Getenv: func(string) string { return "" }, Stderr: io.Discard, TestPasswords: true})
	h.desk = newDesk(h.Context(), h.app, h.set, h.now, h.first.First, h.warns)
	h.named("127.0.0.1:8660", "", false)
	h.handler = h.desk.handler()
}

func (h *house) nothingWaits(what string) {
	h.Helper()
	if left := h.spooled(); len(left) > 0 {
		h.Errorf("%s: %q is left", what, left)
	}
}

// U1: bounded, one file, whole or not at all.
func TestASheetIsTakenInWholeOrNotAtAll(t *testing.T) {
	h := build(t)
	h.anew(func(set *config.Settings) { set.Limits.SheetBytes = 1 << 20 })
	b := h.loader()
	long := sheetOf("INV/1") + strings.Repeat("\n", 1<<20)
	is(t, b.bring("long.csv", long), 413, "larger than 1 MB", "limits.sheet_bytes", "Nothing was taken in")
	h.nothingWaits("one byte too many")
	is(t, b.bring("longer.csv", long+strings.Repeat("\n", 1<<20)), 413, "larger than 1 MB")
	h.nothingWaits("more than the form may have")
	waits := b.waits("just.csv", long[:1<<20])
	form := b.formOf("/sheets/new")
	is(t, b.bringOf([]string{"form", form}), 422, "No sheet was chosen")
	is(t, b.bringOf([]string{"form", form}, [2]string{"", ""}), 422, "No sheet was chosen")
	is(t, b.bringOf([]string{"form", form}, [2]string{"a.csv", sheetOf("A")}, [2]string{"b.csv", sheetOf("B")}), 422, "one sheet at a time")
	is(t, b.bringOf([]string{"form", "another"}, [2]string{"a.csv", sheetOf("A")}), 403, "another login")
	is(t, b.bringOf(nil, [2]string{"a.csv", sheetOf("A")}), 403, "another login")
	is(t, b.bring("a.csv", sheetOf("A"), "expect_total", "lots"), 422, "The total expected is not an amount")
	is(t, b.bring("a.csv", sheetOf("A"), "account", "nosuch"), 422, "nosuch")
	is(t, b.post("/sheets/new", "form", form), 415, "not a form with a sheet")
	r := b.multipart("multipart/form-data; boundary=x", io.MultiReader(strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\n"+form+
		"\r\n--x\r\nContent-Disposition: form-data; name=\"sheet\"; filename=\"cut.csv\"\r\n\r\n"+sheetOf("CUT")), &cut{}))
	is(t, b.do(r), 400, "cut off")
	if left := h.spooled(); len(left) != 1 || !strings.HasSuffix(waits, filepath.Base(left[0])) {
		t.Errorf("there is %q", left)
	}
	for _, name := range []string{"b.csv", "c.csv", "d.csv"} {
		b.waits(name, sheetOf(name))
	}
	is(t, b.bring("e.csv", sheetOf("E")), 413, "Enough sheets wait already")
	h.invite("mina", "load").waits("hers.csv", sheetOf("E")) // each has their own
	is(t, b.postAll(waits+"/discard", url.Values{"form": {form}}), 303)
	b.waits("e.csv", sheetOf("E"))
}

// cut is a connection that breaks off.
type cut struct{}

func (*cut) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// U1: what a desk that was killed left goes at the next start, and with the first
// sheet; what is no sheet stays. A second desk takes none in while the first does.
func TestWhatAKilledDeskLeftGoes(t *testing.T) {
	h := build(t)
	dir := h.set.LedgerPath + ".spool"
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "out-0123456789abcdefghijkl"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"up-0123456789abcdefghijkl", "notes.txt", "out-0123456789abcdefghijkl/nov.rejected.csv"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("half a sh"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	h.anew(func(*config.Settings) {})
	h.nothingWaits("the killed desk")
	if _, err := os.Stat(filepath.Join(dir, "notes.txt")); err != nil {
		t.Error(err)
	}
	b := h.loader()
	b.waits("nov.csv", sheetOf("INV/1"))
	first := *h
	second := newDesk(t.Context(), h.app, h.set, h.now, h.first.First, h.warns)
	second.named("127.0.0.1:8660", "", false)
	h.desk, h.handler = second, second.handler()
	is(t, b.post("/login", "name", "ravi", "password", password), 303)
	is(t, b.bring("dec.csv", sheetOf("INV/2")), 503, "Another desk of this ledger")
	is(t, b.decide("/sheets/"+h.loadedWithout()+"/rejected"), 503, "Another desk of this ledger")
	if len(h.spooled()) != 1 {
		t.Errorf("the second desk left %q", h.spooled())
	}
	if err := first.desk.uploads.Close(); err != nil {
		t.Fatal(err)
	}
	b.waits("dec.csv", sheetOf("INV/2"))
	if len(h.warned) > 0 {
		t.Errorf("it warns %q", h.warned)
	}
}

// A folder that is a link, or that others may write to, is none of ours.
func TestTheFolderOfSheetsIsOurOwn(t *testing.T) {
	h := build(t)
	elsewhere := t.TempDir()
	if err := os.Symlink(elsewhere, h.set.LedgerPath+".spool"); err != nil {
		t.Fatal(err)
	}
	p := h.loader().bring("nov.csv", sheetOf("INV/1"))
	is(t, p, 500, "That did not work")
	found, err := os.ReadDir(elsewhere)
	if err != nil || len(found) > 0 || strings.Contains(p.body, h.dir) {
		t.Errorf("%v, %v\n%s", found, err, p.body)
	}
}

// A sheet waits for a day; what was discarded is gone, and nothing is recorded.
func TestASheetWaitsForADay(t *testing.T) {
	h := build(t)
	b := h.loader()
	one, two := b.waits("a.csv", sheetOf("A")), b.waits("b.csv", sheetOf("B"))
	before := len(h.events())
	form := b.loadForm(one)
	is(t, b.postAll(two+"/discard", url.Values{"form": form["form"]}), 303)
	if len(h.spooled()) != 1 || len(h.events()) != before {
		t.Errorf("%q, %d events", h.spooled(), len(h.events())-before)
	}
	is(t, b.get("/sheets?discarded=1"), 200, "Discarded. Nothing was recorded.")
	for range 49 { // logged in all the while
		if h.at = h.at.Add(29 * time.Minute); b.get("/").StatusCode != 200 {
			b.post("/login", "name", "ravi", "password", password)
		}
	}
	is(t, b.get(one), 200)
	h.at = h.at.Add(20 * time.Minute)
	is(t, b.get(one), 410, "waited for more than a day", "Nothing of it was recorded")
	is(t, b.get(two), 410)
	h.nothingWaits("a day later")
	form = map[string][]string{"form": {b.form()}}
	is(t, b.postAll(one+"/check", form), 410)
}

// Only who brought a sheet acts on it, and only with the role.
func TestASheetIsForWhoBroughtIt(t *testing.T) {
	h := build(t)
	b := h.loader()
	path := b.waits("a.csv", sheetOf("A"))
	other, viewer := h.invite("mina", "load"), h.invite("vera", "view")
	mine := b.loadForm(path)
	for _, c := range []struct {
		*browser
		words string
	}{{other, "Another person uploaded this sheet"}, {viewer, "the role load"}} {
		fields := url.Values{"form": {c.form()}, "sheet_sha256": mine["sheet_sha256"], "plan": mine["plan"]}
		is(t, c.get(path), 403, c.words)
		for _, do := range []string{"/check", "/load", "/discard"} {
			is(t, c.postAll(path+do, fields), 403, c.words)
		}
	}
	is(t, viewer.get("/sheets/new"), 403, "the role load")
	is(t, viewer.bringOf([]string{"form", viewer.form()}, [2]string{"a.csv", sheetOf("B")}), 403)
	if strings.Contains(viewer.get("/sheets").body, "/sheets/new") {
		t.Error("a page offers what its person may not")
	}
	is(t, b.get("/sheets/up-"+strings.Repeat("a", 22)), 404)
	is(t, b.get("/sheets/up-..%2f..%2fpayrun.toml"), 404)
	if len(h.spooled()) != 1 {
		t.Errorf("there is %q", h.spooled())
	}
	is(t, b.loads(path), 303)
}

// What cannot be read at all is reported, and does not stay.
func TestWhatCannotBeReadDoesNotStay(t *testing.T) {
	h := build(t)
	b := h.loader()
	for name, content := range map[string]string{"empty.csv": "", "old.xls": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), "cut.xlsx": "PK\x03\x04 and no more", "words.csv": "dear all,\nplease pay\n"} {
		p := b.bring(name, content)
		is(t, p, 422, name+" cannot be read, and was not kept", "findings")
		h.nothingWaits(name)
		if strings.Contains(p.body, h.dir) || strings.Contains(p.body, "up-") {
			t.Errorf("%s: the page tells where it lay\n%s", name, p.body)
		}
	}
}

// U3: what is loaded is what was looked at: the bytes, how they are read, and what the
// ledger knew of them.
func TestWhatIsLoadedIsWhatWasLookedAt(t *testing.T) {
	for name, change := range map[string]func(h *house, b *browser, path string){
		"the file": func(h *house, _ *browser, _ string) {
			if err := os.WriteFile(h.spooled()[0], []byte(sheetOf("INV/1", "INV/9")), 0o600); err != nil {
				h.Fatal(err)
			}
		},
		"how it is read": func(h *house, b *browser, path string) {
			is(h.TB.(*testing.T), b.post(path+"/check", "form", b.form(), "ref_prefix", "NOV-"), 303)
		},
		"whether columns are kept": func(h *house, b *browser, path string) {
			is(h.TB.(*testing.T), b.post(path+"/check", "form", b.form(), "keep_columns", "false"), 303)
		},
		"what is kept of its columns": func(h *house, _ *browser, _ string) {
			path := filepath.Join(h.dir, "other.csv")
			if err := os.WriteFile(path, []byte(sheetOf("OTHER/1")), 0o600); err != nil {
				h.Fatal(err)
			}
			keep := true
			o := app.SheetOptions{Map: map[string]string{"amount": "Amount"}, KeepColumns: &keep} // it is read as before
			if _, err := h.app.Load(h.Context(), app.Call{Actor: "asha"}, []string{path}, o); err != nil {
				h.Fatal(err)
			}
		},
		"a reference is taken": func(h *house, _ *browser, _ string) { h.load("INV/1") },
		"the same is loaded": func(h *house, b *browser, _ string) {
			path := filepath.Join(h.dir, "same.csv")
			if err := os.WriteFile(path, []byte(sheetOf("INV/1", "INV/2")), 0o600); err != nil {
				h.Fatal(err)
			}
			if _, err := h.app.Load(h.Context(), app.Call{Actor: "asha"}, []string{path}, app.SheetOptions{}); err != nil {
				h.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := build(t)
			b := h.loader()
			path := b.waits("nov.csv", sheetOf("INV/1", "INV/2"))
			form := b.loadForm(path)
			change(h, b, path)
			sheets := h.sheets()
			is(t, b.postAll(path+"/load", form), 409, "not as it was shown", "Nothing was recorded", `href="`+path+`"`)
			if h.sheets() != sheets {
				t.Error("a sheet was recorded")
			}
			is(t, b.get(path), 200)
		})
	}
}

// A5: with too old a proof nothing is loaded or discarded, and the sheet waits on.
func TestLoadingTakesAFreshProof(t *testing.T) {
	h := build(t)
	h.anew(func(set *config.Settings) { set.Policy.TwoPerson = true }) // a person of the desk is one
	b := h.loader()
	path := b.waits("nov.csv", sheetOf("INV/1"))
	form := b.loadForm(path)
	h.at = h.at.Add(5 * time.Minute)
	is(t, b.postAll(path+"/load", form), 403, "Nothing was done yet: type your password again")
	is(t, b.decide(path+"/discard"), 403, "Nothing was done yet: type your password again")
	if h.sheets() != 0 || len(h.spooled()) != 1 {
		t.Errorf("%d sheets, and %q", h.sheets(), h.spooled())
	}
	form = b.loadForm(path)
	form["password"] = []string{password}
	p := b.postAll(path+"/load", form)
	is(t, p, 303)
	if again := b.postAll(path+"/load", form); again.StatusCode != 303 || again.Header.Get("Location") != p.Header.Get("Location") || h.sheets() != 1 {
		t.Errorf("sent twice: %s to %q, %d sheets", again.Status, again.Header.Get("Location"), h.sheets())
	}
}

// sheets is how many the ledger has.
func (h *house) sheets() int {
	h.Helper()
	all, err := h.app.Sheets(h.Context(), app.Call{})
	if err != nil {
		h.Fatal(err)
	}
	return len(all)
}

// Bad rows are left out only when that is said, and come back with reason and fix, to
// be corrected and brought again.
func TestBadRowsAreLeftOutAndComeBack(t *testing.T) {
	h := build(t)
	b := h.loader()
	path := b.waits("nov.csv", strings.Replace(sheetOf("INV/1", "INV/2", "INV/2", "INV/4"), "HDFC0001234,100.00,pb3\n", "HDFCO001234,100.00,pb3\n", 1))
	is(t, b.get(path), 200, "<span>4 rows</span>", "<span>1 payout</span>", "<span>3 rows</span>", "₹400.00", `href="?kind=ifsc_malformed#found"`, `class="error">HDFCO001234</td>`, "Leave out 3 rows", "Load 1 payout", "--skip-bad")
	form := b.loadForm(path)
	delete(form, "skip_bad")
	is(t, b.postAll(path+"/load", form), 422, "left out")
	if h.sheets() != 0 {
		t.Error("it was loaded")
	}
	p := b.loads(path)
	is(t, p, 303)
	to := p.Header.Get("Location")
	is(t, b.get(to), 200, `action="`+to+`/rejected"`, "3 rows")
	p = b.decide(to + "/rejected")
	is(t, p, 200, "INV/2", "HDFCO001234", "payrun_reason", "payrun_sheet", "row 2 of nov.csv: ifsc: ", "row 4 of nov.csv: merchant_txn_ref_id: ")
	if got := p.Header.Get("Content-Disposition"); got != "attachment; filename=nov.rejected.csv" {
		t.Errorf("it comes as %q", got)
	}
	is(t, h.invite("vera", "view").decide(to+"/rejected"), 403)
	h.nothingWaits("given out")
	again := strings.Replace(strings.Replace(p.body, "HDFCO001234", "HDFC0001234", 1), "INV/2", "INV/3", 1)
	is(t, b.loads(b.waits("nov.rejected.csv", again)), 303)
	is(t, b.decide(to+"/rejected"), 404, "No row of this sheet is left out")
	if found, err := filepath.Glob(filepath.Join(h.dir, "*rejected*")); err != nil || len(found) > 0 {
		t.Errorf("beside the ledger lies %q, %v", found, err)
	}
}

// Warnings are ticked, each; of very many of a kind the kind.
func TestWarningsAreTicked(t *testing.T) {
	h := build(t)
	b := h.loader()
	twins := sheetOf("INV/1") + "INV/1b,Asha 0,123456789000,HDFC0001234,100.00,pb3\n" + "INV/1c,Asha 0,123456789000,HDFC0001234,100.00,pb3\n"
	path := b.waits("nov.csv", twins)
	form := b.loadForm(path)
	if len(form["seen"]) < 2 {
		t.Fatalf("there are %q to be seen", form["seen"])
	}
	all := form["seen"]
	for i := range all {
		form["seen"] = append(append([]string{}, all[:i]...), all[i+1:]...)
		is(t, b.postAll(path+"/load", form), 422, "Not every warning was ticked")
	}
	if h.sheets() != 0 {
		t.Error("it was loaded")
	}
	is(t, b.loads(path), 303)
	many := sheetOf()
	for i := range 40 {
		many += fmt.Sprintf("DEC/%d,Asha 0,123456789000,HDFC0001234,200.00,pb3\n", i)
	}
	path = b.waits("dec.csv", many)
	if form := b.loadForm(path); len(form["seen"]) > 25 {
		t.Errorf("there are %d boxes to tick", len(form["seen"]))
	}
	is(t, b.loads(path), 303)
}

// What the columns are read as is shown and chosen, and is in the command.
func TestColumnsAreChosen(t *testing.T) {
	h := build(t)
	b := h.loader()
	path := b.waits("nov.csv", strings.NewReplacer("Amount", "What to pay", "Debit Account", "Branch").Replace(sheetOf("INV/1")))
	is(t, b.get(path), 200, "It cannot be loaded as it is", "column_missing", `<option value="amount=What to pay">`, "there is no column amount")
	is(t, b.post(path+"/check", "form", b.form(), "map", "amount=What to pay", "account", "pb4", "expect_count", "1", "hidden_rows", "skip", "numeric_accounts", "1"), 303)
	p := b.get(path)
	is(t, p, 200, `<option value="amount=What to pay" selected>Amount, as chosen`, "<span>1 payout</span>", "[columns]", `amount = &#34;What to pay&#34;`,
		html.EscapeString("payrun check nov.csv --account pb4 --hidden-rows skip --expect-count 1 --map \"amount=What to pay\" --numeric-accounts"))
	is(t, b.post(path+"/check", "form", b.form(), "map", "amount=No such"), 303)
	is(t, b.get(path), 422, "No such", "How it is read")
	is(t, b.post(path+"/check", "form", b.form(), "encoding", "ebcdic"), 303)
	is(t, b.get(path), 422, "Encoding, ebcdic: ")
	is(t, b.post(path+"/check", "form", b.form(), "expect_count", "many"), 422, "not a whole number")
	is(t, b.post(path+"/check", "form", b.form(), "map", "amount=What to pay", "account", "pb4"), 303)
	is(t, b.loads(path), 303)
}

// The page of a large sheet is small, its wrong rows come in parts, by kind.
// A sheet whose header is in words that no one knows comes to the choice of columns,
// with the first values of each, and is loaded as a person says.
func TestAHeaderInOtherWordsIsChosen(t *testing.T) {
	h := build(t)
	b := h.loader()
	for name, header := range map[string]string{"two.csv": "Kode,Payee,Konto,Clearing,Amount", "none.csv": "Kode,Nama,Konto,Clearing,Betrag"} {
		names := strings.Split(header, ",")
		path := b.waits(name, header+"\n"+name+"-1,Asha,123456789012,HDFC0001234,100.00\n")
		is(t, b.get(path), 200, "No header", `<option value="merchant_txn_ref_id=Kode">`, "Choose under Columns", "It cannot be loaded as it is", "HDFC0001234")
		isNot(t, b.get(path), "123456789012")
		form := url.Values{"form": {b.form()}}
		for i, field := range []string{"reference", "vendor_name", "bank_account_number", "ifsc", "amount"} {
			form.Add("map", field+"="+names[i])
		}
		is(t, b.postAll(path+"/check", form), 303)
		is(t, b.get(path), 200, "Load 1 payout, ₹100.00")
	}
}

func TestThePageOfALargeSheetIsSmall(t *testing.T) {
	h := build(t)
	b := h.loader()
	var text strings.Builder
	text.WriteString(sheetOf())
	for i := range 3000 {
		ifsc, amount := "HDFC0001234", "100.00"
		if i%2 == 0 {
			ifsc = "HDFCO001234"
		}
		if i%10 == 0 {
			amount = "1e3"
		}
		fmt.Fprintf(&text, "INV/%d,Asha %d,1234567%06d,%s,%s,pb3\n", i, i, i, ifsc, amount)
	}
	path := b.waits("nov.csv", text.String())
	p := b.get(path)
	is(t, p, 200, "3,000 rows", "1,400 rows more", "Leave out 1,500 rows")
	if len(p.body) > 200<<10 {
		t.Errorf("the page has %d bytes", len(p.body))
	}
	next := regexp.MustCompile(`href="(\?kind=[a-z_]*&amp;after=[0-9]+)#found"`).FindStringSubmatch(p.body)
	if next == nil {
		t.Fatal("nothing leads to the next rows")
	}
	is(t, b.get(path+html.UnescapeString(next[1])), 200, "INV/200", "1,300 rows more")
	kind := regexp.MustCompile(`href="(\?kind=amount_[a-z_]+)#found"`).FindStringSubmatch(p.body)
	if kind == nil {
		t.Fatal("nothing shows one kind")
	}
	p = b.get(path + kind[1])
	is(t, p, 200, "INV/990<", "200 rows more")
	is(t, b.get(path+"?kind=nosuch&after=x"), 200)
}

// What a browser calls a file is words, and opens nothing.
func TestTheNameOfAFileIsOnlyWords(t *testing.T) {
	h := build(t)
	b := h.loader()
	for i, c := range [][2]string{
		{`../../etc/passwd`, "passwd"}, {`C:\Users\asha\nov.csv`, "nov.csv"}, {"<b>nov</b>.csv", "b>.csv"}, {"a\u202evsc.csv", "a_vsc.csv"}, {"..", "sheet"}, {" ", "sheet"},
		{strings.Repeat("é", 300) + ".csv", strings.Repeat("é", 116) + ".csv"}, {"-rf.csv", "-rf.csv"},
	} {
		path := b.waits(c[0], sheetOf(fmt.Sprint("INV/", i)))
		is(t, b.get(path), 200, "<h1>Sheet "+html.EscapeString(c[1])+"</h1>")
		if c[1] == "-rf.csv" {
			is(t, b.get(path), 200, "payrun check ./-rf.csv")
		}
		p := b.loads(path)
		is(t, p, 303)
		is(t, b.get(p.Header.Get("Location")), 200, html.EscapeString(c[1]))
	}
}

var whole = flag.Bool("all", false, "bring every sample to the desk, and not one of five; ask every route as everybody")

// Every sheet of the samples, hostile ones too: it is read or refused, and no page
// tells where it lay or has an element that its words made.
func TestEverySampleIsReadOrRefused(t *testing.T) {
	h := build(t)
	b := h.loader()
	var all []string
	for _, pattern := range []string{"*.csv", "*.xlsx", "*.xml", "broken/*", "hostile/*", "writers/*.xlsx"} {
		found, err := filepath.Glob("../../../samples/" + pattern)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	if len(all) < 200 {
		t.Fatalf("there are %d samples", len(all))
	}
	form := []string{"form", b.form()}
	tells := regexp.MustCompile(`(?i)\.spool|/tmp/|payrun-sheet|panic|sqlite|goroutine|<(img|iframe|svg|math|style)`)
	for i, path := range all {
		if strings.HasSuffix(path, ".json") || !*whole && i%5 != 0 {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		p := b.bringOf(form, [2]string{filepath.Base(path), string(content)})
		to := p.Header.Get("Location")
		switch p.StatusCode {
		case 303:
			if p = b.get(to); p.StatusCode != 200 && p.StatusCode != 422 {
				t.Errorf("%s: %s", path, p.Status)
			}
			if i%40 == 0 && hidden(b.get(to).body, "plan") != hidden(p.body, "plan") {
				t.Errorf("%s: looked at twice, it is bound to two plans", path)
			}
			if err := h.uploads.Discard("ravi", strings.TrimPrefix(to, "/sheets/")); err != nil {
				t.Errorf("%s: %v", path, err)
			}
		case 422:
		default:
			t.Errorf("%s: %s\n%s", path, p.Status, p.body)
		}
		if found := tells.FindString(p.body); found != "" {
			t.Errorf("%s: the page says %q", path, found)
		}
		h.nothingWaits(path)
	}
	if len(h.warned) > 0 {
		t.Errorf("it warns %q", h.warned)
	}
}

// C4: headers, cells, references and the name of the file are words on the page.
func TestNoWordOfASheetBecomesAnElement(t *testing.T) {
	h := build(t)
	b := h.loader()
	evil := `<img src=x onerror=alert(1)>`
	text := "Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Debit Account,Remarks," + evil + "\n"
	for i := range 3 {
		text += fmt.Sprintf("%s%d,%s,1234567890%02d,%s,100.00,pb3,%s,%s\n", evil, i, evil, i, []string{"HDFC0001234", evil, "HDFC0001234"}[i], evil, `"><script>alert(1)</script>`)
	}
	path := b.waits(evil+".csv", strings.ReplaceAll(text, `"><`, `'><`))
	is(t, b.post(path+"/check", "form", b.form(), "ref_prefix", evil, "map", "remarks="+evil), 303)
	for _, at := range []string{path, path + "?kind=" + url.QueryEscape(evil), "/sheets", "/sheets/new"} {
		if body := b.get(at).body; strings.Contains(body, "<img") || strings.Contains(body, "<script>") || !strings.Contains(body, "&lt;img") && at != "/sheets/new" {
			t.Errorf("%s\n%s", at, body)
		}
	}
}

// What was found is on the page also where its row cannot be shown.
func TestWhatWasFoundIsShownWhereverItStands(t *testing.T) {
	h := build(t)
	b := h.loader()
	for name, words := range map[string][]string{
		"broken/quote-unclosed.csv": {"quote"}, "broken/hidden-row.xlsx": {"hidden", "Choose under How it is read: Hidden rows."},
		"broken/two-data-tabs.xlsx": {"Choose under How it is read: Tab.", "Lot 1"}, "broken/windows-1252.csv": {"Choose under How it is read: Encoding."},
		"broken/total-mismatch.csv": {"total"}, "broken/column-twice.csv": {"Choose under Columns"}, "broken/merged-cells.xlsx": {"merged"},
	} {
		content, err := os.ReadFile("../../../samples/" + name)
		if err != nil {
			t.Fatal(err)
		}
		path := b.waits(filepath.Base(name), string(content))
		p := b.get(path)
		is(t, p, 200, words...)
		if !strings.Contains(p.body, `<ul class="findings">`) {
			t.Errorf("%s: nothing of what was found is shown\n%s", name, p.body)
		}
		if err := h.uploads.Discard("ravi", strings.TrimPrefix(path, "/sheets/")); err != nil {
			t.Fatal(err)
		}
	}
}

// A workbook is brought whose tabs have words that are made to break pages: they are
// offered by name, and one of them is read.
func TestATabIsChosenByItsName(t *testing.T) {
	h := build(t)
	b := h.loader()
	evil := `"><script>'&`
	book := excelize.NewFile()
	for i, tab := range []string{"Sheet1", evil, "later"} {
		if i > 0 {
			if _, err := book.NewSheet(tab); err != nil {
				t.Fatal(err)
			}
		}
		for at, row := range strings.Split(strings.TrimSpace(sheetOf(fmt.Sprintf("INV/%d", i+1))), "\n") {
			for column, cell := range strings.Split(row, ",") {
				name, err := excelize.CoordinatesToCellName(column+1, at+1)
				if err = errors.Join(err, book.SetCellStr(tab, name, cell)); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if err := book.SetSheetVisible("later", false); err != nil {
		t.Fatal(err)
	}
	content, err := book.WriteToBuffer()
	if err != nil {
		t.Fatal(err)
	}
	path := b.waits("tabs.xlsx", content.String())
	p := b.get(path)
	offered := `<option value="` + html.EscapeString(evil) + `"`
	is(t, p, 200, "Choose under How it is read: Tab.", `<select id="sheet_name"`, `<option value="Sheet1">Sheet1</option>`, offered+">")
	isNot(t, p, "<script>", `value="later"`, "not in this file")
	choose := func(tab string) page {
		is(t, b.postAll(path+"/check", url.Values{"form": {b.form()}, "sheet_name": {tab}}), 303)
		return b.get(path)
	}
	p = choose(evil)
	is(t, p, 200, offered+" selected>", "<span>1 payout</span>", "INV/2")
	isNot(t, p, "INV/1", "<script>")
	is(t, choose("SHEET1"), 200, `<option value="Sheet1" selected>`, "INV/1")
	is(t, choose("Nov"), 200, `<option value="Nov" selected>Nov (not in this file, or hidden)</option>`, "no tab")
	isNot(t, b.get(b.waits("one.csv", sheetOf("INV/4"))), `name="sheet_name"`)
}

// loadedWithout loads a sheet of which a row is left out, at a terminal.
func (h *house) loadedWithout() (id string) {
	h.Helper()
	path := filepath.Join(h.TempDir(), "left.csv")
	if err := os.WriteFile(path, []byte(sheetOf("LEFT/1", "LEFT/2", "LEFT/2")), 0o600); err != nil {
		h.Fatal(err)
	}
	_, _ = h.app.Load(h.Context(), app.Call{Actor: "asha"}, []string{path}, app.SheetOptions{SkipBad: true}) // that rows are left out is no failure
	all, err := h.app.Sheets(h.Context(), app.Call{})
	if err != nil || len(all) == 0 || all[len(all)-1].Rejected.Count == 0 {
		h.Fatal(err, "no row is left out")
	}
	return all[len(all)-1].ID
}

// What is given out is made in a folder of its own, for no one else to read, and takes
// its turn among the checks: two at a time.
func TestWhatIsGivenOutTakesItsTurn(t *testing.T) {
	h := build(t)
	id := h.loadedWithout()
	b := h.loader()
	var over []chan error
	reading := heldUp{make(chan struct{}), make(chan struct{}), new(sync.Once)}
	for range 2 {
		one := heldUp{make(chan struct{}), reading.letGo, new(sync.Once)}
		gone := make(chan error, 1)
		go func() {
			f, _, err := h.uploads.LeftOut(t.Context(), app.Call{Actor: "asha", Progress: one, LockWait: 5 * time.Second}, id, "127.0.0.1")
			if err == nil {
				err = f.Close()
			}
			gone <- err
		}()
		<-one.there
		over = append(over, gone)
	}
	made := h.spooled()
	if len(made) != 2 {
		t.Errorf("two are made in %q", made)
	}
	for _, dir := range made {
		files, err := filepath.Glob(dir + "/*")
		if err != nil || len(files) == 0 {
			t.Errorf("%v: nothing is in %s yet", err, dir)
		}
		for path, mode := range map[string]os.FileMode{dir: 0o700 | os.ModeDir, files[0]: 0o600} {
			if info, err := os.Stat(path); err != nil || info.Mode() != mode {
				t.Errorf("%s: %v, %v", path, info.Mode(), err)
			}
		}
	}
	ctx, leave := context.WithCancel(t.Context())
	leave()
	for _, path := range []string{"/rejected", "/retry.xlsx"} {
		if p := b.postIn(ctx, "/sheets/"+id+path, "form", b.session().form); p.StatusCode == 200 || len(h.spooled()) != 2 {
			t.Errorf("a third: %s, in %q", p.Status, h.spooled())
		}
	}
	close(reading.letGo)
	for _, gone := range over {
		if err := <-gone; err != nil {
			t.Error(err)
		}
	}
	is(t, b.decide("/sheets/"+id+"/rejected"), 200, "LEFT/2")
	h.nothingWaits("all given out")
}
