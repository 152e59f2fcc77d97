package sqlite

import "syscall"

// fileSystemOf returns the magic number of a folder's file system.
func fileSystemOf(dir string) (magic uint32, ok bool) {
	var stat syscall.Statfs_t
	if err := syscall.Statfs(dir, &stat); err != nil {
		return 0, false
	}
	return uint32(stat.Type), true //nolint:gosec // magic numbers have 32 bits; the type differs by system
}
