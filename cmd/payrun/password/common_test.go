package password

import (
	"errors"
	"testing"
)

// A password that is guessed first is refused: by the list, by what it is made of, and by
// the names of its person.
func TestWhatIsGuessedFirstIsRefused(t *testing.T) {
	if n := len(common()); n < 9_500 || n > 11_000 {
		t.Fatalf("%d passwords are known", n)
	}
	for password, want := range map[string]error{
		"1qaz2wsx3edc": ErrCommon, "q1w2e3r4t5y6": ErrCommon, "motherfucker": ErrCommon, "password1234": ErrCommon,
		"Sunshine2024!": ErrCommon, "!!!!Dragon12345": ErrCommon, "123456qwerty": ErrCommon,
		"aaaaaaaaaaaa": ErrPlain, "abcabcabcabc": ErrPlain, "winterwinter": ErrPlain, "abcdefghijkl": ErrPlain, "210987654321": ErrPlain, "112233445566": ErrCommon, "998877665544": ErrPlain,
		"asha-rao-2024": ErrNames, "payrun-payrun1": ErrNames, "menon payout 7": ErrNames, "ashaashaasha": ErrPlain,
		"a long winter evening": nil, "asha walks to the river": nil, "xK4!mmq81-zz": nil, "correct horse battery": nil, "payrun is what we use": nil, "418207395562": nil,
	} {
		if got := Guessable(password, "asha.rao", "Asha", "Rao", "Menon"); !errors.Is(got, want) || (got == nil) != (want == nil) {
			t.Errorf("%s: %v, want %v", password, got, want)
		}
	}
}
