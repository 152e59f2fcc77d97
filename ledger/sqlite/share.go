package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"payrun/ledger"
)

// sharing is the group that shares a ledger with its owner, and what the group may do. The files next to the
// ledger have the same sharing: a person who cannot read the mark or take the lock cannot use the ledger. The
// zero value is for the owner only.
type sharing struct {
	mode  fs.FileMode // 0 if there is no ledger yet
	group int
}

// sharingOf returns the sharing of the ledger at path.
func sharingOf(path string) sharing {
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return sharing{}
	}
	group, ok := groupOf(info)
	if !ok {
		return sharing{}
	}
	return sharing{mode: info.Mode().Perm() & 0o666, group: group}
}

// give gives an open file the ledger's group and mode. If this user may not set the group, the file is for its
// owner only, because another group would be the wrong one.
func (s sharing) give(f *os.File) error {
	info, err := f.Stat()
	if err != nil || s.mode == 0 {
		return err
	}
	mode := s.mode
	if group, _ := groupOf(info); group != s.group {
		if err := f.Chown(-1, s.group); err != nil {
			mode &= 0o600
		}
	}
	return f.Chmod(mode)
}

// lock creates the file of the run lock for everyone who may use the ledger: the kernel holds the lock, and
// they have to open the file to take it. The file appears with its final mode. An existing one of this user
// gets the ledger's present mode.
func (s sharing) lock(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|openNoFollow, 0)
	if errors.Is(err, fs.ErrNotExist) && s.mode != 0 {
		if err := s.write(path, nil, os.Link); !errors.Is(err, fs.ErrExist) { // on ErrExist another run made it
			return err
		}
		return nil
	}
	if err != nil {
		return nil // takeLock reports it
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && isOurs(info) {
		return s.give(f)
	}
	return nil
}

// write writes a file with the ledger's sharing.
func (s sharing) write(path string, content []byte, name func(temp, path string) error) error {
	return newFile(path, s, name, func(temp string) error { return os.WriteFile(temp, content, 0) })
}

// unmask lets SQLite create its files next to a shared ledger with the ledger's mode. SQLite corrects the mode
// only after it made the file, and a process killed in between would leave a log that only its owner can write.
// All other files of payrun have an explicit mode.
func (s sharing) unmask() {
	if s.mode&0o060 != 0 {
		setUmask(0o066 &^ int(s.mode))
	}
}

// log sets the group of the files that SQLite made next to the ledger; they already have the ledger's mode. It
// never opens them: closing one would drop SQLite's locks.
func (s sharing) log(path string) {
	if s.mode&0o060 == 0 {
		return
	}
	for _, p := range []string{path + "-wal", path + "-shm"} {
		info, err := os.Lstat(p)
		if err != nil || !isOurs(info) {
			continue
		}
		if group, ok := groupOf(info); ok && group != s.group {
			_ = os.Lchown(p, -1, s.group) // otherwise the next person of the group cannot open it
		}
	}
}

// mayUse refuses a ledger that this user may not use, with a clear message: SQLite's message reads like damage.
func mayUse(path string, write bool) error {
	denied := func(p, what string) error {
		if errors.Is(rights(p, write), syscall.EROFS) {
			return fmt.Errorf("open %s: %w: %w", path, ledger.ErrLedgerDamaged, &fs.PathError{Op: "write", Path: p, Err: syscall.EROFS})
		}
		return fmt.Errorf("open %s: %w: this user may not %s %s (%w)", path, ledger.ErrLedgerDamaged, what, p, fs.ErrPermission)
	}
	switch {
	case !mayAccess(path, false):
		return denied(path, "read")
	case write && !mayAccess(path, true):
		return denied(path, "write")
	case write && !mayAccess(filepath.Dir(path), true):
		return denied(filepath.Dir(path), "write to the folder")
	}
	for _, p := range []string{path + ".lock", path + markSuffix} {
		if _, err := os.Lstat(p); write && err == nil && !mayAccess(p, false) {
			return denied(p, "read")
		}
	}
	return nil
}
