//go:build unix

package browsertest

import (
	"strings"
	"syscall"
	"testing"
)

// soonOld asks for the password in each form of a decision.
const soonOld = `
[desk]
proof = "50s"
`

// TestAccountNumbersInFullByKeyboard has the payouts of a run with account numbers in
// full: by the password, on record, once, and nowhere else.
func TestAccountNumbersInFullByKeyboard(t *testing.T) {
	h := open(t, quick)
	_, asha := h.staff()
	h.payrun(good, "load", h.sheet("vendors.csv", "VEN", 3))
	h.payrun(good, "report")
	h.end(h.desk, syscall.SIGTERM)
	h.write("payrun.toml", h.read("payrun.toml")+soonOld)
	h.start()
	asha.logsIn()
	asha.open("/reports")
	asha.entersFirstRun()
	asha.sees("In these files account numbers are masked", "needed again in")
	asha.look("run-full")
	run := ask[string](asha, "location.pathname")

	asha.types("Your password", "not my password")
	asha.sees("The password is not right", "Nothing was done")
	if len(h.found("*-full-*")) > 0 {
		t.Error("a password that is not right was enough")
	}
	asha.open(run)
	asha.fills("Your password", secret)
	asha.downloads(func() { asha.doubleClicks(`form[action$="/full"] button`) }, "*-full-payouts.csv")
	full := []string{"5010010020030", "5010010020067", "5010010020104"}
	text := h.read("*-full-payouts.csv")
	for _, number := range full {
		if !strings.Contains(text, number) {
			t.Errorf("%s is not in\n%s", number, text)
		}
	}

	asha.open("/log?kind=account_numbers_given")
	asha.sees("asha", "3 payouts", "at the desk, from 127.0.0.1, password with it")
	pages := `(async () => { const all = new Map(), next = ["/"];
		while (next.length && all.size < 60) { const path = next.pop(); if (all.has(path)) continue;
			const text = await (await fetch(path)).text(); all.set(path, text);
			for (const a of new DOMParser().parseFromString(text, "text/html").querySelectorAll("a[href^='/'], iframe")) next.push(a.getAttribute("href") ?? a.getAttribute("src")); }
		return [...all].filter(([path, text]) => ["` + strings.Join(full, `", "`) + `"].some(n => text.includes(n))).map(([path]) => path).concat(all.size < 20 ? ["only " + all.size + " pages"] : []); })()`
	if found := ask[[]string](asha, pages); len(found) > 0 {
		t.Errorf("account numbers in full stand in %q", found)
	}
}
