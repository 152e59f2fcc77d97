//go:build unix

package browsertest

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/security"
	"github.com/chromedp/chromedp"
)

// secret is the password of everybody here.
const secret = "a long winter evening"

// person is someone at a browser of their own.
type person struct {
	*house
	name   string
	tab    context.Context
	clicks int // pages left by a click or by Enter since needs was last called
	looks  int // pages that look was called for
}

// person opens a browser for someone who is not logged in.
func (h *house) person(name string) *person {
	h.Helper()
	tab, end := chromedp.NewContext(chromium, chromedp.WithNewBrowserContext())
	h.Cleanup(end)
	p := &person{house: h, name: name, tab: tab}
	p.do(chromedp.EmulateViewport(1024, 900))
	if h.tls != nil { // its certificate was made by the test
		need(chromedp.Call(tab, security.SetIgnoreCertificateErrors, security.SetIgnoreCertificateErrorsParams{Ignore: true}))(h)
	}
	return p
}

// tabOf opens one more tab of the same browser.
func (p *person) another() *person {
	p.Helper()
	tab, end := chromedp.NewContext(p.tab)
	p.Cleanup(end)
	return &person{house: p.house, name: p.name, tab: tab}
}

// do runs steps in the tab; they may not take longer than patience.
func (p *person) do(steps ...chromedp.Action[chromedp.Void]) {
	p.Helper()
	if err := chromedp.Do(p.tab); err != nil { // the tab lives as long as the person
		p.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(p.tab, patience)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		p.Fatalf("%s: %v\n%s", p.name, err, p.page())
	}
}

// open goes to an address of the desk.
func (p *person) open(path string) {
	p.Helper()
	if strings.HasPrefix(path, "/") {
		path = strings.TrimSuffix(p.desk.URL, "/") + path
	}
	p.do(chromedp.Navigate(path))
}

// ask evaluates JavaScript in the page.
func ask[T any](p *person, js string) T {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.tab, patience)
	defer cancel()
	v, err := chromedp.Run(ctx, chromedp.Evaluate[T](js, chromedp.EvalAwaitPromise))
	if err != nil {
		p.Fatalf("%s: %s: %v", p.name, js, err)
	}
	return v
}

// page is what the person sees, for what a failing test says.
func (p *person) page() string {
	v, err := chromedp.Run(p.tab, chromedp.Evaluate[string](`location.pathname + "\n" + document.body.innerText`))
	if err != nil {
		return err.Error()
	}
	return v
}

// sees waits until the page shows all of the words.
func (p *person) sees(words ...string) {
	p.Helper()
	b, _ := json.Marshal(words)
	p.until(fmt.Sprintf(`%s.every(w => document.body.innerText.includes(w))`, b), "shows "+strings.Join(words, ", "))
}

// doesNotSee tells whether none of the words is on the page that is there.
func (p *person) doesNotSee(words ...string) {
	p.Helper()
	text := p.page()
	for _, w := range words {
		if strings.Contains(text, w) {
			p.Fatalf("%s sees %q\n%s", p.name, w, text)
		}
	}
}

// until waits until the expression is true on a page that is complete, across
// navigations: the desk and the browser are processes, whose clock is the wall's.
func (p *person) until(js, what string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.tab, patience)
	defer cancel()
	tick := time.NewTicker(15 * time.Millisecond)
	defer tick.Stop()
	for {
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool](`document.readyState === "complete" && (`+js+`)`))
		if err == nil && ok {
			return
		}
		select {
		case <-ctx.Done():
			p.Fatalf("%s waits for a page that %s; it is\n%s", p.name, what, p.page())
		case <-tick.C:
		}
	}
}

// focused says what has the focus, in the words that a screen reader would use.
const focused = `(() => { const e = document.activeElement; if (!e || e === document.body) return "";
  return (e.getAttribute("aria-label") || e.labels?.[0]?.innerText || e.innerText || e.name || "").trim(); })()`

// tabTo presses Tab until the focus is on what begins with the words, as whole ones.
func (p *person) tabTo(words string) {
	p.Helper()
	var seen []string
	for range 150 {
		p.press("\t")
		at := ask[string](p, focused)
		if rest, is := strings.CutPrefix(at, words); is && !unicode.IsLetter(append([]rune(rest), ' ')[0]) {
			return
		}
		seen = append(seen, at)
	}
	p.Fatalf("%s finds no %q by Tab, but %q\n%s", p.name, words, seen, p.page())
}

// press presses keys.
func (p *person) press(keys string) {
	p.Helper()
	p.do(chromedp.KeyEvent(keys))
}

// enter goes to what begins with the words, by Tab, and presses Enter. The page
// that comes is another one.
func (p *person) enter(words string) {
	p.Helper()
	p.tabTo(words)
	p.leaveBy(func() { p.press("\r") })
}

// entersFirstRun goes to the first of the runs, which are named by their day, and
// follow on the form that writes one.
func (p *person) entersFirstRun() {
	p.Helper()
	p.fills("Create reports", "\t")
	p.leaveBy(func() { p.press("\r") })
}

// leaveBy waits for the page that comes of an action.
func (p *person) leaveBy(action func()) {
	p.Helper()
	left := p.marks()
	action()
	p.until(left, "is another one")
	p.clicks++
}

// needs fails where the person clicked more than most times since the last call.
func (p *person) needs(most int, what string) {
	p.Helper()
	if p.clicks > most {
		p.Errorf("%s needs %d clicks to %s, more than %d", p.name, p.clicks, what, most)
	}
	p.clicks = 0
}

// marks marks the page that is there. What it returns is true on every other: also on
// one that was left before, and that the browser has kept as it was.
func (p *person) marks() (left string) {
	p.Helper()
	mark := strconv.FormatInt(marked.Add(1), 10)
	ask[int](p, "window.mark = "+mark)
	return "window.mark !== " + mark
}

// marked is how many pages were.
var marked atomic.Int64

// joining is a person who was given the link: they choose the password and are logged in.
func (h *house) joining(name, link string) *person {
	h.Helper()
	p := h.person(name)
	p.open(link)
	p.chooses()
	return p
}

// admin is the first person, who is logged in.
func (h *house) admin() *person {
	h.Helper()
	p := h.person("meera")
	p.open(h.desk.First)
	p.first()
	return p
}

// first fills in the page of the first person.
func (p *person) first() {
	p.Helper()
	p.fills("Your name", p.name)
	p.chooses()
}

// chooses fills in the two fields of a new password.
func (p *person) chooses() {
	p.Helper()
	p.fills("Password", secret)
	p.types("Password, once more", secret)
	p.isIn()
}

// isIn waits for a page of someone who is logged in.
func (p *person) isIn() {
	p.Helper()
	p.until(`!!document.querySelector("form[action='/logout']")`, "belongs to a person who is logged in")
}

// logsOut opens the menu under the person's name, and logs out there.
func (p *person) logsOut() {
	p.Helper()
	p.unfolds(p.name)
	p.enter("Log out")
}

// logsIn is for a person who has a password.
func (p *person) logsIn() {
	p.Helper()
	p.open("/login")
	p.signsIn()
	p.isIn()
}

// signsIn fills in the page of the login.
func (p *person) signsIn() {
	p.Helper()
	p.fills("Name", p.name)
	p.types("Password", secret)
}

// types goes to a field by Tab, types, and presses Enter.
func (p *person) types(field, text string) {
	p.Helper()
	p.fills(field, text)
	p.leaveBy(func() { p.press("\r") })
}

// fills goes to a field by Tab, and types.
func (p *person) fills(field, text string) {
	p.Helper()
	p.tabTo(field)
	p.press(text)
}

// look holds the page against axe-core, in light and dark, on a narrow screen and
// enlarged, or in one of these in turn, and keeps its pictures where they are wanted.
func (p *person) look(name string) {
	p.Helper()
	if has, err := chromedp.Run(p.tab, chromedp.Evaluate[bool](`typeof window.axe === "object"`)); err != nil || !has {
		need(chromedp.Run(p.tab, chromedp.Evaluate[bool](axeCore+"; true")))(p)
	}
	p.looks++
	for i, at := range []struct {
		scheme string
		width  int64 // 512 is a screen of 1024 at 200 %
	}{{"light", 1024}, {"dark", 320}, {"light", 512}} {
		if !*every && i != p.looks%3 {
			continue
		}
		p.paint(at.scheme, at.width)
		p.axe(name, at.scheme, at.width)
	}
	if *pictures != "" {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int64{390, 1280} {
				p.paint(scheme, width)
				p.picture(filepath.Join(*pictures, fmt.Sprintf("%s-%d-%s.png", name, width, scheme)))
			}
		}
		p.print(name + ".pdf")
	}
	p.paint("light", 1024)
}

// paint sets the colours that the person prefers, and the width of their screen.
func (p *person) paint(scheme string, width int64) {
	p.Helper()
	need(chromedp.Call(p.tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}}))(p)
	p.do(chromedp.EmulateViewport(width, 900))
}

// size is paint of a screen that is so high, and keeps a picture of what is in view.
func (p *person) size(scheme string, width, height int64) {
	p.Helper()
	p.paint(scheme, width)
	p.do(chromedp.EmulateViewport(width, height))
	if *pictures == "" {
		return
	}
	png := need(chromedp.Run(p.tab, chromedp.CaptureScreenshot()))(p)
	fine(p, os.WriteFile(filepath.Join(*pictures, fmt.Sprintf("%s-in-view-%d-%s.png", p.T.Name(), width, scheme)), png, 0o600))
}

// picture keeps the whole page in a file.
func (p *person) picture(file string) {
	p.Helper()
	png := need(chromedp.Run(p.tab, chromedp.FullScreenshot(100)))(p)
	fine(p, os.WriteFile(file, png, 0o600))
}

// print keeps the page as it prints on A4 in the folder of -pictures.
func (p *person) print(name string) {
	p.Helper()
	printed := need(chromedp.Call(p.tab, page.PrintToPDF, page.PrintToPDFParams{PaperWidth: 8.27, PaperHeight: 11.69}))(p)
	fine(p, os.WriteFile(filepath.Join(*pictures, name), printed.Data, 0o600))
}

// axe lists what axe-core finds on the page, and what does not fit its width.
func (p *person) axe(name, scheme string, width int64) {
	p.Helper()
	// At its end a page shows all of its targets: the bar that stays in view is below them.
	ask[bool](p, `(scrollTo({top: document.body.scrollHeight, behavior: "instant"}), true)`)
	found := ask[[]string](p, `axe.run(document, {runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then(r =>
		r.violations.map(v => v.id + ": " + v.help + " " + v.nodes.slice(0, 3).map(n => n.html.slice(0, 160)).join(" | ")))`)
	for _, f := range found {
		p.Errorf("%s (%s, %d pixels): %s", name, scheme, width, f)
	}
	if wide := ask[int64](p, `document.documentElement.scrollWidth`); wide > width {
		p.Errorf("%s (%s) is %d pixels wide on a screen of %d", name, scheme, wide, width)
	}
}
