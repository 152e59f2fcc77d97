package ifsc

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestIFSC(t *testing.T) {
	for _, good := range []string{"HDFC0001234", "SBIN0AB12CD", "ICIC0000001"} {
		if !Valid(good) {
			t.Errorf("%s is refused", good)
		}
	}
	for code, want := range map[string]struct{ why, likely string }{
		"HDFCO001234":       {"letter O", "HDFC0001234"},
		"hdfc0001234":       {"lower-case", "HDFC0001234"},
		"hdfco001234":       {"lower-case", "HDFC0001234"},
		"HDFC 0001234":      {"spaces", "HDFC0001234"},
		"HDFC-0001234":      {"spaces", "HDFC0001234"},
		"HDFCO000123":       {"letter O", "HDFC0000123"},
		"HDFC000123":        {"and it has 10", ""},
		"HDFC00001234":      {"and it has 12", ""},
		"HDF10001234":       {"first four", ""},
		"HDFC1001234":       {"fifth character is not", ""},
		"HDFC\u04300001234": {"not plain", ""},
		"НDFC0001234":       {"not plain", ""}, // a Cyrillic Н
		"HDFC0००1234":       {"not plain", ""},
	} {
		if Valid(code) {
			t.Errorf("%q is read", code)
		}
		why, likely := Explain(code)
		if !strings.Contains(why, want.why) || likely != want.likely {
			t.Errorf("Explain(%q) = %q, %q, want %q, %q", code, why, likely, want.why, want.likely)
		}
	}
}

func TestAnIFSCOfAnotherLengthOrWithoutItsZeroIsCaught(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		code := rapid.StringMatching(`[A-Z]{4}0[A-Z0-9]{6}`).Draw(t, "ifsc")
		if !Valid(code) {
			t.Fatalf("%s is refused", code)
		}
		at := rapid.IntRange(0, len(code)-1).Draw(t, "at")
		if short := code[:at] + code[at+1:]; Valid(short) {
			t.Fatalf("%s is read", short)
		}
		if long := code[:at] + "0" + code[at:]; Valid(long) {
			t.Fatalf("%s is read", long)
		}
		if broken := code[:4] + "O" + code[5:]; Valid(broken) || likelyCode(broken) != code {
			t.Fatalf("%s is read, or is not seen to be %s", broken, code)
		}
	})
}

func TestAgeInWords(t *testing.T) {
	for age, want := range map[time.Duration]string{
		0: "today", -time.Hour: "today", 24*time.Hour - 1: "today", 24 * time.Hour: "1 day ago", 47 * time.Hour: "1 day ago", 48 * time.Hour: "2 days ago",
	} {
		if got := AgeWords(age); got != want {
			t.Errorf("%s: %q, want %q", age, got, want)
		}
	}
}
