//go:build unix

package simulation

import (
	"syscall"
	"time"
)

// cpuTime returns the processor time that this process has used. On a shared machine it says more than the
// time that passed.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
