package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// drop puts a file into a folder, as someone did that long ago.
func drop(t testing.TB, dir, name, text string, ago time.Duration) string {
	t.Helper()
	path := filepath.Join(dir, name)
	must(t, errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(path, []byte(text), 0o600), os.Chtimes(path, now.Add(-ago), now.Add(-ago))))
	return path
}

// names lists a folder, without what payrun itself keeps in it.
func names(t testing.TB, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".payrun-") {
			all = append(all, e.Name())
		}
	}
	return all
}

func looked(t *testing.T, b inbox) (seen, []string) {
	t.Helper()
	found, err := b.list(t.Context(), now)
	must(t, err)
	var files []string
	for _, w := range found.files {
		files = append(files, filepath.Base(w.path))
	}
	return found, files
}

func TestOnlyFilesThatStoodStillAreTaken(t *testing.T) {
	dir := t.TempDir()
	for name, ago := range map[string]time.Duration{
		"second.csv": still, "first.csv": time.Hour, "arriving.csv": still - 1,
		"upload.csv.part": time.Hour, ".hidden.csv": time.Hour, "~$open.xlsx": time.Hour, "-rf.csv": 2 * time.Hour, "a\x1b[31m.csv": 3 * time.Hour,
	} {
		drop(t, dir, name, "x", ago)
	}
	archive := filepath.Join(dir, "archive")
	if err := errors.Join(os.Mkdir(archive, 0o700), os.Mkdir(filepath.Join(dir, "folder"), 0o700),
		os.Symlink("first.csv", filepath.Join(dir, "link.csv")), syscall.Mkfifo(filepath.Join(dir, "pipe.csv"), 0o600)); err != nil {
		t.Fatal(err)
	}
	found, files := looked(t, newInbox(dir, "L", archive))
	if want := []string{"a\x1b[31m.csv", "-rf.csv", "first.csv", "second.csv"}; !slices.Equal(files, want) {
		t.Errorf("files %q, want %q: the oldest first", files, want)
	}
	if want := []string{"arriving.csv"}; !slices.Equal(found.arriving, want) {
		t.Errorf("arriving %q, want %q", found.arriving, want)
	}
	if want := []string{"folder", "link.csv", "pipe.csv"}; !slices.Equal(found.odd, want) {
		t.Errorf("no plain files %q, want %q", found.odd, want)
	}
}

// A clock that was set back, or another machine's, dates a file after now.
func TestAFileFromTheFutureIsLookedAtTwice(t *testing.T) {
	for _, grows := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			dir := t.TempDir()
			path := drop(t, dir, "ahead.csv", "x", -time.Hour)
			if grows {
				go func() {
					time.Sleep(still / 2)
					if err := os.WriteFile(path, []byte("xx"), 0o600); err != nil {
						t.Error(err)
					}
				}()
			}
			found, files := looked(t, newInbox(dir, "L"))
			if taken := len(files) == 1; taken == grows || len(found.arriving) == len(files) {
				t.Errorf("grows %t: files %q, arriving %q", grows, files, found.arriving)
			}
		})
	}
}

// A person who comes second finds nothing, whatever the second ledger is.
func TestTwoRunsNeverHaveOneFile(t *testing.T) {
	dir := t.TempDir()
	drop(t, dir, "a.csv", "x", time.Hour)
	one, other := newInbox(dir, "L1"), newInbox(dir, "L2")
	first, _ := looked(t, one)
	second, _ := looked(t, other)
	_, err := one.take(first.files[0])
	must(t, err)
	if _, err := other.take(second.files[0]); !errors.Is(err, errNotTaken) {
		t.Errorf("the second run: %v", err)
	}
	if _, files := looked(t, other); len(files) > 0 {
		t.Errorf("the second run finds %q", files)
	}
}

func TestAFileThatChangedSinceItWasListedIsNotTaken(t *testing.T) {
	for name, change := range map[string]func(path string) error{
		"gone":     os.Remove,
		"written":  func(path string) error { return os.WriteFile(path, []byte("xyz"), 0o600) },
		"replaced": func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/etc/passwd", path)) },
	} {
		dir := t.TempDir()
		path := drop(t, dir, "a.csv", "x", time.Hour)
		b := newInbox(dir, "L")
		found, _ := looked(t, b)
		must(t, change(path))
		if _, err := b.take(found.files[0]); !errors.Is(err, errNotTaken) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWhatACrashLeftIsFoundAndCounted(t *testing.T) {
	dir := t.TempDir()
	drop(t, dir, "a.csv", "x", time.Hour)
	b := newInbox(dir, "L")
	for breaks := range mostBreaks + 1 {
		found, files := looked(t, b)
		if len(files) != 1 || found.files[0].breaks != breaks || found.files[0].fresh != (breaks == 0) {
			t.Fatalf("after %d: %q, %+v", breaks, files, found.files)
		}
		if breaks == mostBreaks {
			break // it is not taken again
		}
		taken, err := b.take(found.files[0])
		must(t, err)
		if breaks == 1 { // a run that ended in order, in between, does not count
			must(t, b.back(taken))
			found, _ = looked(t, b)
			_, err := b.take(found.files[0])
			must(t, err)
		}
	}
}

func TestPuttingAwayReplacesNothing(t *testing.T) {
	dir := t.TempDir()
	long := strings.Repeat("नाम", 60) + ".xlsx"
	for name, want := range map[string][]string{
		"a.csv":          {"a.csv", "a-2.csv", "a-3.csv"},
		"-rf":            {"_-rf", "_-rf-2"},
		"a\x1b[31m\xff":  {"a_[31m_", "a_[31m_-2"},
		"b.csv" + long:   nil,
		"noted.csv":      {"noted-2.csv"},
		"two.dots.v1.gz": {"two.dots.v1.gz", "two.dots.v1-2.gz"},
	} {
		archive := filepath.Join(dir, "to", strconv.Quote(harmless(name)[:1]))
		drop(t, archive, "noted.csv.reasons.txt", "of another", 0)
		for i := range max(1, len(want)) {
			text := strconv.Itoa(i)
			from := drop(t, dir, "from", text, 0)
			to, err := archiveFile(from, archive, name, reasonsEnding)
			if err != nil {
				t.Fatalf("%q: %v", name, err)
			}
			if got, err := os.ReadFile(to); err != nil || string(got) != text || want != nil && filepath.Base(to) != want[i] || !utf8.ValidString(to) {
				t.Errorf("%q is %q (%q, %v), want %q", name, filepath.Base(to), got, err, want)
			}
			if _, err := os.Lstat(from); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("%q is still where it was", name)
			}
		}
	}
}

// The archive may lie on another disk: what goes there is whole before it goes here.
func TestPuttingAwayOntoAnotherDisk(t *testing.T) {
	rename = func(from, to string) error {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: syscall.EXDEV}
	}
	defer func() { rename = os.Rename }()
	dir := t.TempDir()
	from, archive := drop(t, dir, "a.csv", "text", 0), filepath.Join(dir, "archive")
	to, err := archiveFile(from, archive, "a.csv", "")
	must(t, err)
	if got, err := os.ReadFile(to); err != nil || string(got) != "text" || len(names(t, dir)) != 1 {
		t.Errorf("%q, %v; left %q", got, err, names(t, dir))
	}

	// and where it has no room nothing is lost, and no half file stays
	from = drop(t, dir, "b.csv", "text", 0)
	rename = func(string, string) error { return syscall.ENOSPC }
	if _, err := archiveFile(from, archive, "b.csv", ""); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("a full disk: %v", err)
	}
	if got := names(t, archive); !slices.Equal(got, []string{"a.csv"}) {
		t.Errorf("the archive holds %q", got)
	}
	if _, err := os.Lstat(from); err != nil {
		t.Error(err)
	}
}

func TestAnInboxOfTenThousandFilesIsListed(t *testing.T) {
	dir, first := t.TempDir(), filepath.Join(t.TempDir(), "first")
	must(t, errors.Join(os.WriteFile(first, nil, 0o600), os.Chtimes(first, now.Add(-time.Hour), now.Add(-time.Hour))))
	for i := range 10_000 {
		must(t, os.Link(first, filepath.Join(dir, strconv.Itoa(i)+".csv")))
	}
	if _, files := looked(t, newInbox(dir, "L")); len(files) != 10_000 {
		t.Errorf("%d files", len(files))
	}
}
