package validate

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestReferencesThatAreRead(t *testing.T) {
	for _, ref := range []string{
		"INV-17", "1", "A/B_C.D#E&F", "Nov 2026 (2)", "चालान-१७", "№ 5", "請求書-5", "é", strings.Repeat("x", 60), strings.Repeat("क", 60),
	} {
		if code, _, bad := referenceFault(ref); code != "" {
			t.Errorf("reference %q: %s %U", ref, code, bad)
		}
	}
}

func TestReferencesThatAreRefused(t *testing.T) {
	for ref, want := range map[string]string{
		"":                      codeReferenceMissing,
		strings.Repeat("x", 61): codeReferenceTooLong,
		strings.Repeat("क", 61): codeReferenceTooLong,
		"=1":                    codeReferenceStart,
		"+1":                    codeReferenceStart,
		"-1":                    codeReferenceStart,
		"@x":                    codeReferenceStart,
		"＝1":                    codeReferenceStart, // full width: NFKC makes it =
		"INV\t1":                codeReferenceCharacters,
		"INV\n1":                codeReferenceCharacters,
		"INV\u200b1":            codeReferenceCharacters,
		"INV\u202e1":            codeReferenceCharacters,
		"INV\u00a01":            codeReferenceCharacters, // looks like the ordinary space
		"INV1\ufe0f":            codeReferenceCharacters,
		"क्\u200dष":             codeReferenceCharacters, // in a name it is spelling, here two would look alike
		"INV\x7f":               codeReferenceCharacters,
	} {
		if code, _, _ := referenceFault(ref); code != want {
			t.Errorf("reference %q: %q, want %q", ref, code, want)
		}
	}
}

func TestReferencesThatAProgramRounded(t *testing.T) {
	for ref, want := range map[string]bool{
		"6.32513E+11": true, "6E+11": true, "6.32513e11": true, "1.2E+05": true,
		"6E10": false, "INV-6.3E+11": false, "1E-05": false, "632513000000": false, "E+11": false, "": false,
	} {
		if got := looksRounded(ref); got != want {
			t.Errorf("looksRounded(%q) = %t", ref, got)
		}
	}
}

func TestStrokesThroughLetters(t *testing.T) {
	for text, want := range map[string]bool{
		"A\u0336s\u0336ha": true, "\u0335": true, "x\u0338": true, "Z\u0301\u0336": true,
		"Asha": false, "आशा": false, "Ła\u0301": false, "\u0337": false, "\u0330\u0331": false, "": false, "a\xcc": false,
	} {
		if got := hasStroke(text); got != want {
			t.Errorf("hasStroke(%+q) = %t", text, got)
		}
	}
}

func TestRefKeyMakesOneOfWhatLooksTheSame(t *testing.T) {
	for _, same := range [][]string{
		{"INV-1", "inv-1", "Inv-1", "ＩＮＶ－1", "INV-１"},
		{"café", "CAFE\u0301", "cafe\u0301"},
		{"STRASSE", "straße", "Straße"},
		{"ﬁle", "file", "FILE"},
		{"℡", "TEL", "tel"},
		{"Σ", "σ", "ς"},
	} {
		for _, ref := range same {
			if got, want := RefKey(ref), RefKey(same[0]); got != want {
				t.Errorf("RefKey(%q) = %q, want %q as of %q", ref, got, want, same[0])
			}
		}
	}
	if RefKey("INV-1") == RefKey("INV-2") || RefKey("INV 1") == RefKey("INV1") {
		t.Error("different references have one key")
	}
}

func TestRefKeyIsStableAndTheSameBothWays(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ref := rapid.String().Draw(t, "ref")
		key := RefKey(ref)
		if again := RefKey(key); again != key {
			t.Fatalf("RefKey(%q) = %q, and of that %q", ref, key, again)
		}
	})
}

// A retry's wire reference is the payout's with -R2 behind it. The store makes
// its key from the payout's key, so the two must go together.
func TestRefKeyOfARetryIsTheKeyAndItsSuffix(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ref := rapid.StringMatching(`[\p{L}\p{N}/_.#& -]{1,20}`).Draw(t, "ref")
		if got, want := RefKey(ref+"-R2"), RefKey(ref)+"-r2"; got != want {
			t.Fatalf("RefKey(%q) = %q, want %q", ref+"-R2", got, want)
		}
	})
}
