package cli

import (
	"fmt"
	"syscall"
)

// keepIn protects the memory and the environment of this process, which hold the keys, from other programs
// of the same user. otp.command, for example, could read its parent's under /proc. No program can attach to
// the process, and a crash leaves no core dump. Programs started from here inherit only the limit of core
// dumps.
func keepIn() error {
	if err := syscall.Setrlimit(syscall.RLIMIT_CORE, &syscall.Rlimit{}); err != nil {
		return fmt.Errorf("no limit of core dumps: %w", err)
	}
	if _, _, failed := syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_DUMPABLE, 0, 0); failed != 0 {
		return fmt.Errorf("prctl: %w", failed)
	}
	return nil
}
