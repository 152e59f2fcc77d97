//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package folder

import (
	"os"
	"syscall"
)

// lock locks a folder, or reports that another process has locked it. The system unlocks it when the process
// ends, however it ends.
func lock(dir string, wait bool) (release func(), ok bool) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, false
	}
	how := syscall.LOCK_EX
	if !wait {
		how |= syscall.LOCK_NB
	}
	if syscall.Flock(int(f.Fd()), how) != nil {
		_ = f.Close()
		return nil, false
	}
	return func() { _ = f.Close() }, true
}
