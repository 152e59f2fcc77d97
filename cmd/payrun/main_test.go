package main

import (
	"io"
	"path/filepath"
	"testing"

	"payrun/cmd/payrun/cli"
)

// The desk is handed to the command line, which calls it: an address that others
// reach is refused by nobody but the desk.
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
	w.Desk = nil
	if code := cli.Main([]string{"payrun", "desk", "--addr", "0.0.0.0:0"}, w); code != 1 {
		t.Errorf("a payrun without the desk ends with %d", code)
	}
}
