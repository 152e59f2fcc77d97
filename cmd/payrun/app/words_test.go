package app

import (
	"testing"

	"payrun/validate"
)

func TestTheBanksErrorsAreWords(t *testing.T) {
	for said, want := range map[string]string{
		`{"code":"E17","message":"account closed"}`:          "code: E17, message: account closed",
		`{"error":{"error_code":4,"x":null},"of":["a","b"]}`: "error: error code: 4, of: a, b",
		`"closed"`: "closed", "closed": "closed", "": "", `{"a":`: `{"a":`, "12 34": "12 34",
	} {
		if got := BankWords(said); got != want {
			t.Errorf("%s: %q and not %q", said, got, want)
		}
	}
}

func TestEveryColumnHasWords(t *testing.T) {
	for _, name := range validate.Columns() {
		if FieldWords(name) == name {
			t.Errorf("%s has no words", name)
		}
	}
}

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
