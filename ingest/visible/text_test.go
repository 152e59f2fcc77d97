package visible

import "testing"

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
		if got := Trim(text); got != want {
			t.Errorf("Trim(%q) = %q, want %q", text, got, want)
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
		text, breaks, bad := FreeText(name)
		if text != name || breaks || bad != 0 {
			t.Errorf("FreeText(%q) = %q, %v, %U", name, text, breaks, bad)
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
		if _, _, bad := FreeText(name); bad != want || Is(bad) {
			t.Errorf("FreeText(%q) refuses %U, want %U", name, bad, want)
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
		if got, breaks, bad := FreeText(text); got != want || !breaks || bad != 0 {
			t.Errorf("FreeText(%q) = %q, %v, %U, want %q", text, got, breaks, bad, want)
		}
	}
}

// Every byte, at every place of the eight that are looked at together and behind them.
func TestIsASCIIKnowsEveryByte(t *testing.T) {
	for at := range 11 {
		for b := range 256 {
			s := []byte("Asha Traders"[:11])
			s[at] = byte(b)
			if got, want := IsASCII(string(s)), b >= ' ' && b < 0x7f; got != want {
				t.Errorf("byte %#x at %d: %t", b, at, got)
			}
		}
	}
}
