package config

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// namesUsersAsTheSystem reports whether the process sees the same user ids as the system.
// It is false if the kernel itself does not confirm it: with RESOLVE_NO_XDEV the path crosses
// no mount, so nothing can cover the file.
func namesUsersAsTheSystem() bool {
	const rootOfProc = 1 // its inode number
	proc, err := unix.Open("/proc", unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	if err != nil {
		return false
	}
	defer unix.Close(proc) //nolint:errcheck // nothing was written
	var fs unix.Statfs_t
	var st unix.Stat_t
	if unix.Fstatfs(proc, &fs) != nil || fs.Type != unix.PROC_SUPER_MAGIC || unix.Fstat(proc, &st) != nil || st.Ino != rootOfProc {
		return false
	}
	fd, err := unix.Openat2(proc, "self/uid_map", &unix.OpenHow{Flags: unix.O_RDONLY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_XDEV | unix.RESOLVE_NO_MAGICLINKS | unix.RESOLVE_BENEATH})
	if err != nil {
		return false
	}
	f := os.NewFile(uintptr(fd), "uid_map")
	defer f.Close() //nolint:errcheck // nothing was written
	uidMap, err := io.ReadAll(f)
	return err == nil && identityMap(string(uidMap))
}
