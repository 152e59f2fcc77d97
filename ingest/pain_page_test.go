package ingest

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/pain-001.md")

const painPage = "../docs/pain-001.md"

const elementsBegin, elementsEnd = "<!-- elements:begin -->\n", "<!-- elements:end -->\n"

// saysPage is what the page says of a rule; "" where others below it say it.
func (r painRule) saysPage() string {
	switch r.use {
	case painRead:
		return "read as `" + painHeader[r.column] + "`"
	case painMust:
		return "must be " + strings.Join(strings.Fields(r.words), " or ")
	case painCount:
		return "must be the number of its payouts"
	case painSum:
		return "must be the sum of its payouts"
	case painPass:
		return "not read"
	}
	return ""
}

func TestThePageOfPain001SaysWhatTheTableSays(t *testing.T) {
	versions := map[string]map[string]painRule{}
	all := map[string]bool{}
	for _, v := range []string{painV03, painV09} {
		versions[v] = painRules(v)
		for path := range versions[v] {
			all[path] = true
		}
	}
	elements := map[string][]string{} // by what is done with them
	order := map[string]painUse{}
	for _, path := range slices.Sorted(maps.Keys(all)) {
		old, isOld := versions[painV03][path]
		now, isNow := versions[painV09][path]
		rule, only := old, ""
		switch {
		case isOld && isNow && old == now:
		case !isOld || old.saysPage() == "":
			rule, only = now, " (.09)"
		case !isNow || now.saysPage() == "":
			only = " (.03)"
		}
		if says := rule.saysPage(); says != "" {
			elements[says] = append(elements[says], strings.Replace(path, inPayout, "…", 1)+only)
			order[says] = rule.use
		}
	}
	var b strings.Builder
	b.WriteString("| what payrun does | elements |\n|---|---|\n")
	for _, says := range slices.SortedFunc(maps.Keys(elements), func(a, b string) int {
		return cmp.Or(cmp.Compare(order[a], order[b]), strings.Compare(elements[a][0], elements[b][0]))
	}) {
		fmt.Fprintf(&b, "| %s | %s |\n", says, strings.Join(elements[says], ", "))
	}
	page, err := os.ReadFile(painPage)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(page), elementsBegin)
	_, tail, ended := strings.Cut(rest, elementsEnd)
	if !found || !ended {
		t.Fatalf("%s has no table of elements", painPage)
	}
	want := head + elementsBegin + b.String() + elementsEnd + tail
	if *update {
		if err := os.WriteFile(painPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if want != string(page) {
		t.Errorf("%s is not what the table says; go test ./ingest -update writes it", painPage)
	}
}

// Every column has an element, and every element of a column is in the table.
func TestEveryColumnOfPain001IsAnElement(t *testing.T) {
	for _, v := range []string{painV03, painV09} {
		rules, read := painRules(v), map[painColumn]bool{painCurrency: true}
		for _, r := range rules {
			if r.use == painRead {
				read[r.column] = true
			}
		}
		for c := range painColumns {
			if !read[c] && !(c == painLEI && v == painV03) {
				t.Errorf("%s: nothing is read as %s", v, painHeader[c])
			}
		}
	}
}
