package app

import (
	"os"
	"path/filepath"
	"syscall"
)

// freeBytes is the room on the disk of a folder that this user may fill.
func freeBytes(dir string) (free int64, known bool) {
	var st syscall.Statfs_t
	if syscall.Statfs(dir, &st) != nil {
		return 0, false
	}
	return int64(st.Bavail) * st.Bsize, true
}

// mayWrite reports whether this user may make files in a folder that is there.
func mayWrite(dir string) bool {
	const writable, searchable = 2, 1
	return syscall.Access(dir, writable|searchable) == nil
}

// sameDisk reports whether a file can be renamed from one folder to the other.
func sameDisk(one, other string) bool {
	a, err := os.Stat(one)
	b, err2 := os.Stat(other)
	if err != nil || err2 != nil {
		return true // a missing folder is made where its parent is
	}
	x, ok := a.Sys().(*syscall.Stat_t)
	y, ok2 := b.Sys().(*syscall.Stat_t)
	return !ok || !ok2 || x.Dev == y.Dev
}

// mountPoint is where the disk of a path, or of the folder that it was to be in, is mounted.
func mountPoint(path string) string {
	at, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	device := func(p string) (uint64, bool) {
		var st syscall.Stat_t
		err := syscall.Stat(p, &st)
		return uint64(st.Dev), err == nil //nolint:unconvert // its type differs by system
	}
	for at != "/" {
		dev, there := device(at)
		above, _ := device(filepath.Dir(at))
		if there && dev != above {
			return at
		}
		at = filepath.Dir(at)
	}
	return at
}
