package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"payrun/cmd/payrun/cli"
)

// The desk is handed to the command line, which calls it: an address that others
// reach is refused by no one but the desk.
func TestTheDeskIsWired(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	w := world()
	w.Stdout, w.Stderr = io.Discard, io.Discard
	if code := cli.Main([]string{"payrun", "init"}, w); code != 0 {
		t.Fatalf("init ends with %d", code)
	}
	if code := cli.Main([]string{"payrun", "desk", "--addr", "0.0.0.0:0"}, w); code != 2 {
		t.Errorf("a desk for everybody ends with %d", code)
	}
}

// A fatal error ends by a signal: 2 is wrong usage, and scripts read it so.
func TestAFatalErrorEndsByASignal(t *testing.T) {
	if os.Getenv("PAYRUN_HELPER_PANICS") != "" {
		prepare()
		go panic("fatal")
		select {}
	}
	child := exec.Command(os.Args[0], "-test.run=^TestAFatalErrorEndsByASignal$")
	child.Env = append(os.Environ(), "PAYRUN_HELPER_PANICS=yes")
	err := child.Run()
	if failed, ok := errors.AsType[*exec.ExitError](err); !ok || failed.Sys().(syscall.WaitStatus).Signal() != syscall.SIGABRT {
		t.Errorf("it ends with %v", err)
	}
}
