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
