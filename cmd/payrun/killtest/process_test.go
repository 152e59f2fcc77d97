//go:build unix

package killtest

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// patience is how long anything may take before it counts as hung.
const patience = 30 * time.Second

// process is one run of the program.
type process struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	started        time.Time
	ended          chan struct{}
	took           time.Duration
}

// outcome is how a run ended. signal is 0 when it ended by itself.
type outcome struct {
	exit     int
	signal   syscall.Signal
	out, err string
}

// launch starts cmd; its output is collected where the caller has not said
// where it goes.
func launch(t *testing.T, cmd *exec.Cmd) *process {
	t.Helper()
	p := &process{t: t, cmd: cmd, ended: make(chan struct{})}
	if cmd.Stdout == nil {
		cmd.Stdout = &p.stdout
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &p.stderr
	}
	p.started = time.Now()
	must(t, cmd.Start())
	go func() {
		_ = cmd.Wait() // how it ended is in ProcessState
		p.took = time.Since(p.started)
		close(p.ended)
	}()
	return p
}

// signal reports whether the process was still there to get it.
func (p *process) signal(s syscall.Signal) bool {
	p.t.Helper()
	err := p.cmd.Process.Signal(s)
	if err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatalf("%v to %v: %v", s, p.cmd.Args[1:], err)
	}
	return err == nil
}

func (p *process) running() bool {
	select {
	case <-p.ended:
		return false
	default:
		return true
	}
}

// within waits, and reports whether the process ended before d was over.
func (p *process) within(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-p.ended:
		return true
	case <-timer.C:
		return false
	}
}

// wait returns how the process ended. A hang and a panic fail the test.
func (p *process) wait() outcome {
	p.t.Helper()
	if !p.within(patience) {
		p.signal(syscall.SIGQUIT) // the stacks of a hang are worth reading
		p.within(patience)
		p.t.Fatalf("%v hangs\n%s", p.cmd.Args[1:], p.stderr.String())
	}
	o := outcome{exit: p.cmd.ProcessState.ExitCode(), out: p.stdout.String(), err: p.stderr.String()}
	if status := p.cmd.ProcessState.Sys().(syscall.WaitStatus); status.Signaled() {
		o.signal = status.Signal()
	}
	if strings.Contains(o.err, "panic:") || strings.Contains(o.err, "fatal error:") || strings.Contains(o.err, "goroutine ") {
		p.t.Fatalf("%v crashed\n%s", p.cmd.Args[1:], o.err)
	}
	return o
}

// kill sends SIGKILL and reports whether that is what ended the process.
func (p *process) kill() bool {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	return p.wait().signal == syscall.SIGKILL
}

// until waits for a condition that another process brings about.
func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	const every = 2 * time.Millisecond
	tick := time.NewTicker(every)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); !holds(); <-tick.C {
		if time.Now().After(deadline) {
			t.Fatalf("waited %s in vain: %s", patience, what)
		}
	}
}

// words gives standard input from text.
func words(text string) io.Reader { return strings.NewReader(text) }

// must ends the test if there is an error.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
