package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"payrun/ledger"
)

func TestCreateRefusesWhatIsThere(t *testing.T) {
	for _, name := range []string{"payrun.db", "payrun.db-wal"} {
		path := filepath.Join(t.TempDir(), "payrun.db")
		there := filepath.Join(filepath.Dir(path), name)
		must(t, os.WriteFile(there, []byte("precious"), 0o600))
		if _, err := Create(t.Context(), path, "asha", t0); !errors.Is(err, ledger.ErrLedgerExists) {
			t.Errorf("%s there: %v", name, err)
		}
		if got, _ := os.ReadFile(there); string(got) != "precious" {
			t.Errorf("%s is now %q", name, got)
		}
	}
}

func TestCreateLeavesOneFileForItsOwnerOnly(t *testing.T) {
	s := newStore(t)
	info, err := os.Stat(s.path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the ledger's mode: %v, %v", info.Mode(), err)
	}
	must(t, s.Close())
	var names []string
	entries, err := os.ReadDir(filepath.Dir(s.path))
	must(t, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got := strings.Join(names, " "); got != "payrun.db payrun.db.head payrun.db.lock" {
		t.Errorf("in the folder: %s", got)
	}
}

func TestCreateWithNowhereToPutIt(t *testing.T) {
	_, err := Create(t.Context(), filepath.Join(t.TempDir(), "missing", "payrun.db"), "asha", t0)
	if !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("create in a folder that is not there: %v", err)
	}
}

func TestTwoLedgersHaveTwoIdentities(t *testing.T) {
	if a, b := newStore(t).LedgerID(), newStore(t).LedgerID(); a == b || len(a) < 20 {
		t.Errorf("identities %q and %q", a, b)
	}
}

var waysToOpen = map[string]func(context.Context, string) (*Store, error){
	"for reading": Open,
	"for writing": func(ctx context.Context, path string) (*Store, error) {
		return OpenExclusive(ctx, path, ledger.Claim{})
	},
}

func TestOpenMakesNoLedger(t *testing.T) {
	for way, open := range waysToOpen {
		dir := t.TempDir()
		if _, err := open(t.Context(), filepath.Join(dir, "payrun.db")); !errors.Is(err, ledger.ErrNoLedger) {
			t.Errorf("%s: %v", way, err)
		}
		if entries, err := os.ReadDir(dir); err != nil || len(entries) != 0 {
			t.Errorf("%s made %v, %v", way, entries, err)
		}
	}
}

func TestOpenRefusesWhatCannotBeUsed(t *testing.T) {
	whole := func(t *testing.T, path string) {
		s, err := Create(t.Context(), path, "asha", t0)
		must(t, err)
		load(t, s, "nov", 500, 100)
		must(t, s.Close())
	}
	raw := func(t *testing.T, path string, statements ...string) {
		db, err := sql.Open("sqlite", path)
		must(t, err)
		defer db.Close()
		for _, q := range statements {
			if _, err := db.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
	}
	cases := map[string]func(*testing.T, string){
		"garbage": func(t *testing.T, path string) {
			write(t, path, bytes.Repeat([]byte("no database "), 1000))
		},
		"an empty file": func(t *testing.T, path string) { write(t, path, nil) },
		"a folder": func(t *testing.T, path string) {
			must(t, os.Mkdir(path, 0o700))
		},
		"a symbolic link": func(t *testing.T, path string) {
			whole(t, path+".real")
			must(t, os.Symlink(path+".real", path))
		},
		"a FIFO": func(t *testing.T, path string) {
			must(t, syscall.Mkfifo(path, 0o600))
		},
		"another program's database": func(t *testing.T, path string) { raw(t, path, `CREATE TABLE t (x)`) },
		"a ledger cut short": func(t *testing.T, path string) {
			whole(t, path)
			must(t, os.Truncate(path, 8192))
		},
		"a ledger without identity": func(t *testing.T, path string) {
			whole(t, path)
			raw(t, path, `DELETE FROM ledger`)
		},
		"a ledger in another journal mode": func(t *testing.T, path string) {
			whole(t, path)
			raw(t, path, `PRAGMA journal_mode = delete`)
		},
	}
	for name, make := range cases {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "payrun.db")
			make(t, path)
			for way, open := range waysToOpen {
				before := regularFile(t, path)
				s, err := open(t.Context(), path)
				if !bytes.Equal(before, regularFile(t, path)) {
					t.Errorf("%s: the file was changed", way)
				}
				if !errors.Is(err, ledger.ErrLedgerDamaged) {
					t.Errorf("%s: %v", way, err)
				}
				if err == nil {
					_ = s.Close()
				}
			}
		})
	}
}

// regularFile is what a file has in it, nil for a folder, a link or a FIFO.
func regularFile(t *testing.T, path string) []byte {
	t.Helper()
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return nil
	}
	content, err := os.ReadFile(path)
	must(t, err)
	return content
}

func TestAPathWithEverythingInIt(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b?c#d%20e&f=g")
	must(t, os.Mkdir(dir, 0o700))
	s, err := Create(t.Context(), filepath.Join(dir, "pay;run?mode=memory.db"), "asha", t0)
	must(t, err)
	load(t, s, "nov", 2, 2)
	s = openToRead(t, closed(t, s).path)
	if sheets, err := s.Sheets(t.Context()); err != nil || len(sheets) != 1 {
		t.Errorf("%v, %v", sheets, err)
	}
}

func TestASecondRunIsLockedOutAtOnce(t *testing.T) {
	s := newStore(t)
	if _, err := OpenExclusive(t.Context(), s.path, ledger.Claim{}); !errors.Is(err, ledger.ErrLocked) {
		t.Errorf("in the same process: %v", err)
	}
	if out := inAnotherProcess(t, "open", s.path); out != "locked" {
		t.Errorf("in another process: %s", out)
	}
	view, err := Open(t.Context(), s.path)
	if err != nil {
		t.Fatalf("a view next to the run: %v", err)
	}
	load(t, s, "nov", 2, 2)
	if sheets, err := view.Sheets(t.Context()); err != nil || len(sheets) != 1 {
		t.Errorf("the view sees %v, %v", sheets, err)
	}
	must(t, errors.Join(view.Close(), s.Close()))
	if out := inAnotherProcess(t, "open", s.path); out != "open" {
		t.Errorf("after the run: %s", out)
	}
}

func TestAFileThatMayNotBeWrittenIsFoundAtOpen(t *testing.T) {
	dir, err := os.MkdirTemp("", "payrun-read-only")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	path := filepath.Join(dir, "payrun.db")
	s, err := Create(t.Context(), path, "asha", t0)
	must(t, err)
	must(t, s.Close())
	for file, mode := range map[string]os.FileMode{dir: 0o755, path: 0o444, path + ".lock": 0o644} {
		must(t, os.Chmod(file, mode))
		if os.Geteuid() == 0 { // then no one opens it, to whom all must be open but the ledger
			must(t, os.Chown(file, 65534, 65534))
		}
	}
	if out := inAnotherProcess(t, "open as nobody", path); out != "damaged" {
		t.Errorf("a read-only ledger: %s", out)
	}
}

func TestAnImmutableFileIsFoundAtOpen(t *testing.T) {
	s := newStore(t)
	must(t, s.Close())
	if out, err := exec.Command("chattr", "+i", s.path).CombinedOutput(); err != nil {
		t.Skipf("no file can be made immutable here: %v: %s", err, out)
	}
	t.Cleanup(func() { _ = exec.Command("chattr", "-i", s.path).Run() })
	if again, err := OpenExclusive(t.Context(), s.path, ledger.Claim{}); !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("it was opened to write: %v, %v", again, err)
	}
}

func TestALedgerThatAnybodyMayWriteIsRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		what string // next to the ledger's path; "/" for its folder
		mode os.FileMode
		want error
	}{
		{"its own file", "", 0o602, ledger.ErrLedgerExposed},
		{"its folder", "/", 0o777, ledger.ErrLedgerExposed},
		{"its folder, though sticky", "/", 0o777 | os.ModeSticky, ledger.ErrLedgerExposed},
		{"its mark", markSuffix, 0o666, ledger.ErrLedgerExposed},
		{"its write-ahead log", "-wal", 0o666, ledger.ErrLedgerExposed},
		{"a file of its group", "", 0o660, nil},
		{"a folder of its group", "/", 0o770, nil},
		{"a file that others read", "", 0o644, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "payrun.db")
			s, err := Create(t.Context(), path, "asha", t0)
			must(t, err)
			must(t, s.Close())
			target := path + c.what
			if c.what == "/" {
				target = filepath.Dir(path)
			}
			if c.what == "-wal" {
				must(t, os.WriteFile(target, nil, 0o600))
			}
			must(t, os.Chmod(target, c.mode))
			for how, opened := range map[string]func() (*Store, error){
				"to read":  func() (*Store, error) { return Open(t.Context(), path) },
				"to write": func() (*Store, error) { return OpenExclusive(t.Context(), path, ledger.Claim{}) },
			} {
				s, err := opened()
				if !errors.Is(err, c.want) {
					t.Errorf("%s: %v, want %v", how, err, c.want)
				}
				if err == nil {
					_ = s.Close()
				}
			}
		})
	}
}

// inAnotherProcess runs this test binary again and returns what it found.
func inAnotherProcess(t *testing.T, do, path string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestHelperProcess$")
	cmd.Env = append(os.Environ(), "PAYRUN_HELPER="+do, "PAYRUN_HELPER_PATH="+path)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("the other process: %v\n%s", err, out)
	}
	first, _, _ := strings.Cut(string(out), "\n")
	return first
}

// TestHelperProcess is the other process; by itself it tests nothing.
func TestHelperProcess(t *testing.T) {
	do := os.Getenv("PAYRUN_HELPER")
	if do == "" {
		t.Skip("only for the other tests")
	}
	if do == "open as nobody" && os.Geteuid() == 0 { // root may write everything
		must(t, syscall.Setuid(65534))
	}
	s, err := OpenExclusive(t.Context(), os.Getenv("PAYRUN_HELPER_PATH"), ledger.Claim{})
	switch {
	case err == nil:
		fmt.Println("open")
		_ = s.Close()
	case errors.Is(err, ledger.ErrLocked):
		fmt.Println("locked")
	case errors.Is(err, ledger.ErrLedgerDamaged):
		fmt.Println("damaged")
	default:
		fmt.Println(err)
	}
}

func TestAViewCannotWrite(t *testing.T) {
	s := newStore(t)
	id := load(t, s, "nov", 2, 2)[0].ID
	s = openToRead(t, closed(t, s).path)
	if err := s.Apply(t.Context(), ledger.Step{Actor: "asha", BatchID: id, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(1)}); err == nil {
		t.Error("a view took a step")
	}
	if _, err := s.BeginLoad(t.Context()); err == nil {
		t.Error("a view began a load")
	}
	if _, err := s.read.Exec(`UPDATE batches SET note = 'x'`); !errors.Is(damage("write", err), ledger.ErrLedgerDamaged) {
		t.Errorf("a view's connection wrote: %v", err)
	}
}

func TestEveryConnectionHasEverySetting(t *testing.T) {
	s := newStore(t)
	var conns []*sql.Conn
	for range readers {
		c, err := s.read.Conn(t.Context())
		must(t, err)
		conns = append(conns, c)
	}
	for i, c := range conns {
		for _, p := range pragmas(reading) {
			var got string
			if err := c.QueryRowContext(t.Context(), "PRAGMA "+p.name).Scan(&got); err != nil || got != p.value {
				t.Errorf("reader %d: %s = %q, %v", i, p.name, got, err)
			}
		}
		_ = c.Close()
	}
	if err := assertPragmas(t.Context(), s.write, writing); err != nil {
		t.Error(err)
	}
	if _, err := s.write.Exec(`PRAGMA synchronous = OFF`); err != nil {
		t.Fatal(err)
	}
	if err := assertPragmas(t.Context(), s.write, writing); !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("a setting that went missing: %v", err)
	}
}

func TestADiskThatIsFullRecordsNothing(t *testing.T) {
	s := newStore(t)
	first := load(t, s, "nov", 10, 10)[0]
	limit := func(pages string) {
		if _, err := s.write.Exec(`PRAGMA max_page_count = ` + pages); err != nil {
			t.Fatal(err)
		}
	}
	limit("1") // no page more than it has
	payouts := samplePayouts("dec", 5000)
	if _, err := tryLoad(s, "dec", payouts, planOf(payouts, 500)); !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("loading: %v", err)
	}
	long := strings.Repeat("a very long note ", 2000)
	step := ledger.Step{Actor: "asha", BatchID: first.ID, From: ledger.BatchPlanned, Event: ledger.Abandoned, At: at(1), Note: long}
	if err := s.Apply(t.Context(), step); !errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("a step: %v", err)
	}
	sound(t, s)
	if sheets, err := s.Sheets(t.Context()); err != nil || len(sheets) != 1 || batchOf(t, s, first.ID).State != ledger.BatchPlanned {
		t.Errorf("something was recorded: %v, %v", sheets, err)
	}
	limit("1000000")
	if _, err := tryLoad(s, "dec", payouts, planOf(payouts, 500)); err != nil {
		t.Errorf("with room again: %v", err)
	}
	apply(t, s, step)
	sound(t, s)
}

func TestErrorsKeepTheirCause(t *testing.T) {
	if err := damage("x", context.Canceled); !errors.Is(err, context.Canceled) || errors.Is(err, ledger.ErrLedgerDamaged) {
		t.Errorf("cancelled: %v", err)
	}
	if err := damage("x", nil); err != nil {
		t.Errorf("nothing wrong: %v", err)
	}
	s := newStore(t)
	if _, err := s.Batch(t.Context(), "prnone"); !errors.Is(err, ledger.ErrNotFound) {
		t.Errorf("no such batch: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Sheets(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	must(t, os.WriteFile(path, content, 0o600))
}

func TestANewLedgerHasLargePages(t *testing.T) {
	s := newStore(t)
	var size int
	if err := s.read.QueryRowContext(t.Context(), `PRAGMA page_size`).Scan(&size); err != nil || size != pageSize {
		t.Errorf("%d bytes a page, %v", size, err)
	}
}

// What SQLite makes next to a ledger of a group appears with the group's mode, at no moment
// with less: a process that is killed meanwhile leaves nothing that the others cannot write.
func TestALogOfAGroupAppearsWithItsMode(t *testing.T) {
	for mode, want := range map[os.FileMode]int{0o660: 0o006, 0o640: 0o026, 0o600: 0o077} {
		s := newStore(t)
		must(t, s.Close())
		must(t, os.Chmod(s.path, mode))
		was := syscall.Umask(0o077)
		again, err := OpenExclusive(t.Context(), s.path, ledger.Claim{})
		got := syscall.Umask(was)
		must(t, err)
		if err := again.Close(); err != nil {
			t.Error(err)
		}
		if got != want {
			t.Errorf("mode %04o: umask %04o, want %04o", mode, got, want)
		}
	}
}
