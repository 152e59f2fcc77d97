package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
