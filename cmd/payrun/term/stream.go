package term

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"

	xterm "golang.org/x/term"
)

// Stream writes to an output that may go away. It keeps the first failure and drops everything after
// it: work with the bank never ends because the reader stopped.
type Stream struct {
	line *line // what it writes goes above; nil for none

	mu  sync.Mutex
	w   io.Writer
	err error
}

// NewStream returns a stream to w.
func NewStream(w io.Writer) *Stream { return &Stream{w: w} }

// Write never fails: see Err.
func (s *Stream) Write(p []byte) (int, error) {
	if s.line == nil {
		s.raw(string(p))
	} else {
		s.line.aside(func() { s.raw(string(p)) })
	}
	return len(p), nil
}

func (s *Stream) raw(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		_, s.err = s.w.Write([]byte(text))
	}
}

// Err is the first failure of the output, or nil. That its reader went away,
// as `head` does, is none.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.err, syscall.EPIPE) {
		return nil
	}
	return s.err
}

// Gone reports whether writing on is of no use: a view may stop early.
func (s *Stream) Gone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// Terminal reports whether a person sits at the other end.
func (s *Stream) Terminal() bool { return isTerminal(s.w) }

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}
