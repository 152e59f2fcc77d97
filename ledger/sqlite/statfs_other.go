//go:build !linux

package sqlite

// fileSystemOf cannot tell here.
func fileSystemOf(string) (magic uint32, ok bool) { return 0, false }
