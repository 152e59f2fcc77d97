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

// sharing is the group that shares a ledger with its owner, and what the group may do. The files next
// to the ledger are for the same people: a person who cannot read the mark, or take the lock, cannot
// use the ledger. The zero value is for the owner alone.
type sharing struct {
	mode  fs.FileMode // 0 where there is no ledger yet
	group int
}

// sharingOf looks whom the ledger at path is for.
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

// give gives an open file the group and mode of the ledger. Where this user may
// not give it the group, it stays with its owner alone: another group would be
// the wrong one.
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
	if info.Mode().Perm() == mode {
		return nil
	}
	return f.Chmod(mode)
}

// lock makes the file of the run lock for everybody whom the ledger is for: the
// lock is the kernel's, and they have to open the file to take it. It appears
// with its mode, and one that is this user's gets the mode that the ledger has
// by now.
func (s sharing) lock(path string) error {
	f, err := os.OpenFile(path, os.O_RDONLY|openNoFollow, 0)
	if errors.Is(err, fs.ErrNotExist) && s.mode != 0 {
		if err := s.write(path, nil, os.Link); !errors.Is(err, fs.ErrExist) { // else another run made it
			return err
		}
		return nil
	}
	if err != nil {
		return nil // said by who takes the lock
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && isOurs(info) {
		return s.give(f)
	}
	return nil
}

// write writes a file for whom the ledger is under another name, and gives it its own.
func (s sharing) write(path string, content []byte, name func(temp, path string) error) error {
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".new-*") // 0600
	if err != nil {
		return err
	}
	_, err = f.Write(content)
	if err = errors.Join(err, s.give(f), f.Sync(), f.Close()); err == nil {
		err = name(f.Name(), path)
	}
	_ = os.Remove(f.Name()) // a link to it stays, and a file that was renamed is not there
	return err
}

// unmask lets the files that SQLite makes next to a shared ledger appear with the ledger's mode.
// SQLite corrects the mode after it made the file, and a process killed in between would leave a log
// that only its owner can write. All other files of payrun have an explicit mode.
func (s sharing) unmask() {
	if s.mode&0o060 != 0 {
		setUmask(0o066 &^ int(s.mode))
	}
}

// log gives the group to the files that SQLite made next to the ledger. They have the ledger's mode
// already. They are never opened here: closing one would drop SQLite's own locks.
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

// mayUse refuses a ledger that this user may not use, in words of its own: what
// SQLite says of it reads like damage.
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
