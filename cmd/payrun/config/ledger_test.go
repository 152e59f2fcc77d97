package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payrun/ledger"
)

// sourcesOf is a payrun.toml with this text, and an environment.
func sourcesOf(t *testing.T, text string, env map[string]string) Sources {
	t.Helper()
	path := filepath.Join(t.TempDir(), Name)
	must(t, os.WriteFile(path, []byte(text), 0o600))
	return Sources{Config: path, Getenv: func(name string) string { return env[name] }, Amount: ledger.ParsePaise}
}

// Each URL is judged the same in payrun.toml, in the environment and as a flag, and what is
// refused is shown nowhere: any part of a mistyped one may be of the password.
func TestALedgerOnAServerIsNamedSafelyOrRefused(t *testing.T) {
	const full = "?sslmode=verify-full"
	for _, c := range []struct{ url, want string }{
		{"postgres://pay@db.example/books" + full, ""},
		{"postgres://db.example:6432/books" + full + "&sslrootcert=/etc/ca.pem&sslcert=/etc/me.pem&sslkey=/etc/me.key", ""},
		{"postgres://pay@db.example/books" + full + "&target_session_attrs=read-write", ""},
		{"postgres://pay@a.example:5432,b.example:5433/books" + full + "&target_session_attrs=read-write", ""},
		{"postgres://pay@localhost/books", ""},
		{"postgres://pay@localhost/books?sslmode=disable", ""},
		{"postgres://pay@127.0.0.1:5433/books?sslmode=require", ""},
		{"postgres://pay@127.8.0.9/books", ""},
		{"postgres://pay@[::1]:5433/books", ""},
		{"postgres://pay@/books?host=/run/postgresql&port=5433", ""},
		{"postgres:///books?host=/run/postgresql", ""},
		{"postgres://pay%40tenant@db.example/books" + full, ""},

		{"mysql://pay@db.example/books" + full, serverForm},
		{"https://db.example/books" + full, serverForm},
		{"postgresql://pay@db.example/books" + full, serverForm},
		{"POSTGRES://pay@db.example/books" + full, serverForm},
		{"postgres:/pay:hush@db.example/books", serverForm},
		{"postgres:pay:hush@db.example/books", serverForm},
		{"host=db.example user=pay password=hush dbname=books", serverForm},
		{"postgres://pay@db.example:port/books" + full, serverForm},
		{"postgres://pay:hush/ush@db.example/books" + full, serverForm},
		{"postgres://pay:hu%zzsh@db.example/books" + full, serverForm},
		{"postgres://pay@db.example/books" + full + ";hush", serverForm},
		{"postgres://pay@db.example/books#hush", serverForm},
		{"postgres://pay@a.example,localhost@localhost/books", serverForm},
		{"postgres://pay@db.example" + full, serverForm},
		{"postgres://pay@db.example/" + full, serverForm},
		{"postgres://pay:1/hush@db.example/books" + full, serverForm},
		{"postgres://pay:1/books?hush@db.example/books" + full, "parameters"},
		{"postgres://pay:hush@db.example/books" + full, "a password has no place"},
		{"postgres://pay:@db.example/books" + full, "a password has no place"},
		{"postgres://pay%3Ahush@db.example/books" + full, "a password has no place"},
		{"postgres://pay:hush@db.example", "a password has no place"},
		{"postgres://pay@db.example/books" + full + "&password=hush", "a password has no place"},
		{"postgres://pay@db.example/books" + full + "&sslpassword=hush", "a password has no place"},
		{"postgres://pay@db.example/books" + full + "&passfile=hush", "parameters"},
		{"postgres://pay@db.example/books" + full + "&search_path=hush", "parameters"},
		{"postgres://pay@db.example/books" + full + "&SSLMODE=hush", "parameters"},
		{"postgres://pay@db.example/books" + full + "&sslmode=disable", "parameters"},
		{"postgres://pay@db.example/books?sslmode=", "parameters"},
		{"postgres://pay@db.example/books", "sslmode=verify-full"},
		{"postgres://pay@db.example/books?sslmode=disable", "sslmode=verify-full"},
		{"postgres://pay@db.example/books?sslmode=require", "sslmode=verify-full"},
		{"postgres://pay@db.example/books?sslmode=verify-ca", "sslmode=verify-full"},
		{"postgres://pay@localhost.example/books", "sslmode=verify-full"},
		{"postgres://pay@localhost/books?sslmode=on", "is none of"},
		{"postgres://pay@0.0.0.0/books", "sslmode=verify-full"},
		{"postgres://pay@localhost,b.example/books?target_session_attrs=read-write", "sslmode=verify-full"},
		{"postgres://pay@a.example,b.example/books" + full, "target_session_attrs=read-write"},
		{"postgres://pay@a.example,b.example/books" + full + "&target_session_attrs=any", "target_session_attrs=read-write"},
		{"postgres://pay@db.example/books" + full + "&host=other.example", "before the database"},
		{"postgres://pay@localhost/books?port=5433", "before the database"},
		{"postgres://pay@/books" + full, "before the database"},
		{"postgres://pay@/books?host=db.example", "before the database"},
		{"postgres://pay@/books?host=/run/postgresql,db.example", "before the database"},
		{"postgres://pay@/books?host=/run/postgresql&port=5433,1", "before the database"},
		{"postgres://pay@:5432/books" + full, "host or port"},
		{"postgres://pay@/books?host=/run/postgresql&port=x", "host or port"},
		{"postgres://pay@a.example,,b.example/books" + full, "host or port"},
		{"postgres://pay@a.example:1x,b.example:1/books" + full, "host or port"},
	} {
		inFile := sourcesOf(t, fmt.Sprintf("ledger = '%s'\n", c.url), nil)
		inEnv := sourcesOf(t, "", map[string]string{"PAYRUN_LEDGER": c.url})
		asURL := sourcesOf(t, "", map[string]string{"PAYRUN_LEDGER_URL": c.url})
		flag := sourcesOf(t, "", nil)
		flag.Ledger = c.url
		for where, from := range map[string]Sources{"line 1, column 1: ledger: ": inFile, "PAYRUN_LEDGER: ": inEnv, "PAYRUN_LEDGER_URL: ": asURL, "--ledger: ": flag} {
			s, err := Load(from)
			if c.want == "" {
				if err != nil || s.LedgerServer != c.url || s.LedgerPath != "" {
					t.Errorf("%s%s: %v; server %q, file %q", where, c.url, err, s.LedgerServer, s.LedgerPath)
				}
				continue
			}
			if err == nil || !strings.Contains(err.Error(), where) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%s%s: %v, want %q", where, c.url, err, c.want)
				continue
			}
			for _, part := range []string{"hush", "ush@", "db.example"} {
				if strings.Contains(err.Error(), part) {
					t.Errorf("%s%s: %v shows %s", where, c.url, err, part)
				}
			}
			if values, err := Show(from); err == nil {
				t.Errorf("%s%s is shown: %v", where, c.url, values)
			}
		}
	}
}

// A flag goes before the environment, and that before payrun.toml, whether a file or a
// server is named.
func TestAFileAndAServerTakeEachOthersPlace(t *testing.T) {
	const server = "postgres://pay@localhost/books"
	for _, c := range []struct{ flag, env, file, server, path string }{
		{"", "", server, server, ""},
		{"", "here.db", server, "", "here.db"},
		{"", server, "payrun.db", server, ""},
		{"there.db", server, "payrun.db", "", "there.db"},
		{server, "here.db", "payrun.db", server, ""},
		{"", "", "/books/payrun.db", "", "/books/payrun.db"},
	} {
		from := sourcesOf(t, fmt.Sprintf("ledger = '%s'\n", c.file), map[string]string{"PAYRUN_LEDGER": c.env})
		from.Ledger = c.flag
		s, err := Load(from)
		if err != nil || s.LedgerServer != c.server || s.LedgerPath != c.path {
			t.Errorf("%+v: %v; server %q, file %q", c, err, s.LedgerServer, s.LedgerPath)
		}
		values, err := Show(from)
		must(t, err)
		for _, v := range values {
			if v.Key == "ledger" && v.Holds != fmt.Sprintf("%q", c.server+c.path) {
				t.Errorf("%+v: shown as %s", c, v.Holds)
			}
		}
	}
	for want, env := range map[string]map[string]string{
		"each name a ledger": {"PAYRUN_LEDGER": "here.db", "PAYRUN_LEDGER_URL": server},
		serverForm:           {"PAYRUN_LEDGER_URL": "here.db"},
	} {
		if s, err := Load(sourcesOf(t, "", env)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: %v; %q, %q", env, err, s.LedgerServer, s.LedgerPath)
		}
	}
}

// The ledger that init made on a server is found by the next command, without a flag. Nothing of a URL that
// is refused is written.
func TestInitNamesTheServerInItsConfiguration(t *testing.T) {
	const server = "postgres://pay@localhost/books?sslmode=disable"
	from := Sources{Config: filepath.Join(t.TempDir(), Name), Getenv: func(string) string { return "" }, Amount: ledger.ParsePaise}
	from.Ledger = "postgres://pay:hush@localhost/books"
	if _, wrote, err := Write(from); err == nil || wrote {
		t.Errorf("a password in the URL: %t, %v", wrote, err)
	}
	if _, err := os.Stat(from.Config); !os.IsNotExist(err) {
		t.Errorf("it was written: %v", err)
	}
	from.Ledger = server
	if _, wrote, err := Write(from); err != nil || !wrote {
		t.Fatalf("%t, %v", wrote, err)
	}
	from.Ledger = ""
	if s, err := Load(from); err != nil || s.LedgerServer != server {
		t.Errorf("%v; server %q", err, s.LedgerServer)
	}
}

// The ledger that init made in a file is found too, by a configuration in this folder and in another.
func TestInitNamesTheFileInItsConfiguration(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	for _, path := range []string{Name, filepath.Join(t.TempDir(), Name)} {
		from := Sources{Config: path, Ledger: "books of \"pay\".db", Getenv: func(string) string { return "" }, Amount: ledger.ParsePaise}
		if _, wrote, err := Write(from); err != nil || !wrote {
			t.Fatalf("%t, %v", wrote, err)
		}
		from.Ledger = ""
		s, err := Load(from)
		if got, _ := filepath.Abs(s.LedgerPath); err != nil || got != filepath.Join(here, "books of \"pay\".db") {
			t.Errorf("%s: %v; %s", path, err, got)
		}
	}
}

// A ledger on a server is shared by no group of this machine.
func TestAServerSharesNoFolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "reports")
	must(t, os.Mkdir(dir, 0o700))
	t.Chdir(filepath.Dir(dir))
	s := Settings{LedgerServer: "postgres://pay@localhost/books"}
	if s.Shares(dir) || s.Share(dir, nil) != nil {
		t.Error("the folder is shared")
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

func TestDurabilityAndLeaseOfALedgerOnAServer(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "",
		"durability = \"replicated\"": "",
		"durability = \"managed\"":    "",
		"durability = \"single\"\nlease = \"3s\"": "",
		"lease = \"10m\"":                         "",
		"lease = \"2.999s\"":                      "line 2, column 1: ledger_url.lease: want 3s to 10m",
		"lease = \"10m1s\"":                       "want 3s to 10m",
		"lease = \"soon\"":                        "want a length of time",
		"durability = \"double\"":                 `"double": want replicated, managed or single`,
		"durability = \"\"":                       "want replicated, managed or single",
		"durabillity = \"single\"":                `unknown key "ledger_url.durabillity"`,
	} {
		s, err := Load(sourcesOf(t, "[ledger_url]\n"+text+"\n", nil))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
		if text == "" && (s.LedgerURL.Durability != "replicated" || s.LedgerURL.Lease.Std() != 30*time.Second) {
			t.Errorf("the defaults are %+v", s.LedgerURL)
		}
	}
}
