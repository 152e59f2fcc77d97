package validate

import (
	"strings"
	"testing"

	"payrun/ledger"

	"pgregory.net/rapid"
)

// validLEI makes an LEI of 18 characters by ISO 7064 mod 97-10.
func validLEI(t *rapid.T) string {
	base := rapid.StringMatching(`[0-9A-Z]{18}`).Draw(t, "entity")
	for check := range 100 {
		if lei := base + string(rune('0'+check/10)) + string(rune('0'+check%10)); check >= 2 && ledger.ValidLEI(lei) {
			return lei
		}
	}
	t.Fatal("no check digits fit")
	return ""
}

// The check digits surely catch one digit or one letter for another, and a
// letter for a digit nearly always.
func TestOneWrongCharacterInAnLEIIsCaught(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lei := []byte(validLEI(t))
		at := rapid.IntRange(0, 19).Draw(t, "at")
		alphabet := "0123456789"
		if !isDigit(lei[at]) {
			alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
		}
		other := alphabet[rapid.IntRange(0, len(alphabet)-1).Draw(t, "other")]
		if other == lei[at] {
			return
		}
		lei[at] = other
		if ledger.ValidLEI(string(lei)) {
			t.Fatalf("%s is read", lei)
		}
		if explainLEI(string(lei)) == "" {
			t.Fatal("and nobody says why")
		}
	})
}

func TestWhatIsWrongWithAnLEI(t *testing.T) {
	for lei, want := range map[string]string{
		goodLEI[:19]:               "and it has 19",
		goodLEI + "0":              "and it has 21",
		strings.ToLower(goodLEI):   goodLEI + " in capitals",
		"5493 001K JTII GC8Y 1R12": goodLEI,
		"5493001KJTIIGC8Y1R21":     "check digits",
		"5493001KJTIIGC8Y1R1A":     "check digits",
		"5493001KJTIIGC8Y1R1_":     "characters other than",
	} {
		if why := explainLEI(lei); ledger.ValidLEI(lei) || !strings.Contains(why, want) {
			t.Errorf("explainLEI(%q) = %q, want %q in it", lei, why, want)
		}
	}
}

func TestAccountNumbers(t *testing.T) {
	for number, want := range map[string]string{
		"12345":                  "",
		"00012345678":            "",
		"GB29NWBK60161331926819": "",
		strings.Repeat("9", 34):  "",
		"":                       codeAccountMissing,
		"1234":                   codeAccountMalformed,
		strings.Repeat("9", 35):  codeAccountMalformed,
		"5020 0012 3456":         codeAccountMalformed,
		"5020-00123456":          codeAccountMalformed,
		"'50200012345678":        codeAccountMalformed,
		"50200012345678.0":       codeAccountMalformed,
		"1.23457E+11":            codeAccountScientific,
		"1.23457e+11":            codeAccountScientific,
		"5E+13":                  codeAccountScientific,
		"१२३४५६":                 codeAccountDigits,
		"１２３４５６":                 codeAccountDigits,
		"12345\u200b6":           codeAccountMalformed,
		"12345é":                 codeAccountMalformed,
	} {
		if got, _ := accountFault(number); got != want {
			t.Errorf("accountFault(%q) = %q, want %q", number, got, want)
		}
	}
}

func TestUUIDForm(t *testing.T) {
	for id, want := range map[string]bool{
		goodUUID:                               true,
		strings.ToUpper(goodUUID):              true,
		goodUUID[1:]:                           false,
		goodUUID + "0":                         false,
		strings.ReplaceAll(goodUUID, "-", "0"): false,
		"g" + goodUUID[1:]:                     false,
		strings.ReplaceAll(goodUUID, "-", ""):  false,
	} {
		if got := uuid.MatchString(id); got != want {
			t.Errorf("uuid.MatchString(%q) = %v", id, got)
		}
	}
}
