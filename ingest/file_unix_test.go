//go:build unix

package ingest_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"payrun/ingest"
)

func TestOnlyRegularFilesAreOpened(t *testing.T) {
	dir := t.TempDir()
	sheet := filepath.Join(dir, "nov.csv")
	link, pipe := filepath.Join(dir, "link.csv"), filepath.Join(dir, "pipe.csv")
	for _, err := range []error{
		os.WriteFile(sheet, []byte("ref,amount\n"), 0o600),
		os.Symlink(sheet, link),
		syscall.Mkfifo(pipe, 0o600),
	} {
		must(t, err)
	}
	for path, says := range map[string]string{dir: "folder", link: "link", pipe: "pipe", "/dev/null": "not a regular file"} {
		_, d := read(t, path, ingest.Options{})
		if d == nil || d.Code != ingest.CodeNotRegular || !strings.Contains(d.Message, says) {
			t.Errorf("%s: %v, want it to say %q", path, d, says)
		}
	}
	if _, err := ingest.Open(filepath.Join(dir, "gone.csv"), ingest.Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
}
