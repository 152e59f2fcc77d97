package ledger_test

import (
	"testing"

	"payrun/ledger"
)

func TestCaseAndSpacesMakeNoSecondPerson(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"asha", "asha", true}, {"asha", "Asha", true}, {"asha", " asha ", true}, {"ÅSA", "åsa", true},
		{"asha", "ravi", false}, {"asha", "asha2", false}, {"asha", "", false},
	} {
		if got := ledger.SamePerson(c.a, c.b); got != c.same {
			t.Errorf("%q and %q: one person: %t", c.a, c.b, got)
		}
	}
}
