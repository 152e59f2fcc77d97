package folder

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// must ends a test at an error that it is not about.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes a draft of that name in the folder.
func write(t *testing.T, d *Folder, name, text string) {
	t.Helper()
	draft, err := d.Create(name)
	must(t, err)
	if _, err := draft.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

// holds compares the files of a folder, whole, with those wanted.
func holds(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil || want[e.Name()] != string(text) {
			t.Errorf("%s holds %q, %v; want %q", e.Name(), text, err, want[e.Name()])
		}
	}
	if len(entries) != len(want) {
		t.Errorf("there are %d files, want %d", len(entries), len(want))
	}
}

func TestFilesAppearTogetherInThePlaceOfEarlierOnes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	for _, text := range []string{"first", "second"} {
		d, err := Make(dir, "")
		must(t, err)
		write(t, d, "one", text)
		write(t, d, "two", text)
		if _, err := d.Unnamed(); err != nil {
			t.Fatal(err)
		}
		if text == "second" {
			for _, name := range []string{"one", "two"} {
				if b, _ := os.ReadFile(filepath.Join(dir, name)); string(b) != "first" {
					t.Errorf("%s changed before its time: %q", name, b)
				}
			}
		}
		paths, err := d.Commit([]string{"one", "two"})
		if want := []string{filepath.Join(dir, "one"), filepath.Join(dir, "two")}; err != nil || !slices.Equal(paths, want) {
			t.Fatalf("%v, %v; want %v", paths, err, want)
		}
		d.Discard()
		holds(t, dir, map[string]string{"one": text, "two": text})
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Join(dir, "one")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file: %v, %v", info.Mode(), err)
	}
}

func TestWhatIsDiscardedWasNeverThere(t *testing.T) {
	dir := t.TempDir()
	d := At(dir)
	write(t, d, "one", "x")
	write(t, d, "two", "x")
	must(t, d.Settle("two"))
	d.Discard()
	holds(t, dir, nil)
}

func TestKeepTakesNobodysName(t *testing.T) {
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "mine"), []byte("mine"), 0o600))
	d := At(dir)
	write(t, d, "draft", "new")
	must(t, d.Settle("draft"))
	temporary, err := d.Keep("draft", "mine")
	if b, _ := os.ReadFile(temporary); !errors.Is(err, fs.ErrExist) || string(b) != "new" {
		t.Fatalf("%s holds %q, %v; want fs.ErrExist, and the draft still there", temporary, b, err)
	}
	path, err := d.Keep("draft", "mine-2")
	if err != nil || path != filepath.Join(dir, "mine-2") {
		t.Fatalf("%s, %v", path, err)
	}
	d.Discard()
	holds(t, dir, map[string]string{"mine": "mine", "mine-2": "new"})
}

func TestWhatIsForgottenStaysUnderItsTemporaryName(t *testing.T) {
	d := At(t.TempDir())
	write(t, d, "draft", "kept")
	must(t, d.Settle("draft"))
	if path, err := d.Keep("draft", filepath.Join("nosuch", "name")); err == nil {
		t.Fatalf("%s, %v", path, err)
	}
	temporary := d.Forget("draft")
	if !strings.Contains(filepath.Base(temporary), temporaryPrefix) {
		t.Errorf("%s", temporary)
	}
	d.Discard()
	if b, err := os.ReadFile(temporary); err != nil || string(b) != "kept" {
		t.Errorf("%q, %v", b, err)
	}
}

// A run that was killed leaves its drafts in a folder that no one else can read; the next one removes
// it, and not that of a run which still writes.
func TestWhatAKilledRunLeftIsRemovedByTheNext(t *testing.T) {
	base := t.TempDir()
	left := filepath.Join(base, DraftsPrefix+"1")
	must(t, errors.Join(os.Mkdir(left, 0o700), os.WriteFile(filepath.Join(left, "payouts.csv-1"), []byte("Asha"), 0o600)))
	busy, err := Make(filepath.Join(base, "2026-11-29-all"), base)
	must(t, err)
	if got := Left(base); !slices.Equal(got, []string{left}) {
		t.Errorf("left: %q", got)
	}
	write(t, busy, "one", "x")
	if info, err := os.Stat(busy.own); err != nil || info.Mode().Perm() != 0o700 || filepath.Dir(busy.own) != base {
		t.Errorf("%s: %v, %v", busy.own, info, err)
	}
	next, err := Make(filepath.Join(base, "2026-11-30-all"), base)
	must(t, err)
	write(t, next, "one", "y")
	if _, err := os.Stat(left); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what a killed run left is still there: %v", err)
	}
	if _, err := busy.Commit([]string{"one"}); err != nil {
		t.Errorf("a run next to it: %v", err)
	}
	busy.Discard()
	next.Discard() // and nothing of it was ever there
	names, err := os.ReadDir(base)
	if err != nil || len(names) != 1 || names[0].Name() != "2026-11-29-all" {
		t.Errorf("%v, %v", names, err)
	}
}

func TestCopyToGivesAllThatWasWritten(t *testing.T) {
	d := At(t.TempDir())
	defer d.Discard()
	unnamed, err := d.Unnamed()
	must(t, err)
	long := strings.Repeat("more than a buffer ", draftBuffer/10)
	if _, err := unnamed.WriteString(long); err != nil {
		t.Fatal(err)
	}
	var copied strings.Builder
	if err := unnamed.CopyTo(&copied); err != nil || copied.String() != long {
		t.Errorf("%d bytes of %d, %v", copied.Len(), len(long), err)
	}
}
