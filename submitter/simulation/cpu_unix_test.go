//go:build unix

package simulation

import (
	"syscall"
	"time"
)

// cpuTime is what this process has used of its processors so far. On a machine
// that others use it says more than the time that passed.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
