package desk

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"
	"text/tabwriter"

	"payrun/ledger"
)

var update = flag.Bool("update", false, "write testdata/routes.txt again")

// R1: who may use which route, as each is answered to each of them: a new route is
// in testdata/routes.txt, and no one gets one by chance.
func TestWhoMayUseWhichRoute(t *testing.T) {
	if !*whole && !*update {
		t.Skip("runs with -all: six people at each route")
	}
	h := build(t, "INV/1")
	people := []*browser{h.browser()}
	boss := h.admin()
	for _, role := range ledger.Roles[:4] {
		people = append(people, h.invite("p-"+string(role), string(role)))
	}
	people = append(people, boss)
	var text bytes.Buffer
	table := tabwriter.NewWriter(&text, 0, 0, 2, ' ', 0)
	fmt.Fprint(table, "\tnobody\tview\tload\tapprove\tpay\tadmin\n")
	for _, last := range []bool{false, true} { // what ends a login
		for _, rt := range routes {
			if last == (rt.path == "/logout") {
				answersOf(table, rt, people)
			}
		}
	}
	fine(t, table.Flush())
	const golden = "testdata/routes.txt"
	got := regexp.MustCompile(` +\n`).ReplaceAllString(text.String(), "\n")
	if *update {
		fine(t, os.WriteFile(golden, []byte(got), 0o600))
	}
	want, err := os.ReadFile(golden)
	if err != nil || got != string(want) {
		t.Errorf("who may use what is not what %s says (go test ./cmd/payrun/desk -run WhoMayUseWhichRoute -update): %v\n%s", golden, err, got)
	}
}

// answersOf writes a line of what a route answers to each of the people.
func answersOf(table *tabwriter.Writer, rt route, people []*browser) {
	path := regexp.MustCompile(`\{[^}]*\}`).ReplaceAllStringFunc(rt.path, func(name string) string {
		return map[string]string{"{$}": "", "{file}": "desk.css"}[name] + map[bool]string{true: "nosuch"}[name != "{$}" && name != "{file}"]
	})
	fmt.Fprintf(table, "%s %s", rt.method, rt.path)
	for i, b := range people {
		form := url.Values{}
		if b.cookie != nil {
			form.Set("form", b.form())
		}
		r := sent(path, urlencoded, strings.NewReader(form.Encode()))
		r.Method = rt.method
		ctx, end := context.WithCancel(b.Context())
		if rt.path == "/live" { // which would not end
			end()
		}
		p := b.doIn(ctx, r)
		end()
		refused := p.StatusCode == 403 && strings.Contains(p.body, "This needs the role") || i == 0 && p.StatusCode == 401 && strings.Contains(p.body, "Log in first")
		fmt.Fprintf(table, "\t%s", map[bool]string{true: "-", false: "yes"}[refused])
	}
	fmt.Fprint(table, "\n")
}

func TestEveryPageCanBeMade(t *testing.T) {
	for name, page := range build(t).pages {
		if page().Lookup("body") == nil {
			t.Errorf("the page %s has nothing of its own", name)
		}
	}
}
