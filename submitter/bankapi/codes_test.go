package bankapi

import (
	"slices"
	"strings"
	"testing"
)

// Every code is listed once, with each operation that may answer with it.
func TestTheCodesOfTheInterface(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range BankCodes() {
		if seen[c.Code] || !strings.HasPrefix(c.Code, "SVC_CB_") || len(c.Operations) == 0 {
			t.Errorf("%+v is not whole, or listed twice", c)
		}
		seen[c.Code] = true
		if want := []string{"Initiate transfer", "Submit transfer", "Get transfer status"}; c.Code == "SVC_CB_FT_001" && !slices.Equal(c.Operations, want) {
			t.Errorf("%v, want %v", c.Operations, want)
		}
	}
	for code := range meanings {
		if !seen["SVC_CB_"+code] {
			t.Errorf("%s has a meaning and is not listed", code)
		}
	}
	if len(seen) != 32 { // as interface.md counts them
		t.Errorf("%d codes", len(seen))
	}
}
