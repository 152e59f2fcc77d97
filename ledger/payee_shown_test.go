package ledger_test

import (
	"testing"

	"payrun/ledger"
)

func TestAnAccountNumberAsABankShowsIt(t *testing.T) {
	for shown, want := range map[string]bool{
		"000200345678": true, "200345678": true, "XXXXXXXX5678": true, "xx345678": true, "0002****5678": true, "•••5678": true,
		"XXXX XXXX 5678": true, "0002-0034-5678": true, "####5678": true, "●●●●5678": true, "________5678": true, "0002\u00a00034\u00a05678": true,
		"000200345679": false, "XXXXXXXX5679": false, "XXXXXXXXX678": false, "XXXX": false, "": false, "5678": false, "5678XXXX": false,
	} {
		if got := ledger.MayBeAccount("000200345678", shown); got != want {
			t.Errorf("%q: %v", shown, got)
		}
	}
	if ledger.MayBeAccount("", "") || ledger.MayBeAccount("", "XXXX5678") {
		t.Error("what is not known is no account")
	}
	for _, shown := range []string{"12345678abcd", "XXXX5678ABCD", "****5678abcd", "XXXX5678AbCd"} {
		if !ledger.MayBeAccount("12345678ABCD", shown) || !ledger.MayBeAccount("12345678abcd", shown) {
			t.Errorf("%q: letters are of another case", shown)
		}
	}
}

func TestAnAccountNumberThatIsCertainlyAnother(t *testing.T) {
	for _, c := range []struct {
		number, shown string
		want          bool
	}{
		{"000200345678", "000200345678", false},
		{"000200345678", "200345678", false}, // leading zeros
		{"200345678", "000200345678", false},
		{"000200345678", "0002 0034 5678", false},
		{"0002-0034-5678", "XXXXXXXX5678", false},
		{"000200345678", "XXXX XXXX 5678", false},
		{"000200345678", "0002XXXX5678", false},
		{"000200345678", "####5678", false},
		{"000200345678", "5678", false}, // the trailing digits, and nothing for the others
		{"XXXXXXXX5678", "000200345678", false},
		{"345678", "XX00345678", false},
		{"fx00345678", "FX00345678", false},
		{"000200345678", "", false}, // not shown
		{"000200345678", "XXXXXXXXXXXX", false},
		{"000200345678", "XXXXXXXXX679", false}, // too little of it
		{"000200345678", "9", false},
		{"", "000200345678", false}, // not configured
		{"000200345678", "000200345679", true},
		{"000200345678", "XXXXXXXX5679", true},
		{"000200345678", "9000200345678", true},
		{"200345678", "9200345678", true},
		{"000200345678", "XXXXX1345678", true},
		{"XXXXXXXX5678", "000200345679", true},
		{"000200345678", "2.00345678e+08", false}, // no account number
		{"fx00345678", "XXXXX00345679", true},
		{"fx00345678", "fx00345679", true},
		{"200345678", "IN9200345678", true},
		{"000200345678", "●●●●●●●●5679", true},
		{"000200345678", "Account ending 5679", true},
		{"000200345678", "0002\u00a00034\u00a05679", true},
	} {
		if got := ledger.OtherAccount(c.number, c.shown); got != c.want {
			t.Errorf("%q shown as %q: %v", c.number, c.shown, got)
		}
	}
}

// The interface names neither the sign of a mask nor the sign for no number: of
// whatever agrees in its trailing digits, or shows none, nothing is certain.
func TestAnAccountNumberShownInAWayThatNobodyDescribes(t *testing.T) {
	for number, ways := range map[string][]string{
		"50200001000003": {
			"●●●●●●●●●●0003", "##########0003", "----------0003", "__________0003", "??????????0003", "0003XXXX", "5020XXXX0003***", "5020******",
			"XXXXXX00001000003", "(0003)", "XXXX0003 (INR)", "INR50200001000003", "A/C XXXX0003", "Account ending 0003", "50200001000003.",
			"5020 0001 0000 03", "5020\u00a00001\u00a00000\u00a003", " 0003\t",
			"NULL", "null", "None", "N/A", "HIDDEN", "masked", "Not available",
			"5.0200001000003E13", "5.0200001000003E+13", "50200001000003.0",
			"५०२००००१००००९९", // digits that no one compares
		},
		"ab50200001": {"XXXXXXB50200001", "AB50200001", "aB 5020 0001", "XXXX0001"},
		"5020000AB":  {"XXXX00AB", "5020000ab"},
	} {
		for _, shown := range ways {
			if ledger.OtherAccount(number, shown) {
				t.Errorf("%q shown as %q is certainly another", number, shown)
			}
		}
	}
}
