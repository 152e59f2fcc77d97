package ledger_test

import (
	"testing"

	"payrun/ledger"
)

func TestRailsHaveTheirLimits(t *testing.T) {
	for name, want := range map[string][2]ledger.Paise{"neft": {0, 0}, "rtgs": {2_00_000_00, 0}, "imps": {0, 5_00_000_00}} {
		if least, most := ledger.RailNamed(name).Limits(); least != want[0] || most != want[1] {
			t.Errorf("%s: from %s to %s", name, least, most)
		}
	}
	for _, name := range []string{"", "NEFT", "upi"} {
		if rail := ledger.RailNamed(name); rail != "" {
			t.Errorf("%q is %s", name, rail)
		}
	}
}
