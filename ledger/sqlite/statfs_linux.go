package sqlite

import "syscall"

// fileSystemOf gives the magic number of the file system of a folder.
func fileSystemOf(dir string) (magic uint32, ok bool) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, false
	}
	return uint32(stat.Type), true //nolint:gosec // magic numbers have 32 bits; the type differs by system
}
