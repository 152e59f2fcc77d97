//go:build unix

package sqlite

import (
	"os"
	"syscall"
)

// openNoFollow refuses a link, and does not wait for the other end of a pipe,
// that took the place of a file after it was looked at.
const openNoFollow = syscall.O_NOFOLLOW | syscall.O_NONBLOCK

// linksTo counts the names of a file.
func linksTo(info os.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink) //nolint:unconvert // its type differs by system
	}
	return 1
}
