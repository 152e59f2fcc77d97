package desk

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/app"
	"payrun/cmd/payrun/config"
)

// sheetOf is a small sheet of payouts of 100 rupees each, with these references.
func sheetOf(refs ...string) string {
	text := header + "\n"
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
		part := need(w.CreatePart(textproto.MIMEHeader{"Content-Disposition": {`form-data; name="sheet"; filename="` + strings.ReplaceAll(f[0], `"`, "%22") + `"`}, "Content-Type": {"application/octet-stream"}}))(b)
		_, _ = io.WriteString(part, f[1])
	}
	_ = w.Close()
	return b.do(sent("/sheets/new", w.FormDataContentType(), &body))
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

// loads posts the form of the page of a sheet that waits, as it is there, with
// every box ticked.
func (b *browser) loads(path string) page {
	b.Helper()
	return b.postAll(path+"/load", b.loadForm(path))
}

// The whole way: brought, looked at, loaded in the name of who is logged in.
func TestASheetIsBroughtLookedAtAndLoaded(t *testing.T) {
	h, b := withLoader(t)
	is(t, b.get("/sheets"), 200, `href="/sheets/new"`)
	is(t, b.get("/sheets/new"), 200, `type="file"`, "Nothing is recorded")
	p := b.bring("nov.csv", sheetOf("INV/1", "INV/2"))
	is(t, p, 303)
	path := p.Header.Get("Location")
	if !regexp.MustCompile(`^/sheets/up-[A-Za-z0-9_-]{22}$`).MatchString(path) {
		t.Fatalf("it leads to %q", path)
	}
	same(t, "the folder", need(os.Stat(h.set.LedgerPath+".spool"))(t).Mode().Perm(), 0o700)
	same(t, "the sheet in it", need(os.Stat(h.spooled()[0]))(t).Mode().Perm(), 0o600)
	before := len(h.events())
	is(t, b.get(path), 200, "Sheet nov.csv", "<span>2 rows</span>", "<span>2 payouts</span>", "<span>0 rows</span>", "merchant_txn_ref_id", "INV/1", "XXXXXXXX9000", "Load 2 payouts, ₹200.00", "Recorded, nothing sent", "Nothing recorded",
		"payrun check nov.csv", "payrun load nov.csv --expect-sha256 ")
	is(t, b.get("/sheets"), 200, `href="`+path+`"`)
	h.recorded(before) // nothing
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
	leads(t, b.get(path), 303, to)
	h.nothingWaits("loaded")
	leads(t, b.bring("again.csv", sheetOf("INV/1", "INV/2")), 303, to)
	is(t, b.get(to), 200, "This sheet was loaded before.")
	isNot(t, b.get(to), "This sheet was loaded before.")
	h.nothingWaits("the same again")
	h.isWhole()
}

// loadForm are the fields of the form that loads, as the page has them.
func (b *browser) loadForm(path string) map[string][]string {
	b.Helper()
	fields := url.Values{}
	for f := range slices.Chunk(fieldsOf(b, b.get(path).body, path+"/load", "[a-z_0-9]+"), 2) {
		fields.Add(f[0], html.UnescapeString(f[1]))
	}
	return fields
}

func (b *browser) postAll(path string, fields url.Values) page {
	b.Helper()
	return b.do(sent(path, urlencoded, strings.NewReader(fields.Encode())))
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

// withLoader is build, and loader.
func withLoader(t *testing.T, refs ...string) (h *house, b *browser) {
	t.Helper()
	h = build(t, refs...)
	return h, h.loader()
}

// reopen is the house with other settings: another desk over the same ledger.
func (h *house) reopen(change func(*config.Settings)) {
	h.Helper()
	fine(h, h.uploads.Close())
	change(&h.set)
	h.app = app.New(h.set, h.env)
	h.serves(h.now, h.first)
}

// U1: bounded, one file, whole or not at all.
func TestASheetIsTakenInWholeOrNotAtAll(t *testing.T) {
	h := build(t)
	h.reopen(func(set *config.Settings) { set.Limits.SheetBytes = 1 << 20 })
	b := h.loader()
	long := sheetOf("INV/1") + strings.Repeat("\n", 1<<20)
	is(t, b.bring("long.csv", long), 413, "larger than 1 MB", "limits.sheet_bytes", "Nothing was uploaded")
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
	r := sent("/sheets/new", "multipart/form-data; boundary=x", io.MultiReader(strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"form\"\r\n\r\n"+form+
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

// U3: what is loaded is what was looked at: the bytes, how they are read, and what the
// ledger knew of them.
func TestWhatIsLoadedIsWhatWasLookedAt(t *testing.T) {
	for name, change := range map[string]func(h *house, b *browser, path string){
		"the file": func(h *house, _ *browser, _ string) {
			fine(h, os.WriteFile(h.spooled()[0], []byte(sheetOf("INV/1", "INV/9")), 0o600))
		},
		"how it is read": func(h *house, b *browser, path string) {
			is(h, b.post(path+"/check", "form", b.form(), "ref_prefix", "NOV-"), 303)
		},
		"whether columns are kept": func(h *house, b *browser, path string) {
			is(h, b.post(path+"/check", "form", b.form(), "keep_columns", "false"), 303)
		},
		"what is kept of its columns": func(h *house, _ *browser, _ string) {
			keep := true
			h.loadText("other.csv", sheetOf("OTHER/1"), app.SheetOptions{Choices: app.Choices{Map: map[string]string{"amount": "Amount"}, KeepColumns: &keep}}) // it is read as before
		},
		"a reference is taken": func(h *house, _ *browser, _ string) { h.load("INV/1") },
		"the same is loaded": func(h *house, b *browser, _ string) {
			h.loadText("same.csv", sheetOf("INV/1", "INV/2"), app.SheetOptions{})
		},
	} {
		t.Run(name, func(t *testing.T) {
			h, b := withLoader(t)
			path := b.waits("nov.csv", sheetOf("INV/1", "INV/2"))
			form := b.loadForm(path)
			change(h, b, path)
			sheets := h.sheets()
			is(t, b.postAll(path+"/load", form), 409, "not as it was shown", "Nothing was recorded", `href="`+path+`"`)
			same(t, "sheets", h.sheets(), sheets)
			is(t, b.get(path), 200)
		})
	}
}

// A5: with too old a proof nothing is loaded or discarded, and the sheet waits on.
func TestLoadingTakesAFreshProof(t *testing.T) {
	h := build(t)
	h.reopen(func(set *config.Settings) { set.Policy.TwoPerson = true }) // a person of the desk is one
	b := h.loader()
	path := b.waits("nov.csv", sheetOf("INV/1"))
	form := b.loadForm(path)
	h.at = h.at.Add(5 * time.Minute)
	is(t, b.postAll(path+"/load", form), 403, "Nothing was done yet: type your password again")
	is(t, b.decide(path+"/discard"), 403, "Nothing was done yet: type your password again")
	same(t, "sheets, and those that wait", [2]int{h.sheets(), len(h.spooled())}, [2]int{0, 1})
	form = b.loadForm(path)
	form["password"] = []string{password}
	p := b.postAll(path+"/load", form)
	is(t, p, 303)
	leads(t, b.postAll(path+"/load", form), 303, p.Header.Get("Location")) // sent twice
	same(t, "sheets", h.sheets(), 1)
}

// sheets is how many the ledger has.
func (h *house) sheets() int {
	h.Helper()
	return len(need(h.app.Sheets(h.Context(), app.Call{}))(h))
}
