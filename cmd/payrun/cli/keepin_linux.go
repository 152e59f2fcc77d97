package cli

import (
	"fmt"
	"syscall"
)

// keepIn keeps the memory and the environment of this process, where the keys are, from other programs
// of the same user, such as otp.command, which would find its parent's under /proc. No program can
// attach to the process, and a crash leaves no core. Programs started from here do not inherit it,
// except for the core's limit.
func keepIn() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("no limit of core dumps: %w", err)
	}
	if _, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0); failed != 0 {
		return fmt.Errorf("prctl: %w", failed)
	}
	return nil
}
