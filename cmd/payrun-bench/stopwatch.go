package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"payrun/ledger/postgres/pgtest"
)

// usage is what a command took.
type usage struct {
	wall, cpu time.Duration
	with      time.Duration // that the processes which work for it worked meanwhile
	peakMB    int64
	busy      bool // others used the machine meanwhile
}

// mostOthers is how much of the machine others may have while something is
// measured, before what was measured is marked.
const mostOthers = 0.10

// output is what a command wrote.
type output struct{ stdout, stderr bytes.Buffer }

// run runs a command in a folder, and takes the exit codes that are named for
// success; none means 0. with is the id of a process that works for it, alone or with
// its children, whose time is not others'; 0 is none.
func run(dir string, with int, exits []int, name string, args ...string) (usage, *output) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	var out output
	cmd.Stdout, cmd.Stderr = &out.stdout, &out.stderr
	forgetPeak()
	others, own := machineBusy(), pgtest.CPU(with)
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && slices.Contains(exits, exit.ExitCode()) {
		err = nil
	}
	if err != nil {
		fine(fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, tail(out.stderr.String()+out.stdout.String())))
	}
	u := usage{wall: wall, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		u.peakMB = ru.Maxrss / 1024
	}
	u.with = pgtest.CPU(with) - own
	spent := machineBusy() - others - u.with - u.cpu
	// Of less than that the kernel's clock of a hundredth of a second says nothing.
	u.busy = wall > 100*time.Millisecond && float64(spent) > mostOthers*float64(wall)*float64(runtime.NumCPU())
	return u, &out
}

// forgetPeak lets go of what this process needed so far: the kernel begins the peak of
// a command with that of the process which starts it.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) // where it cannot, peaks below ours are ours
}

// timed runs a command that has to succeed and of which only the time is wanted.
func timed(dir, name string, args ...string) usage {
	u, _ := run(dir, 0, nil, name, args...)
	return u
}

// median is the round in the middle, with the largest memory of all.
func median(all []usage) usage {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b usage) int { return int(a.wall - b.wall) })
	m := sorted[len(sorted)/2]
	for _, u := range all {
		m.peakMB = max(m.peakMB, u.peakMB)
	}
	return m
}

// tick is the unit of the times in /proc.
const tick = 10 * time.Millisecond

// machineBusy is what all processors worked since the machine began; 0 where the
// kernel does not tell.
func machineBusy() time.Duration {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(b), "\n")
	var sum time.Duration
	for i, field := range strings.Fields(first) {
		const idle, waiting, guest = 4, 5, 9 // what guests use is in what users use
		if i == 0 || i == idle || i == waiting || i >= guest {
			continue
		}
		n, _ := strconv.ParseInt(field, 10, 64)
		sum += time.Duration(n) * tick
	}
	return sum
}

// tail is the end of what a command said.
func tail(text string) string {
	const most = 2000
	return text[max(0, len(text)-most):]
}
