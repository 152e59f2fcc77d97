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
