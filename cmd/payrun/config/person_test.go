package config

import (
	"strings"
	"testing"
)

func TestANameIsMadeOfWhatShows(t *testing.T) {
	for name, want := range map[string]string{
		"asha":               "asha",
		"  Asha   Rao ":      "Asha Rao",
		"ａｓｈａ":               "asha", // full width
		"Asha\u00a0Rao":      "Asha Rao",
		"a\u0301sha":         "\u00e1sha", // composed
		"आशा":                "आशा",
		"o'neil-2@desk.test": "o'neil-2@desk.test",
	} {
		if got, err := personName("--actor", name); err != nil || got != want {
			t.Errorf("%q is %q, %v; want %q", name, got, err, want)
		}
	}
	for what, name := range map[string]string{
		"zero-width space":     "root\u200b",
		"zero-width joiner":    "ro\u200dot",
		"soft hyphen":          "ro\u00adot",
		"direction override":   "\u202eroot",
		"byte order mark":      "\ufeffroot",
		"word joiner":          "root\u2060",
		"variation selector":   "root\ufe0f",
		"Hangul filler":        "root\u3164",
		"combining joiner":     "root\u034f",
		"empty braille":        "root\u2800",
		"tag":                  "root\U000e0041",
		"line break":           "root\n",
		"escape":               "root\x1b[0m",
		"control":              "root\u0085",
		"private use":          "root\ue000",
		"lost character":       "root\ufffd",
		"bytes of no encoding": "root\xff",
		"nothing":              "   ",
		"too long":             strings.Repeat("a", maxName+1),
	} {
		if got, err := personName("--actor", name); err == nil {
			t.Errorf("%s: %q was taken as %q", what, name, got)
		}
	}
}

func TestWhoActs(t *testing.T) {
	none := func(string) string { return "" }
	env := func(name string) string {
		return map[string]string{"PAYRUN_ACTOR": "meera", "USER": "ceo", "LOGNAME": "ceo"}[name]
	}
	for _, c := range []struct {
		flag      string
		getenv    func(string) string
		actor, by string
	}{
		{"asha", env, "asha", "--actor"},
		{"", env, "meera", "PAYRUN_ACTOR"},
		{"", none, SystemUser(), ""},
	} {
		actor, by, err := Sources{Actor: c.flag, Getenv: c.getenv}.named()
		if err != nil || actor != c.actor || by != c.by {
			t.Errorf("%q: %q by %q, %v; want %q by %q", c.flag, actor, by, err, c.actor, c.by)
		}
	}
}

// Whoever sets $USER is not who they say.
func TestTheSystemUserIsNotAskedOfTheEnvironment(t *testing.T) {
	t.Setenv("USER", "ceo")
	t.Setenv("LOGNAME", "ceo")
	if got := SystemUser(); got == "ceo" {
		t.Error("the name of the system user is what USER says")
	}
	const list = "root:x:0:0:root:/root:/bin/sh\nbroken\nasha:x:1001:100::/home/asha:/bin/sh\nmeera:x:100:1001::/:/bin/sh\n"
	for uid, want := range map[string]string{"0": "root", "1001": "asha", "100": "meera", "4242": "", "x": ""} {
		if got := nameIn([]byte(list), uid); got != want {
			t.Errorf("%s is %q, want %q", uid, got, want)
		}
	}
}
