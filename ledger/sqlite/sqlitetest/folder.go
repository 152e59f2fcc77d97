package sqlitetest

import (
	"os"
	"testing"
)

// Folder returns a folder for a test's ledger, in memory if possible: there a test does not wait for a disk,
// and no power is cut.
func Folder(t testing.TB) string {
	t.Helper()
	if info, err := os.Stat("/dev/shm"); err == nil && info.IsDir() {
		if dir, err := os.MkdirTemp("/dev/shm", "payrun-test-"); err == nil {
			t.Cleanup(func() { _ = os.RemoveAll(dir) })
			return dir
		}
	}
	return t.TempDir()
}
