package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"payrun/cmd/payrun/config"
)

// Locks and a write-ahead log do not hold between machines on NFS, SMB and
// their like: nothing is opened or made there that the configuration does not allow.
func TestALedgerOnANetworkFileSystemIsRefusedUnlessConfigured(t *testing.T) {
	defer func(was func(string) string) { networkFileSystem = was }(networkFileSystem)
	networkFileSystem = func(string) string { return "NFS" }
	set := config.Settings{LedgerPath: filepath.Join(t.TempDir(), "payrun.db")}
	a := New(set, Env{Now: time.Now, Getenv: func(string) string { return "" }})
	none := func(*operation) error { return nil }
	for name, do := range map[string]func(context.Context) error{
		"create": func(ctx context.Context) error { return a.createLedger(ctx, Call{Actor: "asha"}) },
		"read":   func(ctx context.Context) error { return a.read(ctx, Call{Actor: "asha"}, none) },
		"write":  func(ctx context.Context) error { return a.write(ctx, Call{Actor: "asha"}, none) },
	} {
		e, ok := errors.AsType[*Error](do(t.Context()))
		if !ok || e.Code != LedgerUnsafe {
			t.Errorf("%s: %v", name, e)
		}
	}
	set.LedgerOnNetwork = true
	a = New(set, a.env)
	must(t, a.createLedger(t.Context(), Call{Actor: "asha"}))
	if err := a.write(t.Context(), Call{Actor: "asha"}, none); err != nil {
		t.Error(err)
	}
}

// served is a ledger that no path leads to, as one on a server.
type served struct{ sqlitePlace }

func (served) name() string         { return "postgres://pay@localhost/books" }
func (served) file() (string, bool) { return "", false }

// Of a ledger that is no file, nothing is asked that only a file has: a mode, a size, a
// copy.
func TestALedgerThatIsNoFileHasNoModeNoSizeAndNoBackup(t *testing.T) {
	d := newDesk(t)
	file := d.place.(sqlitePlace)
	must(t, os.Chmod(file.path, 0o644))
	for want, p := range map[bool]place{true: file, false: served{file}} {
		d.place = p
		var heard warnings
		var m metrics
		err := d.read(t.Context(), Call{Progress: &heard}, func(o *operation) error {
			s, err := o.status(t.Context())
			m.ledger = &s
			return err
		})
		must(t, err)
		if got := strings.Contains(strings.Join(heard.all, "\n"), "may be read by others"); got != want {
			t.Errorf("%s: warned of its mode: %t: %q", p.name(), got, heard.all)
		}
		if got := strings.Contains(m.text(d.ledgerFile()).String(), "payrun_ledger_bytes"); got != want {
			t.Errorf("%s: its size is shown: %t", p.name(), got)
		}
		look := &doctor{App: d.App}
		look.theLedger(t.Context())
		names := ""
		for _, c := range look.found {
			names += c.Name + ", "
		}
		if got := strings.Contains(names, "mode") && strings.Contains(names, "disk"); got != want || !strings.Contains(names, "lock") {
			t.Errorf("%s: looked at %s", p.name(), names)
		}
		copied := filepath.Join(d.dir, "copy.db")
		_, err = d.Backup(t.Context(), Call{}, copied)
		if _, none := os.Stat(copied); (none == nil) != want || (err == nil) != want {
			t.Errorf("%s: backup: %v, %v", p.name(), err, none)
		}
		if !want {
			wantCode(t, "backup", err, Usage)
		}
		_ = os.Remove(copied)
		if err := d.writeNight(metrics{lastNight: lastNight{Ended: now}}); err != nil || d.lastNight().Good.IsZero() {
			t.Errorf("%s: the night: %v, %+v", p.name(), err, d.lastNight())
		}
		_ = os.Remove(d.nightPath())
	}
}

// warnings hears what is warned of.
type warnings struct {
	Silence
	all []string
}

func (w *warnings) Warn(text string) { w.all = append(w.all, text) }

// A ledger on a server is known by its URL, and is not looked for among the files.
func TestALedgerOnAServerIsKnownByItsURL(t *testing.T) {
	dir := t.TempDir()
	env := Env{Now: time.Now, Getenv: func(name string) string { return map[string]string{"XDG_STATE_HOME": dir}[name] }}
	app := func(set config.Settings) *App {
		set.SubMerchantID = "sm_0001"
		return New(set, env)
	}
	server := app(config.Settings{LedgerServer: "postgres://pay@localhost/books"})
	file := app(config.Settings{LedgerPath: filepath.Join(dir, "payrun.db")})
	server.remember()
	file.remember()
	if got := file.others(); len(got) != 1 || got[0] != "postgres://pay@localhost/books" {
		t.Errorf("others than the file: %q", got)
	}
	if got := server.others(); got != nil {
		t.Errorf("others than the server: %q; the file is not there", got)
	}
}

// A server that does not answer is distinguished from one that has no ledger, and init leaves
// nothing behind.
func TestAServerThatDoesNotAnswer(t *testing.T) {
	t.Chdir(t.TempDir())
	from := config.Sources{Ledger: "postgres://pay@127.0.0.1:1/books?sslmode=disable", Getenv: func(string) string { return "" }, Amount: ParseAmount, Column: ColumnOf}
	_, err := Init(t.Context(), from, Env{Now: time.Now, Getenv: from.Getenv}, true)
	wantCode(t, "init", err, LedgerUnreachable)
	set, err := config.Load(from)
	must(t, err)
	a := New(set, Env{Now: time.Now, Getenv: from.Getenv})
	none := func(*operation) error { return nil }
	wantCode(t, "read", a.read(t.Context(), Call{}, none), LedgerUnreachable)
	wantCode(t, "write", a.write(t.Context(), Call{}, none), LedgerUnreachable)
	if who, held := a.HeldBy(t.Context()); held {
		t.Errorf("%v holds it", who)
	}
	u, err := a.Uploads()
	must(t, err)
	if _, err := u.Bring("ravi", "a.csv", strings.NewReader("a\n")); err == nil {
		t.Error("a sheet was taken in")
	}
	if found, err := os.ReadDir("."); err != nil || len(found) > 0 {
		t.Errorf("there is %v, %v", found, err)
	}
}

// What a machine keeps of a ledger, such as how far it has seen it, does not depend on the role.
func TestAnotherRoleKeepsWhatTheMachineHasSeen(t *testing.T) {
	own := func(url string) string {
		return serverPlace{url: url, env: Env{Getenv: func(string) string { return "/state" }}}.own("marks")
	}
	if a, b := own("postgres://asha@db/books?sslmode=verify-full"), own("postgres://ravi@db/books?sslmode=verify-full"); a != b {
		t.Errorf("%s and %s", a, b)
	}
	if a, b := own("postgres://asha@db/books"), own("postgres://asha@db/other"); a == b {
		t.Errorf("%s for both", a)
	}
}
