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

// checkFile checks the file of a ledger without opening it. Under a second name the ledger would have another
// lock, write-ahead log and mark, and two runs would not see each other. So it must have one name, and no link
// may lead to it.
func checkFile(path string) (os.FileInfo, error) {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("open %s: %w", path, ledger.ErrNoLedger)
	case err != nil:
		return nil, fmt.Errorf("open %s: %w: %w", path, ledger.ErrLedgerDamaged, err)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("open %s: %w: not a regular file (%s)", path, ledger.ErrUnsafe, info.Mode().Type())
	case linksTo(info) > 1:
		return nil, fmt.Errorf("open %s: %w: the file has %d names (hard links; a .%s.new-… left by an init or a backup that was killed is one)", path, ledger.ErrUnsafe, linksTo(info), filepath.Base(path))
	}
	return info, nil
}

// stillThere compares the name with the file that was opened, before each intent: another file with another
// lock may have the name by now.
func (s *Store) stillThere() error {
	now, err := checkFile(s.path)
	if err != nil {
		return err
	}
	if s.file != nil && !os.SameFile(now, s.file) {
		return fmt.Errorf("%w: another file took the place of %s since it was opened", ledger.ErrUnsafe, s.path)
	}
	return nil
}

// NetworkFileSystem names the network file system of a ledger at path, or returns "" (none, or unknown). On such a
// file system neither locks nor the shared memory of a write-ahead log work between machines.
func NetworkFileSystem(path string) string {
	return networkFileSystems[fileSystemOf(filepath.Dir(path))]
}

// networkFileSystems maps the magic number of statfs(2), linux/magic.h, to a name. FUSE counts, because the
// file system below it is not known.
var networkFileSystems = map[uint32]string{
	0x6969:     "NFS",
	0x517b:     "SMB",
	0xff534d42: "CIFS",
	0xfe534d42: "SMB",
	0x01021997: "9p",
	0x65735546: "FUSE",
	0x5346414f: "AFS",
	0x6b414653: "AFS",
	0x73757245: "Coda",
	0x00c36400: "Ceph",
	0x0bd00bd0: "Lustre",
	0x47504653: "GPFS",
	0x786f4256: "a shared folder of VirtualBox",
}

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
