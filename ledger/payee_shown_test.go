package ledger_test

import (
	"testing"

	"payrun/ledger"
)

func TestAnAccountNumberAsABankShowsIt(t *testing.T) {
	for shown, want := range map[string]bool{
		"000200345678": true, "200345678": true, "XXXXXXXX5678": true, "xx345678": true, "0002****5678": true, "•••5678": true,
		"000200345679": false, "XXXXXXXX5679": false, "XXXXXXXXX678": false, "XXXX": false, "": false, "5678": false, "5678XXXX": false,
	} {
		if got := ledger.MayBeAccount("000200345678", shown); got != want {
			t.Errorf("%q: %v", shown, got)
		}
	}
	if ledger.MayBeAccount("", "") || ledger.MayBeAccount("", "XXXX5678") {
		t.Error("what is not known is no account")
	}
}
