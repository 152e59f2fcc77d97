//go:build unix

package browsertest

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// fifty writes a month's salaries of 48 people, and of more.
func (h *house) fifty(name, prefix string, more ...string) string {
	h.Helper()
	text := "Reference,Beneficiary Name,Account Number,IFSC Code,Amount,Remarks\n"
	for i := range 48 {
		text += fmt.Sprintf("%s-%03d,%s %s,50100%08d,HDFC0001234,%d.50,Salary\n", prefix, i+1, strings.Fields(people[i%len(people)])[0], []string{"Rao", "Iyer", "Das"}[i/len(people)], 10020030+i*37, 18000+i*750)
	}
	return h.write(name, text+strings.Join(more, ""))
}

// TestAReviewOnOneScreen reads 50 payouts of which one goes to a changed account: that is
// said first, the decision is always in view, and a phone shows it in four screens.
func TestAReviewOnOneScreen(t *testing.T) {
	h := open(t, quick+twoPeople)
	h.payrun(good, "load", h.fifty("salaries-october.csv", "SAL-OCT"))
	h.payrun(good, "load", h.sheet("vendors.csv", "VEN", 3), "--account", "vendors")
	november := h.fifty("salaries-november.csv", "SAL-NOV", "SAL-NOV-049,Karthik Joshi,5019900006979,HDFC0001234,125120.00,Salary\n", "SAL-NOV-050,Imran Nair,5019900000500,HDFC0001234,59077.00,Salary\n")
	was, is := fmt.Sprintf("50100%08d", 10020030+7*37), "5555000005678"
	text, err := os.ReadFile(november)
	if err != nil || strings.Count(string(text), was) != 1 {
		t.Fatal("the account to change is not there once: ", err)
	}
	november = h.write("salaries-november.csv", strings.Replace(string(text), was, is, 1))
	_, asha := h.staff()
	h.payrun(good, "load", november)
	asha.open("/sheets")
	asha.enter("salaries-november.csv")
	asha.sees("1 changed account", "Compared with salaries-october.csv")
	asha.look("review")
	for _, screen := range []struct{ width, height, screens int64 }{{1280, 800, 4}, {390, 844, 4}} {
		asha.size("light", screen.width, screen.height)
		if high := ask[int64](asha, "document.documentElement.scrollHeight"); high > screen.screens*screen.height {
			t.Errorf("the review is %d pixels high on a screen of %d × %d", high, screen.width, screen.height)
		}
		for _, at := range []string{"0", "document.body.scrollHeight"} {
			if !ask[bool](asha, `(() => { scrollTo(0, `+at+`); const r = document.querySelector(".bar button.main").getBoundingClientRect(); return r.top > 0 && r.bottom <= innerHeight })()`) {
				t.Errorf("Approve is not in view at %s of %d × %d", at, screen.width, screen.height)
			}
		}
		if !ask[bool](asha, `(() => { scrollTo(0, 0); return document.querySelector("h2.changed").getBoundingClientRect().top < innerHeight })()`) {
			t.Errorf("the changed account is below the first screen of %d × %d", screen.width, screen.height)
		}
	}
}

// TestPayoutsAreFoundInABrowser looks for payouts of a month, and at one payee.
func TestPayoutsAreFoundInABrowser(t *testing.T) {
	h := open(t, quick)
	h.aMonth()
	p := h.admin()
	p.open("/payouts")
	p.look("find")
	p.types("Find", "asha verma")
	p.sees("payouts ·")
	p.size("light", 1280, 900)
	p.size("dark", 390, 844)
}
