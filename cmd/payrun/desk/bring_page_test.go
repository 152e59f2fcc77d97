package desk

import (
	"flag"
	"fmt"
	"html"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// What the page shows of a sheet, whatever is in it.

// What cannot be read at all is reported, and does not stay.
func TestWhatCannotBeReadDoesNotStay(t *testing.T) {
	h, b := withLoader(t)
	for name, content := range map[string]string{"empty.csv": "", "old.xls": "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + strings.Repeat("\x00", 600), "cut.xlsx": "PK\x03\x04 and no more", "words.csv": "dear all,\nplease pay\n"} {
		p := b.bring(name, content)
		is(t, p, 422, name+" cannot be read, and was not kept", "findings")
		h.nothingWaits(name)
		isNot(t, p, h.dir, "up-") // where it lay
	}
}

// The page of a large sheet is small, its wrong rows come in parts, by kind.
func TestThePageOfALargeSheetIsSmall(t *testing.T) {
	b := build(t).loader()
	path := b.waits("nov.csv", manyRows(3000, func(i int) string {
		ifsc, amount := "HDFC0001234", "100.00"
		if i%2 == 0 {
			ifsc = "HDFCO001234"
		}
		if i%10 == 0 {
			amount = "1e3"
		}
		return fmt.Sprintf("INV/%d,Asha %d,1234567%06d,%s,%s,pb3\n", i, i, i, ifsc, amount)
	}))
	p := b.get(path)
	is(t, p, 200, "3,000 rows", "1,400 rows more", "Leave out 1,500 rows")
	if len(p.body) > 200<<10 {
		t.Errorf("the page has %d bytes", len(p.body))
	}
	next := html.UnescapeString(p.part(t, `href="(\?kind=[a-z_]*&amp;after=[0-9]+)#found"`))
	is(t, b.get(path+next), 200, "INV/200", "1,300 rows more")
	is(t, b.get(path+p.part(t, `href="(\?kind=amount_[a-z_]+)#found"`)), 200, "INV/990<", "200 rows more")
	is(t, b.get(path+"?kind=nosuch&after=x"), 200)
}

// What a browser calls a file is words, and opens nothing.
func TestTheNameOfAFileIsOnlyWords(t *testing.T) {
	b := build(t).loader()
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
	h, b := withLoader(t)
	var all []string
	for _, pattern := range []string{"*.csv", "*.xlsx", "*.xml", "broken/*", "hostile/*", "writers/*.xlsx"} {
		all = append(all, need(filepath.Glob("../../../samples/"+pattern))(t)...)
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
		content := need(os.ReadFile(path))(t)
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
			fine(t, h.uploads.Discard("ravi", strings.TrimPrefix(to, "/sheets/")))
		case 422:
		default:
			t.Errorf("%s: %s\n%s", path, p.Status, p.body)
		}
		if found := tells.FindString(p.body); found != "" {
			t.Errorf("%s: the page says %q", path, found)
		}
		h.nothingWaits(path)
	}
	h.warnedOf(0)
}

// C4: headers, cells, references and the name of the file are words on the page.
func TestNoWordOfASheetBecomesAnElement(t *testing.T) {
	b := build(t).loader()
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
	h, b := withLoader(t)
	for name, words := range map[string][]string{
		"broken/quote-unclosed.csv": {"quote"}, "broken/hidden-row.xlsx": {"hidden", "Choose under How it is read: Hidden rows."},
		"broken/two-data-tabs.xlsx": {"Choose under How it is read: Tab.", "Lot 1"}, "broken/windows-1252.csv": {"Choose under How it is read: Encoding."},
		"broken/total-mismatch.csv": {"total"}, "broken/column-twice.csv": {"Choose under Columns"}, "broken/merged-cells.xlsx": {"merged"},
	} {
		content := need(os.ReadFile("../../../samples/" + name))(t)
		path := b.waits(filepath.Base(name), string(content))
		is(t, b.get(path), 200, append(words, `<ul class="findings">`)...)
		fine(t, h.uploads.Discard("ravi", strings.TrimPrefix(path, "/sheets/")))
	}
}
