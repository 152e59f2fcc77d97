package password

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestAPasswordIsKnownAgainAndNotKept(t *testing.T) {
	k := NewKeeper()
	const secret = "a long winter evening"
	kept, err := k.Keep(t.Context(), secret)
	if err != nil || strings.Contains(kept, secret) || !strings.HasPrefix(kept, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("%q, %v", kept, err)
	}
	again, _ := k.Keep(t.Context(), secret)
	if again == kept {
		t.Error("the same is kept twice: there is no salt")
	}
	for _, c := range []struct {
		password, kept string
		is             bool
	}{
		{secret, kept, true}, {secret + " ", kept, false}, {"", kept, false}, {strings.Repeat("a", 5000), kept, false},
		{secret, "", false}, {"", "", false},
	} {
		if is, err := k.Is(t.Context(), c.password, c.kept); is != c.is || err != nil {
			t.Errorf("%.30q: %v, %v", c.password, is, err)
		}
	}
	if _, err := k.Is(t.Context(), secret, "$2a$10$something"); err == nil {
		t.Error("a hash of another kind was compared")
	}
}

func TestAPasswordHasTwelveCharacters(t *testing.T) {
	k := NewKeeper()
	for password, ok := range map[string]bool{"11 letters.": false, "12 letters..": true, "अआइईउऊऋएऐओऔ": false, "अआइईउऊऋएऐओऔक": true, strings.Repeat("x", 1024): true, strings.Repeat("x", 1025): false} {
		if _, err := k.Keep(t.Context(), password); (err == nil) != ok || !ok && !errors.Is(err, ErrShort) {
			t.Errorf("%.30q: %v", password, err)
		}
	}
}

// A person who waits behind two others can give up.
func TestTwoHashesAtATime(t *testing.T) {
	k := NewKeeper()
	k.slots <- struct{}{}
	k.slots <- struct{}{}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if is, err := k.Is(ctx, "whatever it is", ""); is || !errors.Is(err, context.Canceled) {
		t.Errorf("a third was hashed: %v, %v", is, err)
	}
}

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
