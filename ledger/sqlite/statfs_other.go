//go:build !linux

package sqlite

// fileSystemOf returns false: the file system is unknown on this system.
func fileSystemOf(string) (magic uint32, ok bool) { return 0, false }
