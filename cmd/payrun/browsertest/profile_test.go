//go:build unix

package browsertest

import (
	"bytes"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestTheBrowserKeepsNoSecret pays with a browser whose profile lies on the disk, ends it
// as people do, and looks through all that it wrote there for what was typed and given.
func TestTheBrowserKeepsNoSecret(t *testing.T) {
	h := open(t, quick)
	h.held()
	profile := t.TempDir()
	alloc, end := browserAt(t.Context(), findChromium(chromiums...), profile)
	defer end()
	tab, end := chromedp.NewContext(alloc, chromedp.WithListener(func(event any) {
		if e, ok := event.(*page.EventFrameNavigated); ok && strings.HasSuffix(e.Frame.URL, "/submit") {
			t.Error("the OTP was sent as a page, with which browsers write it into the profile")
		}
	}))
	defer end()
	asha := &person{house: h, name: "asha", tab: tab}
	asha.logsIn()
	asha.open("/otp")
	const otp = "Canary4711"
	asha.types("OTP", otp)
	asha.sees("Wrong OTP: 2 tries left")
	asha.isDone()
	h.payrun(whatever, "report")
	asha.open("/reports")
	asha.entersFirstRun()
	asha.tabTo("payouts.csv with account numbers in full")
	asha.downloads(func() { asha.press("\r") }, "*-full-payouts.csv")
	if err := chromedp.Cancel(tab); err != nil { // it writes what it keeps
		t.Fatal(err)
	}

	history, typed := false, []string{secret, url.QueryEscape(secret), otp, "5010010020030"}
	err := filepath.WalkDir(profile, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		history = history || bytes.Contains(text, []byte(h.desk.URL+"otp"))
		for _, word := range typed {
			if bytes.Contains(text, []byte(word)) || bytes.Contains(text, wide(word)) {
				t.Errorf("%s has %q", path[len(profile):], word)
			}
		}
		return err
	})
	if err != nil || !history {
		t.Errorf("the profile does not even tell which pages were opened: %v", err)
	}
}

// wide is text as browsers write it too: two bytes a letter.
func wide(text string) (b []byte) {
	for _, u := range utf16.Encode([]rune(text)) {
		b = append(b, byte(u), byte(u>>8))
	}
	return b
}
