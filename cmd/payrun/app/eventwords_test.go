package app

import "testing"

func TestWhatAnEventSaysIsShownToPeople(t *testing.T) {
	const digest = "97cb31dbe54b249779dfe95c51f0fa74a3022b67e1c16bb43bd777ee4b94813b"
	for detail, want := range map[string]string{
		"":                               "",
		"payload " + digest + "; looked": "payload 97cb31dbe54b…; looked",
		"a" + digest:                     "a" + digest,
		"said \x1b[31mred":               `said \x1b[31mred`,
	} {
		if got := EventDetail(detail); got != want {
			t.Errorf("%q: %q, not %q", detail, got, want)
		}
	}
	if pieces := EventPieces("payload " + digest); len(pieces) != 3 || pieces[1].Full != digest {
		t.Errorf("%+v", pieces)
	}
}
