package app

import "testing"

func TestWhatAnEventSaysIsShownToPeople(t *testing.T) {
	const digest = "97cb31dbe54b249779dfe95c51f0fa74a3022b67e1c16bb43bd777ee4b94813b"
	for told, want := range map[string]string{
		"":                                   "",
		"14 payouts of 320257.00; attempt 1": "14 payouts of ₹3,20,257.00; attempt 1",
		"5 payouts of 97502.50; 2 rejected of 0.00": "5 payouts of ₹97,502.50; 2 rejected of ₹0.00",
		"payouts of 1.2.3, invoice of 1000000.00":   "payouts of 1.2.3, invoice of 1000000.00",
		"payload " + digest + "; looked":            "payload 97cb31dbe54b…; looked",
		"a" + digest:                                "a" + digest,
		"1 payouts of 99999999999999999999.00":      "1 payouts of 99999999999999999999.00",
		"said \x1b[31mred":                          `said \x1b[31mred`,
	} {
		if got := EventDetail(told); got != want {
			t.Errorf("%q: %q, not %q", told, got, want)
		}
	}
	if pieces := EventPieces("payload " + digest); len(pieces) != 3 || pieces[1].Full != digest {
		t.Errorf("%+v", pieces)
	}
}
