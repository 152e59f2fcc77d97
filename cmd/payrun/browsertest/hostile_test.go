//go:build unix

package browsertest

import (
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// evil is what would be markup, script or a formula if it were anything but words.
const evil = `"'><img src=//elsewhere.example/x onerror=alert(1)><script>alert(2)</script><svg onload=alert(3)>{{.}}</title></textarea><form action=//elsewhere.example>`

// TestWordsOfSheetsAreOnlyWords brings sheets that are made to break pages. Whatever
// is in a name, a header, a cell, a tab or a file's name makes no element, opens
// no dialog, and asks nothing of another address.
func TestWordsOfSheetsAreOnlyWords(t *testing.T) {
	h := open(t, quick)
	p := h.admin().invites("ravi", "load")
	strange := p.watch()
	defer func() {
		for _, s := range strange() {
			t.Error(s)
		}
	}()

	cell := `"` + strings.ReplaceAll(evil, `"`, `""`) + `"`
	text := "Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Remarks," + cell + "\n" +
		"EVIL-1," + cell + ",50100010020030,HDFC0001234,100.00," + cell + "," + cell + "\n" +
		cell + ",Asha," + cell + "," + cell + "," + cell + ",x,y\n"
	name := strings.NewReplacer("/", "∕").Replace(evil) + ".csv" // no file's name has a slash
	p.brings(h.write(name, text))
	p.sees("<script>alert(2)</script>")
	p.isOnlyWords("waiting")
	p.discards()

	samples := []string{}
	for _, kind := range []string{"hostile", "broken"} {
		found, err := filepath.Glob("../../../samples/" + kind + "/*")
		if err != nil || len(found) == 0 {
			t.Fatalf("no samples: %v", err)
		}
		samples = append(samples, found...)
	}
	for _, sample := range samples {
		if strings.HasSuffix(sample, ".json") {
			continue
		}
		p.brings(sample)
		p.isOnlyWords(filepath.Base(sample))
		p.discards()
	}
}

// brings chooses a file on the page that takes sheets, and sends it. The window in
// which a file is chosen is the system's, so this much is not done by keys.
func (p *person) brings(path string) {
	p.Helper()
	path = need(filepath.Abs(path))(p)
	need(os.Stat(path))(p)
	p.open("/sheets/new")
	p.do(chromedp.SetUploadFiles(chromedp.CSS(`input[type=file]`), []string{path}))
	p.enter("Check it")
}

// discards lets go of a sheet that waits, where one does.
func (p *person) discards() {
	p.Helper()
	if ask[bool](p, `!!document.querySelector("form.discard")`) {
		p.leaveBy(func() { p.do(chromedp.Click(chromedp.CSS(`form.discard button`))) })
	}
}

// isOnlyWords checks that the page has no element of another kind than ours have.
func (p *person) isOnlyWords(what string) {
	p.Helper()
	found := ask[[]string](p, `[...document.querySelectorAll("main script, main img, main svg:not(.track, .outcome), main iframe, main object, main embed, main textarea, main style, main link, [onerror], [onload], [style]")].map(e => e.outerHTML.slice(0, 200))
		.concat([...document.querySelectorAll("form")].filter(f => new URL(f.action).origin !== location.origin).map(f => f.outerHTML.slice(0, 200)))`)
	for _, f := range found {
		p.Errorf("%s: %s", what, f)
	}
}

// watch tells of every dialog, and of every request that leaves the desk.
func (p *person) watch() (strange func() []string) {
	p.Helper()
	var mu sync.Mutex
	var all []string
	add := func(s string) {
		mu.Lock()
		defer mu.Unlock()
		all = append(all, s)
	}
	fine(p, chromedp.Do(p.tab))
	need(chromedp.Call(p.tab, network.Enable, network.EnableParams{}))(p)
	err := chromedp.Listen(p.tab, func(ev any) {
		switch e := ev.(type) {
		case *page.EventJavascriptDialogOpening:
			add("a dialog opened: " + e.Message)
		case *network.EventRequestWillBeSent:
			if !strings.HasPrefix(e.Request.URL, p.desk.URL) && !strings.HasPrefix(e.Request.URL, "about:") {
				add("a request left: " + e.Request.URL)
			}
		}
	})
	if err != nil {
		p.Fatal(err)
	}
	return func() []string {
		mu.Lock()
		defer mu.Unlock()
		return all
	}
}
