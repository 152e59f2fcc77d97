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

// anybodyWrites is the permission that nobody beyond a ledger's own group may have.
const anybodyWrites fs.FileMode = 0o002

// checkWriters refuses a ledger that anybody beyond its own group may write, in
// itself or in what SQLite and the mark keep beside it. In a folder that
// anybody may write, sticky or not, they can put a write-ahead log there before
// the ledger has one.
func checkWriters(path string) error {
	if runtime.GOOS == "windows" {
		return nil // its modes say nothing about who may write
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
