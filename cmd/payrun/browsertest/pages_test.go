//go:build unix

package browsertest

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
)

// TestEveryPageIsForEverybody opens each page in each of its states.
func TestEveryPageIsForEverybody(t *testing.T) {
	h := open(t, quick)
	admin := h.person("meera")
	admin.open(h.desk.First)
	admin.look("first")
	admin.first()
	admin.look("board-empty")
	for _, path := range []string{"/sheets", "/payouts", "/attention", "/otp", "/reports", "/log", "/people", "/policy", "/proof", "/no-such-page", "/sheets/new"} { // the last is not for an admin
		admin.open(path)
		admin.look("empty-" + strings.ReplaceAll(path[1:], "/", "-"))
	}
}

// TestEveryPageOfAMonth opens the pages of a month that has a payout of every kind.
func TestEveryPageOfAMonth(t *testing.T) {
	h := open(t, quick)
	h.aMonth()
	p := h.admin()
	p.look("board")
	for _, page := range []string{"sheets", "payouts", "attention", "otp", "reports", "log"} {
		p.open("/" + page)
		p.look(page)
	}
	p.open("/log") // what is asked for of it is one row, and two on a narrow screen
	for width, rows := range map[int64]int{1600: 1, 1024: 1, 600: 2} {
		p.paint("light", width)
		if got := ask[int](p, `new Set([...document.querySelectorAll("form.filter > p")].map(e => Math.round(e.getBoundingClientRect().bottom))).size`); got != rows {
			p.Errorf("the log's form has %d rows on a screen of %d pixels, not %d", got, width, rows)
		}
	}
	p.paint("light", 1024)
	for page, way := range map[string][]string{"sheet": {"/sheets", "/sheets/"}, "batch": {"/sheets", "/sheets/", "/batches/"}, "payout": {"/payouts", "/payouts"}, "run": {"/reports", "/reports/"}} {
		p.open(way[0])
		for _, next := range way[1:] {
			p.leaveBy(func() { p.do(chromedp.Click(chromedp.CSS(`main :is(td, .what) a[href^="` + next + `"]`))) })
		}
		p.look(page)
	}
}
