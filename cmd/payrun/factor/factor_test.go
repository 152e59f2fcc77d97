package factor

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"
)

// A code is good in its 30 seconds and the next 30, and once; none is good for a secret
// that is not there.
func TestACodeIsGoodOnceAndShortly(t *testing.T) {
	app, err := NewTOTP("sandbox", "asha")
	other, err2 := NewTOTP("sandbox", "asha")
	kept, at := app.Stored, time.Date(2025, 11, 3, 9, 30, 0, 0, time.UTC)
	secret := strings.ReplaceAll(app.Secret, " ", "")
	if err != nil || err2 != nil || len(secret) != 32 || kept == other.Stored || !strings.Contains(app.Link, "secret="+secret) {
		t.Fatalf("the secret is %q, the link %q", secret, app.Link)
	}
	code, err := totp.GenerateCode(secret, at)
	if err != nil {
		t.Fatal(err)
	}
	for after, want := range map[time.Duration]bool{-time.Second: false, 0: true, 29 * time.Second: true, 59 * time.Second: true, 60 * time.Second: false} {
		if _, is := CodeIs(kept, " "+code[:3]+" "+code[3:], at.Add(after), 0); is != want {
			t.Errorf("after %s: %t", after, is)
		}
	}
	used, _ := CodeIs(kept, code, at, 0)
	if _, is := CodeIs(kept, code, at, used); is {
		t.Error("a code was good twice")
	}
	empty, err := totp.GenerateCode("", at)
	if err != nil {
		t.Fatal(err)
	}
	for _, none := range []string{"", totpHead, passkeyHead + "{}"} {
		if _, is := CodeIs(none, empty, at, 0); is {
			t.Errorf("%q has a code", none)
		}
	}
	for _, wrong := range []string{"", "000000x", code + "0"} {
		if _, is := CodeIs(kept, wrong, at, 0); is {
			t.Errorf("%q is a code", wrong)
		}
	}
}

// What is no answer of a passkey, or one to no challenge, proves nothing.
func TestAPasskeyAnswersAChallenge(t *testing.T) {
	site := Site{"localhost", "http://localhost:8660"}
	options, c, err := NewPasskey(site, "asha", "Asha Rao", nil)
	if err != nil || !strings.Contains(options, `"name":"asha"`) || !strings.Contains(options, `"id":"localhost"`) {
		t.Fatalf("%s, %v", options, err)
	}
	for _, answer := range []string{"", "{}", `{"id":"x","type":"public-key","rawId":"eA","response":{}}`} {
		if _, err := KeepPasskey(site, "asha", "Asha Rao", c, answer); !errors.Is(err, ErrNoPasskey) {
			t.Errorf("kept %q: %v", answer, err)
		}
		if err := PasskeyIs(site, "asha", nil, c, answer); !errors.Is(err, ErrNoPasskey) {
			t.Errorf("let in by %q: %v", answer, err)
		}
		if err := PasskeyIs(site, "asha", nil, Challenge{}, answer); !errors.Is(err, ErrNoPasskey) {
			t.Errorf("let in without a challenge by %q: %v", answer, err)
		}
	}
	for _, kept := range [][]string{nil, {""}, {passkeyHead + `{"site":"other.example"}`}} {
		if _, _, err := AskPasskey(site, "asha", kept); !errors.Is(err, ErrNoPasskey) {
			t.Errorf("%q is asked for: %v", kept, err)
		}
	}
}
