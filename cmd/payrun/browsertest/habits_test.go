//go:build unix

package browsertest

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestWhatBrowsersDoByThemselves does at the desk what people do to any page: they go
// back, load it again, click twice, and come by a link from elsewhere.
func TestWhatBrowsersDoByThemselves(t *testing.T) {
	h := open(t, quick)
	ravi, asha := h.staff()
	rows := []string{"Reference,Beneficiary Name,Account Number,IFSC Code,Amount",
		"NOV/1,Asha Traders,501001234567,HDFC0001234,125000.00", "NOV/2,Bharat Steel,501001234568,HDFC0001234,98000.00",
		"NOV/3,Asha Traders,501001234567,HDFC0001234,125000.00"}
	ravi.brings(h.write("november.csv", strings.Join(rows, "\n")+"\n"))

	// what was ticked is ticked on that page alone: loaded again it may be about another warning
	ravi.ticks("warning")
	ravi.reload()
	if ask[bool](ravi, `[...document.querySelectorAll("main input[type=checkbox]")].some(e => e.checked)`) {
		t.Error("the browser ticked what nobody ticked on this page")
	}

	// two clicks are one decision
	ravi.ticks("warning")
	ravi.clicksTwice("form.load button")
	ravi.sees("Loaded by ravi")
	sheet := ask[string](ravi, "location.pathname")
	asha.open(sheet)
	asha.clicksTwice(`form[action$="/initiate"] button`)
	asha.sees("Held for OTP")
	asha.isDone()
	if n := len(h.bank.State().Batches); n != 1 {
		t.Errorf("the bank has %d batches of one sheet", n)
	}

	// back, and the same form sent once more, enter no OTP again
	asha.open("/otp")
	asha.types("OTP", wrong(h.otp()))
	asha.sees("Wrong OTP: 2 tries left")
	asha.isDone()
	for range 2 {
		asha.back()
		asha.reload()
		asha.until(`!!document.querySelector("main")`, "is one of the desk")
		if value := ask[string](asha, `document.querySelector("input[name=otp]")?.value ?? ""`); value != "" {
			t.Error("the field has an OTP that nobody typed there")
		}
	}
	asha.open("/otp")
	asha.sees("Wrong OTP: 2 tries left", "2 of 3 tries left")
	if n := h.bank.State().Batches[0].WrongOTPs; n != 1 {
		t.Errorf("the bank got %d OTPs", n)
	}

	// another site shows nothing of the desk in a frame, and decides nothing by a form
	elsewhere := h.elsewhere(sheet)
	asha.do(chromedp.Navigate(elsewhere))
	asha.until(`document.querySelector("iframe").contentDocument === null`, "has a frame of another site")
	asha.leaveBy(func() { asha.press("\t\t\r") }) // its button
	asha.sees("This form was not sent from a page of the desk. Nothing was done.")
	// a link from there finds no one logged in; one key more, and they are
	asha.do(chromedp.Navigate(elsewhere))
	asha.leaveBy(func() { asha.press("\t\r") })
	asha.sees("Log in")
	asha.doesNotSee("november.csv")
	asha.enter("Go on")
	asha.sees("Loaded by ravi")

	// a person who is out sees nothing by going back
	asha.open("/payouts")
	asha.sees("Bharat Steel")
	asha.logsOut()
	asha.sees("Log in")
	asha.back()
	asha.isOut()
	asha.back()
	asha.isOut()
	// nor does a page of the login keep the password that was typed there
	asha.logsIn()
	asha.back()
	if ask[bool](asha, `[...document.querySelectorAll("input[type=password]")].some(e => e.value)`) {
		t.Error("the page of the login has the password still")
	}
}

// back goes back as the button of the browser does.
func (p *person) back() {
	p.Helper()
	p.leaveBy(func() { ask[bool](p, `setTimeout(() => history.back()); true`) })
}

// reload loads the page again, and sends the form again that led to it.
func (p *person) reload() {
	p.Helper()
	p.leaveBy(func() {
		need(chromedp.Call(p.tab, page.Reload, page.ReloadParams{}))(p)
	})
}

// clicksTwice clicks twice, as people do who are used to icons.
func (p *person) clicksTwice(button string) {
	p.Helper()
	p.leaveBy(func() { p.doubleClicks(button) })
}

func (p *person) doubleClicks(button string) {
	p.Helper()
	at := ask[[]float64](p, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.scrollIntoView(); const r = e.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; })()`, button))
	p.do(chromedp.MouseClickXY(at[0], at[1]), chromedp.MouseClickXY(at[0], at[1], chromedp.ClickCount(2)))
}

// elsewhere is a page of another site: a link to a page of the desk, a form that is sent
// to it, and a frame of it.
func (h *house) elsewhere(path string) string {
	h.Helper()
	desk := strings.TrimSuffix(h.desk.URL, "/")
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!DOCTYPE html><title>elsewhere</title><a href="%[1]s%[2]s">Please approve</a>
			<form method="post" action="%[1]s/logout"><button>Win</button></form><iframe src="%[1]s%[2]s" tabindex="-1"></iframe>`, desk, path)
	}))
	h.Cleanup(site.Close)
	return strings.Replace(site.URL, "127.0.0.1", "localhost", 1) + "/"
}
