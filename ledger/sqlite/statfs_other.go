//go:build !linux

package sqlite

// fileSystemOf returns 0: the file system is unknown on this system.
func fileSystemOf(string) uint32 { return 0 }
