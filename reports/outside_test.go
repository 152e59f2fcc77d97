package reports_test

import (
	"strings"
	"testing"

	"payrun/reports"
)

func TestInert(t *testing.T) {
	for s, want := range map[string]string{
		"":                     "",
		"Asha Traders":         "Asha Traders",
		"=1+1":                 "'=1+1",
		" @SUM(A1)":            "' @SUM(A1)",
		"a;b":                  "a;b",
		"a-b; c+d=e":           "a-b; c+d=e",
		";=1+1":                ";'=1+1",
		"x;=1+1;-2":            "x;'=1+1;'-2",
		"x; =HYPERLINK(\"u\")": "x;' =HYPERLINK(\"u\")",
		"x;＝1":                 "x;'＝1",
		"x;\"=1+1\"":           "x;'\"=1+1\"",
		"=1;+2":                "'=1;'+2",
	} {
		got := reports.Inert(s)
		if got != want {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
		if again := reports.Inert(got); again != got {
			t.Errorf("%q again became %q", got, again)
		}
		for part := range strings.SplitSeq(got, ";") {
			if part = strings.TrimLeft(part, " \""); part != "" && strings.ContainsAny(part[:1], "=+-@") {
				t.Errorf("%q: a program set to semicolons takes %q for a formula", got, part)
			}
		}
	}
}
