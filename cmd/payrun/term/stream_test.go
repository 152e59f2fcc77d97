package term

import (
	"bytes"
	"errors"
	"syscall"
	"testing"
)

// failing fails every write, once it is asked to.
type failing struct {
	bytes.Buffer
	err error
}

func (f *failing) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	return f.Buffer.Write(p)
}

func TestAnOutputThatWentAwayStopsNothing(t *testing.T) {
	w := &failing{}
	s := &Stream{w: w}
	if _, err := s.Write([]byte("one")); err != nil || s.Gone() {
		t.Fatal("a write that worked is reported as failed")
	}
	w.err = syscall.EPIPE
	if n, err := s.Write([]byte("two")); n != 3 || err != nil {
		t.Errorf("the writer got: %d, %v", n, err)
	}
	w.err = nil
	_, _ = s.Write([]byte("three"))
	if !s.Gone() || s.Err() != nil || w.String() != "one" {
		t.Errorf("after the first failure nothing is written: %q", w.String())
	}
}

func TestAFullDiskUnderAnOutputIsTold(t *testing.T) {
	s := &Stream{w: &failing{err: syscall.ENOSPC}}
	_, _ = s.Write([]byte("one"))
	if !s.Gone() || !errors.Is(s.Err(), syscall.ENOSPC) {
		t.Errorf("gone %t, %v", s.Gone(), s.Err())
	}
}
