package sqlite

import "syscall"

// fileSystemOf returns the magic number of a folder's file system; 0 if the system does not say it.
func fileSystemOf(dir string) uint32 {
	var stat syscall.Statfs_t
	_ = syscall.Statfs(dir, &stat) // on an error stat stays zero
	return uint32(stat.Type)       //nolint:gosec // magic numbers have 32 bits; the type differs by system
}
