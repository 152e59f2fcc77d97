package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"

	"payrun/ledger"
)

// anybodyWrites is the permission to write for users beyond a ledger's own group.
const anybodyWrites fs.FileMode = 0o002

// checkWriters refuses a ledger if users beyond its own group may write the ledger, SQLite's side files, the
// mark or the folder. In a folder that anyone may write, sticky or not, they can add a write-ahead log before
// the ledger has one.
func checkWriters(path string) error {
	if runtime.GOOS == "windows" {
		return nil // Windows file modes do not show who may write
	}
	for _, p := range []string{filepath.Dir(path), path, path + "-wal", path + "-shm", path + markSuffix} {
		info, err := os.Stat(p)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("open %s: %w: %w", path, ledger.ErrLedgerDamaged, err)
		}
		if info.Mode()&anybodyWrites != 0 {
			return fmt.Errorf("open %s: %w: %s has the mode %04o", path, ledger.ErrLedgerExposed, p, info.Mode().Perm())
		}
	}
	return nil
}
