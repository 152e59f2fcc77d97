//go:build unix

package browsertest

import (
	"sync"
	"syscall"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestOpenPagesKeepUp leaves pages open while others work, out of sight and in it, and
// while the desk is started again.
func TestOpenPagesKeepUp(t *testing.T) {
	h := open(t, quick)
	ravi, asha := h.staff()
	streams := asha.streams()
	asha.open("/sheets")
	h.until(func() bool { return streams() == 1 })

	// out of sight a page follows nothing; in sight again it is up to date
	asha.hidden(true)
	h.until(func() bool { return streams() == 0 })
	ravi.brings(h.sheet("vendors.csv", "VEN", 3))
	ravi.enter("Load 3 payouts")
	sheet := ask[string](ravi, "location.pathname")
	asha.doesNotSee("vendors.csv")
	asha.hidden(false)
	asha.sees("vendors.csv")
	h.until(func() bool { return streams() == 1 })

	// what was decided in one window is not decided in another that shows what was before
	other := asha.another()
	for _, window := range []*person{asha, other} {
		window.open(sheet)
		window.tabTo("Initiate 1 batch")
	}
	asha.leaveBy(func() { asha.press("\r") })
	asha.sees("Held for OTP")
	other.sees("Something changed since this page was opened")
	other.leaveBy(func() { other.press("\r") })
	other.sees("Not done", "This is no longer what the page showed you. Nothing was done.", "Look at it as it is now, and decide again.")
	other.look("overtaken")
	other.leaveBy(func() { other.press("\r") }) // the one key
	other.until(`location.pathname === "`+sheet+`"`, "is the sheet")
	other.sees("Held for OTP")
	if n := len(h.bank.State().Batches); n != 1 {
		t.Errorf("the bank has %d batches of one sheet", n)
	}

	// a sheet that was chosen, and not sent, is not taken out of anybody's hand
	ravi.open("/")
	ravi.do(chromedp.SetUploadFiles(chromedp.CSS("#sheet"), []string{h.sheet("bonus.csv", "BON", 2)}))
	ravi.tabTo("Check it")
	h.payrun(good, "load", h.sheet("more.csv", "MORE", 1))
	ravi.sees("Something changed since this page was opened")
	ravi.leaveBy(func() { ravi.press("\r") })
	ravi.sees("Sheet bonus.csv")

	// a desk that is started again knows no one: each page that is open says so
	asha.open("/sheets")
	other.open(sheet + "#review") // with a form
	h.end(h.desk, syscall.SIGKILL)
	h.start()
	for _, window := range []*person{asha, other} {
		window.isOut()
		window.doesNotSee("vendors.csv")
	}
	asha.signsIn()
	asha.until(`location.pathname === "/sheets"`, "is where they were")
	asha.sees("vendors.csv")
}

// TestHiddenPagesNotify: a page out of sight notifies its person of a new task, in a
// browser that may, and without names or amounts.
func TestHiddenPagesNotify(t *testing.T) {
	h := open(t, quick)
	_, asha := h.staff()
	// Chromium without a screen shows no notices: the constructor is the edge of what is ours
	const notification = `window.Notification = class {
		static permission = "granted";
		constructor(title, { body }) { (window.notices ??= []).push(title + ": " + body); }
	}`
	script := page.AddScriptToEvaluateOnNewDocumentParams{Source: notification}
	need(chromedp.Call(asha.tab, page.AddScriptToEvaluateOnNewDocument, script))(t)
	streams := asha.streams()
	asha.open("/account")
	asha.sees("This browser notifies you.")
	asha.doesNotSee("Allow notifications in this browser")
	asha.open("/sheets")
	asha.hidden(true)
	asha.until(`performance.getEntriesByType("resource").some((e) => new URL(e.name).pathname === "/")`, "knows the tasks of now")
	h.payrun(good, "load", h.sheet("vendors.csv", "VEN", 3))
	asha.until(`window.notices?.length === 1`, "has notified")
	if got, want := ask[string](asha, "notices[0]"), "payrun: 1 thing waits for you: Ready to send"; got != want {
		t.Errorf("the notice is %q, want %q", got, want)
	}
	h.until(func() bool { return streams() == 1 })

	// what is no longer theirs is no news
	h.payrun(good, "abandon", "--sheet", "vendors.csv", "--reason", "loaded twice")
	asha.sees("3 cancelled")
	if n := ask[int](asha, "notices.length"); n != 1 {
		t.Errorf("%d notices of one task", n)
	}
}

// streams tells how many streams of changes the tab has open.
func (p *person) streams() (open func() int) {
	p.Helper()
	var mu sync.Mutex
	of := map[network.RequestID]bool{} // false: it is over, even if one of its messages comes late
	is := func(id network.RequestID, open bool) {
		mu.Lock()
		defer mu.Unlock()
		if was, known := of[id]; was || !known {
			of[id] = open
		}
	}
	need(chromedp.Call(p.tab, network.Enable, network.EnableParams{}))(p)
	err := chromedp.Listen(p.tab, func(ev any) {
		switch e := ev.(type) {
		case *network.EventEventSourceMessageReceived:
			is(e.RequestID, true)
		case *network.EventLoadingFailed:
			is(e.RequestID, false)
		case *network.EventLoadingFinished:
			is(e.RequestID, false)
		case *page.EventFrameNavigated: // its former document has no stream now, and the browser does not report the end of each
			mu.Lock()
			for id := range of {
				of[id] = false
			}
			mu.Unlock()
		}
	})
	if err != nil {
		p.Fatal(err)
	}
	return func() (all int) {
		mu.Lock()
		defer mu.Unlock()
		for _, open := range of {
			if open {
				all++
			}
		}
		return all
	}
}

// hidden puts the window out of sight, or into it again.
func (p *person) hidden(is bool) {
	p.Helper()
	window := need(chromedp.CallBrowser(p.tab, browser.GetWindowForTarget, browser.GetWindowForTargetParams{TargetID: chromedp.FromContext(p.tab).Target.TargetID}))(p)
	bounds := &browser.Bounds{WindowState: browser.WindowStateNormal}
	if is {
		bounds.WindowState = browser.WindowStateMinimized
	}
	need(chromedp.CallBrowser(p.tab, browser.SetWindowBounds, browser.SetWindowBoundsParams{WindowID: window.WindowID, Bounds: bounds}))(p)
	for p.Context().Err() == nil && ask[bool](p, "document.hidden") != is {
	}
}
