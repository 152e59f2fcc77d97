//go:build unix

package sqlite

import (
	"os"
	"syscall"
)

// openNoFollow refuses a link, and does not wait for the other end of a pipe, if one replaced a file after it
// was checked.
const openNoFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// linksTo counts the names of a file.
func linksTo(info os.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // its type differs by system
	}
	return 1
}

// groupOf returns the group of a file.
func groupOf(info os.FileInfo) (group int, ok bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return int(stat.Gid), true
}

// isOurs reports whether this user may change the mode and group of a file.
func isOurs(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && (os.Geteuid() == 0 || int(stat.Uid) == os.Geteuid())
}

func setUmask(mask int) { syscall.Umask(mask) }

// mayAccess asks the system whether this user may read, or write, the file at path. Only a clear denial counts:
// by the user's rights, a read-only disk, or a file that is immutable even to root.
func mayAccess(path string, write bool) bool {
	err := rights(path, write)
	return err != syscall.EACCES && err != syscall.EROFS && err != syscall.EPERM
}

// fewFiles reports whether this process may open too few files for a ledger and its log.
func fewFiles() bool {
	const needed = 64
	var limit syscall.Rlimit
	return syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) == nil && limit.Cur < needed
}

func rights(path string, write bool) error {
	how := uint32(4) // R_OK
	if write {
		how |= 2 // W_OK
	}
	return syscall.Access(path, how)
}
