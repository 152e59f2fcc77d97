package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"payrun/ledger"
)

// readsAs returns how the ledger at path is read. It is frozen if this user may not write it or its folder (an
// auditor's copy, for example): SQLite then cannot create the shared memory that it needs even to read, so it
// reads the file in place. If a write-ahead log with entries is next to it, the file alone would be an older
// ledger; then the error says what to do. A log with its shared memory belongs to an active run, and the ledger
// is read normally.
func readsAs(path string) (access, error) {
	if mayAccess(path, true) && mayAccess(filepath.Dir(path), true) {
		return reading, nil
	}
	log, err := os.Lstat(path + "-wal")
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return frozen, nil
	case err != nil:
		return reading, fmt.Errorf("open %s: %w: %w", path, ledger.ErrLedgerDamaged, err)
	case log.Size() == 0:
		return frozen, nil
	}
	if _, err := os.Lstat(path + "-shm"); err == nil && mayAccess(path+"-shm", false) {
		return reading, nil
	}
	return reading, fmt.Errorf("open %s: %w", path, ledger.ErrHalfReadable)
}

// unchanged returns an error if the frozen ledger is no longer the file that was opened: if a run wrote it
// meanwhile, the data read may be of two times.
func (s *Store) unchanged() error {
	if s.reads != frozen {
		return nil
	}
	now, err := checkFile(s.path)
	if err != nil {
		return err
	}
	if now.Size() != s.file.Size() || !now.ModTime().Equal(s.file.ModTime()) {
		return fmt.Errorf("%s was written by another run while it was read; run it again", s.path)
	}
	return nil
}
