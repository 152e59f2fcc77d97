package app

import "syscall"

// freeBytes returns the free space for this user on the disk of a folder.
func freeBytes(dir string) (free int64, known bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * st.Bsize, true
}

// mayWrite reports whether this user may create files in an existing folder.
func mayWrite(dir string) bool {
	const writable, searchable = 2, 1
	return syscall.Access(dir, writable|searchable) == nil
}
