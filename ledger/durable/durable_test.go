package durable

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// only fails unless a folder has one file, with this content, for its owner only.
func only(t *testing.T, path, content string) {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Fatalf("the folder has %v, %v", entries, err)
	}
	text, err := os.ReadFile(path)
	info, err2 := os.Lstat(path)
	if err = errors.Join(err, err2); err != nil || string(text) != content || info.Mode() != 0o600 {
		t.Fatalf("the file has %q, mode %v, %v", text, info.Mode(), err)
	}
}

func TestAFileIsWholeOrNotThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	stopped := errors.New("stopped")
	half := func(f *os.File) error {
		_, err := f.WriteString("half")
		return errors.Join(err, stopped)
	}
	for _, write := range []func(string, func(*os.File) error) error{New, Replace} {
		if err := write(path, half); !errors.Is(err, stopped) {
			t.Fatalf("an error of fill is %v", err)
		}
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 0 {
			t.Fatalf("left: %v, %v", left, err)
		}
	}
	if err := New(path, func(f *os.File) error {
		if !strings.HasPrefix(filepath.Base(f.Name()), ".") {
			t.Errorf("the unfinished file shows as %s", f.Name())
		}
		return From(strings.NewReader("whole"))(f)
	}); err != nil {
		t.Fatal(err)
	}
	only(t, path, "whole")
	if err := New(path, From(strings.NewReader("another"))); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second file of that name: %v", err)
	}
	if err := Replace(path, half); !errors.Is(err, stopped) {
		t.Errorf("an error of fill is %v", err)
	}
	only(t, path, "whole")
	if err := Replace(path, From(strings.NewReader("new"))); err != nil {
		t.Fatal(err)
	}
	only(t, path, "new")
}
