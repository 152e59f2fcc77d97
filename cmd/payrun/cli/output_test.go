package cli

import (
	"bytes"
	"syscall"
	"testing"
)

func TestAFullDiskUnderTheOutputIsAFailure(t *testing.T) {
	for err, want := range map[error]int{syscall.ENOSPC: exitFailed, syscall.EPIPE: exitDone} {
		out := failing{err}
		w := World{Stdout: out, Stderr: &bytes.Buffer{}, Getenv: func(string) string { return "" }}
		if got := newProgram(w).main(t.Context(), []string{"payrun", "version"}); got != want {
			t.Errorf("%v: exit %d, want %d", err, got, want)
		}
	}
}

// failing is an output that cannot be written.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
