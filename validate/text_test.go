package validate

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTrimDropsSpacesOfEveryKind(t *testing.T) {
	for text, want := range map[string]string{
		" a ":                     "a",
		"\u00a0a\u00a0":           "a",
		"\u2003\u3000a b\u2009\t": "a b",
		"\r\na\n":                 "a",
		"\u200ba":                 "\u200ba", // a zero-width space is none
		"":                        "",
		"   ":                     "",
	} {
		if got := trim(text); got != want {
			t.Errorf("trim(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestNamesKeepTheirScript(t *testing.T) {
	for _, name := range []string{
		"Asha Traders", "M/s. O'Brien & Sons (P) Ltd.", "=HYPERLINK(\"x\")", "@SUM(A1)",
		"आशा ट्रेडर्स", "க்ஷேத்ரம்", "শ্রী", "José Ñandú", "王小明", "عائشة",
		"क्\u200dष",         // Devanagari with ZWJ
		"नि\u200cर्",        // with ZWNJ
		"ന\u0d4d\u200d",     // a Malayalam chillu ends in ZWJ
		"می\u200cخواهم",     // Persian
		"Asha\u00a0Traders", // an NBSP inside is kept
		"Zoë\u0308",         // combining mark
	} {
		text, breaks, bad := freeText(name)
		if text != name || breaks || bad != 0 {
			t.Errorf("freeText(%q) = %q, %v, %U", name, text, breaks, bad)
		}
	}
}

func TestNamesWithWhatDoesNotShowAreRefused(t *testing.T) {
	for name, want := range map[string]rune{
		"Asha\tTraders":     '\t',
		"Asha\x1b[31m":      0x1b,
		"Asha\x00":          0,
		"Asha\x7f":          0x7f,
		"Asha\u202eTraders": 0x202e, // right-to-left override
		"Asha\u200fTraders": 0x200f,
		"Asha\u2066Traders": 0x2066,
		"Asha\u200bTraders": 0x200b,
		"\ufeffAsha":        0xfeff,
		"As\u00adha":        0xad,
		"Asha\u200dTraders": 0x200d, // ZWJ after a Latin letter says nothing
		"\u200dआशा":         0x200d, // nor does it before the first letter
		"Asha\ufe0f":        0xfe0f,
		"Asha\u3164":        0x3164, // Hangul filler
		"Asha\ufffdTraders": 0xfffd, // a character was lost
		"Asha\ue000":        0xe000,
		"Asha\U000e0041":    0xe0041, // tag characters
	} {
		if _, _, bad := freeText(name); bad != want || isVisible(bad) {
			t.Errorf("freeText(%q) refuses %U, want %U", name, bad, want)
		}
	}
}

func TestALineBreakBecomesOneSpace(t *testing.T) {
	for text, want := range map[string]string{
		"Asha\nTraders":     "Asha Traders",
		"Asha\r\nTraders":   "Asha Traders",
		"Asha\n\n\nTraders": "Asha Traders",
		"Asha\u2028Traders": "Asha Traders",
	} {
		if got, breaks, bad := freeText(text); got != want || !breaks || bad != 0 {
			t.Errorf("freeText(%q) = %q, %v, %U, want %q", text, got, breaks, bad, want)
		}
	}
}

func TestReferencesThatAreRead(t *testing.T) {
	for _, ref := range []string{
		"INV-17", "1", "A/B_C.D#E&F", "Nov 2026 (2)", "चालान-१७", "№ 5", "請求書-5", "é", strings.Repeat("x", 60), strings.Repeat("क", 60),
	} {
		if code, bad := referenceFault(ref); code != "" {
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
		if code, _ := referenceFault(ref); code != want {
			t.Errorf("reference %q: %q, want %q", ref, code, want)
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
		if bytes := string(appendRefKey(nil, ref)); bytes != key {
			t.Fatalf("appendRefKey(%q) = %q, RefKey gives %q", ref, bytes, key)
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
