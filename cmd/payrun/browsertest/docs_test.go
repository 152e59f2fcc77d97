//go:build unix

package browsertest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestPicturesOfTheDocs writes the pictures that README and docs show: the home page of a payday, and
// the summary of the demo.
func TestPicturesOfTheDocs(t *testing.T) {
	if !*forDocs {
		t.Skip("-docs writes docs/pictures")
	}
	h := open(t, quick)
	asha := h.admin().invites("asha", "load", "approve", "pay")
	load := func(name, prefix string, n int) {
		asha.brings(h.sheet(name, prefix, n))
		ask[bool](asha, `(document.querySelectorAll("main input[type=checkbox]:not(:checked)").forEach(e => e.click()), true)`) // the warnings
		asha.enter(fmt.Sprintf("Load %d payouts", n))
	}
	load("salaries-november.csv", "SAL-NOV", 14)
	fine(t, h.bank.SetOutcomes(map[string]string{"SAL-NOV-003": "failed", "SAL-NOV-005": "returned"}))
	h.payrun(asks, "initiate", "--all", "--yes")
	h.enterOTPs()
	for range 8 {
		h.bank.Settle()
		h.payrun(whatever, "poll")
	}
	load("vendors-48.csv", "VEN-NOV", 6)
	h.payrun(asks, "initiate", "--all", "--yes")
	load("bonus.csv", "BON-NOV", 5)
	asha.open("/")
	asha.enter("Refresh balances")
	asha.size("light", 1280, 1080)
	asha.picture("../../../docs/pictures/desk.png")

	summary := regexp.MustCompile(`\S+/summary\.html`).FindString(h.payrun(good, "demo"))
	t.Cleanup(func() { os.RemoveAll(filepath.Dir(filepath.Dir(summary))) })
	asha.open("file://" + summary)
	asha.paint("light", 1024)
	asha.picture("../../../docs/pictures/summary.png")
}
