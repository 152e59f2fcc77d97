//go:build unix

package app

import (
	"path/filepath"
	"syscall"
	"testing"

	"payrun/cmd/payrun/config"
)

// Who may write beside the ledger cannot stop a night with something that is no file.
func TestANightFileThatIsNoFileIsNotRead(t *testing.T) {
	a := New(config.Settings{LedgerPath: filepath.Join(t.TempDir(), "payrun.db")}, Env{})
	if err := syscall.Mkfifo(a.nightPath(), 0o600); err != nil {
		t.Fatal(err)
	}
	if n := a.lastNight(); n != (lastNight{}) {
		t.Errorf("%+v", n)
	}
}
