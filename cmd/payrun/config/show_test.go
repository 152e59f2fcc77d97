package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestEverySettingIsShownWithWhereItCameFrom(t *testing.T) {
	text := strings.NewReplacer(`ping_url     = ""`, `ping_url     = "https://hc.example/0f2c8a55"`,
		`"50200001000003"`, `"123456789012"`, `[rails]`, "[rails]\nNEFT = \"neft\"", `[columns]`, "[columns.salary]\namount = \"Net\"").Replace(Template)
	env := map[string]string{"PAYRUN_BASE_URL": "http://127.0.0.1:1", "PAYRUN_SECRET_KEY": "hush-hush", "PAYRUN_ACCESS_KEY_FILE": "access.key"}
	from := sourcesOf(t, text, env)
	from.Ledger = "other.db"
	from.Column = func(word string) (string, bool) { return word, true }
	values, err := Show(from)
	must(t, err)
	got := map[string]Value{}
	for _, v := range values {
		got[v.Key] = v
		if strings.Contains(v.Holds+v.From, "0f2c8a55") || strings.Contains(v.Holds, "hush") || strings.Contains(v.Holds, "123456789012") {
			t.Errorf("%+v shows a secret", v)
		}
	}
	line := func(begins string) string {
		i := slices.IndexFunc(strings.Split(text, "\n"), func(l string) bool { return strings.HasPrefix(l, begins) })
		return place{line: i + 1}.in(from.Config)
	}
	for _, want := range []Value{
		{"ledger", `"other.db"`, "--ledger"},
		{"base_url", `"http://127.0.0.1:1"`, "PAYRUN_BASE_URL"},
		{"id_url", `"http://127.0.0.1:1"`, "default: base_url"},
		{"timezone", `"Asia/Kolkata"`, line("timezone")},
		{"otp.window", `"10m"`, line("window")},
		{"limits.payout_most", `"10000000000.00"`, line("payout_most")},
		{"limits.sheet_rows", "2000000", line("sheet_rows")},
		{"policy.two_person", "false", line("two_person")},
		{"nightly.bad_rows", `"reject-sheet"`, line("bad_rows")},
		{"nightly.keep", `"400d"`, line("keep")},
		{"nightly.ping_url", masked, line("ping_url")},
		{"accounts.pb1", `"a0000000-0000-4000-8000-000000000001", partner bank 1, default, account XXXXXXXX9012`, from.Config},
		{"rails.NEFT", `"neft"`, line("NEFT")},
		{"columns.salary.amount", `"Net"`, line("amount = \"Net")},
		{"credentials.access_key_file", `""`, "default"},
		{"access_key", masked, "PAYRUN_ACCESS_KEY_FILE"},
		{"secret_key", masked, "PAYRUN_SECRET_KEY"},
	} {
		v := got[want.Key]
		if cut, _, _ := strings.Cut(v.From, ", column"); v.Holds != want.Holds || cut != want.From {
			t.Errorf("%+v, want %+v", v, want)
		}
	}
	for _, key := range allKeys(reflect.TypeFor[File](), "") { // a new one is shown too
		table := slices.ContainsFunc(values, func(v Value) bool { return strings.HasPrefix(v.Key, key+".") })
		if _, shown := got[key]; !shown && !table && !strings.HasPrefix(key, "accounts.") {
			t.Errorf("%s is not shown", key)
		}
	}
}
