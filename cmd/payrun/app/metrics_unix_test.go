//go:build unix

package app

import (
	"path/filepath"
	"syscall"
	"testing"

	"payrun/cmd/payrun/config"
)

// A user who may write to the ledger's folder cannot block a night with a FIFO.
func TestANightFileThatIsNoFileIsNotRead(t *testing.T) {
	a := New(config.Settings{LedgerPath: filepath.Join(t.TempDir(), "payrun.db")}, Env{})
	must(t, syscall.Mkfifo(a.nightPath(), 0o600))
	if n := a.lastNight(); n != (lastNight{}) {
		t.Errorf("%+v", n)
	}
}
