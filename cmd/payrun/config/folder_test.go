package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func TestNotOnlyOurs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("modes mean nothing here")
	}
	dir := t.TempDir()
	at := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		must(t, os.Mkdir(path, 0o700))
		must(t, os.Chmod(path, mode))
		return path
	}
	own := at("own", 0o755)
	link := filepath.Join(dir, "link")
	must(t, os.Symlink(own, link))
	for path, want := range map[string]string{
		own: "", at("private", 0o700): "", filepath.Join(dir, "nosuch"): "",
		link: "symbolic link", at("open", 0o777): "(mode 0777)",
	} {
		if got := NotOnlyOurs(path); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", filepath.Base(path), got, want)
		}
	}
	if os.Geteuid() == 0 {
		foreign := at("foreign", 0o700)
		if err := os.Chown(foreign, 12345, -1); err != nil {
			t.Skip(err)
		}
		group := at("group", 0o770)
		if err := os.Chown(group, -1, 12345); err != nil {
			t.Skip(err)
		}
		if got := NotOnlyOurs(group); !strings.Contains(got, "(mode 0770)") {
			t.Errorf("of a group: %q", got)
		}
		if got := NotOnlyOurs(foreign); !strings.Contains(got, "12345") {
			t.Errorf("of another user: %q", got)
		}
	}
}
