// Package term talks to the person at the terminal: outputs that may go away, tables, colours, questions
// and progress. A Terminal is a value that is passed in. It knows nothing of sheets, batches or banks.
package term

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/jedib0t/go-pretty/v6/text"
	xterm "golang.org/x/term"

	"payrun/ledger"
)

// Terminal is the input and the two outputs of one run of the program.
type Terminal struct {
	Out *Stream // documents and tables
	Err *Stream // questions, errors and logs; words for people if Out carries a document
	Options

	in     io.Reader
	getenv func(name string) string
	line   *line
}

// Options are the person's choices.
type Options struct {
	JSON    bool // a program reads Out: words for people go to Err, or nowhere
	Quiet   bool // only results and failures
	Verbose bool // long lists are shown whole
	Yes     bool // questions count as answered with yes
	NoInput bool // no questions are asked
	NoColor bool
}

// New returns the terminal of these streams. getenv returns "" for an unset variable.
func New(in io.Reader, out, err io.Writer, getenv func(name string) string) *Terminal {
	t := &Terminal{Out: &Stream{w: out}, Err: &Stream{w: err}, in: in, getenv: getenv}
	t.line = &line{t: t}
	if t.Err.Terminal() {
		t.Out.line, t.Err.line = t.line, t.line
	}
	return t
}

// OnErr returns the terminal for what is shown before a question and is no result: it writes everything to
// Err, even if Out carries a document.
func (t *Terminal) OnErr() *Terminal {
	onErr := *t
	onErr.Out, onErr.JSON, onErr.Quiet = t.Err, false, false
	return &onErr
}

// Progressf writes a line for people that is not part of the result. A document or --quiet silences it.
func (t *Terminal) Progressf(format string, args ...any) {
	if !t.Quiet {
		t.Resultf(format, args...)
	}
}

// Resultf writes a line of the result for people, folded at the width of the screen.
func (t *Terminal) Resultf(format string, args ...any) {
	t.Linef("%s", fold(fmt.Sprintf(format, args...), t.width(t.Out)))
}

// Linef is Resultf for text that is copied, such as a path: it is not folded.
func (t *Terminal) Linef(format string, args ...any) {
	if !t.JSON {
		fmt.Fprintf(t.Out, format+"\n", args...)
	}
}

// Errorf writes a folded line to Err: a failure, or what comes before a question.
func (t *Terminal) Errorf(format string, args ...any) {
	fmt.Fprintln(t.Err, fold(fmt.Sprintf(format, args...), t.width(t.Err)))
}

// Warnf writes a warning to Err, never into a document. --quiet silences it.
func (t *Terminal) Warnf(format string, args ...any) {
	if !t.Quiet {
		t.Errorf("payrun: warning: %s", ledger.Plain(fmt.Sprintf(format, args...)))
	}
}

// Last writes the words after a command that succeeded. They are never part of a document.
func (t *Terminal) Last(words string) {
	switch {
	case words == "" || t.Quiet:
	case t.JSON:
		t.Errorf("%s", words)
	default:
		t.Resultf("%s", words)
	}
}

// Stream writes to an output that may go away. It keeps the first error and drops everything after it, so
// that work with the bank never ends because the reader stopped.
type Stream struct {
	line *line // the last line of the screen; writes go above it; nil for none

	mu  sync.Mutex
	w   io.Writer
	err error
}

// Write never fails; Err has the first failure.
func (s *Stream) Write(p []byte) (int, error) {
	if s.line == nil {
		s.raw(string(p))
	} else {
		s.line.without(func() { s.raw(string(p)) })
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

// Err returns the first failure of the output, or nil. A reader that went away, as `head` does, is no
// failure.
func (s *Stream) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if errors.Is(s.err, syscall.EPIPE) {
		return nil
	}
	return s.err
}

// Gone reports whether further writing is useless, so that a view may stop early.
func (s *Stream) Gone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// Terminal reports whether the output is a terminal.
func (s *Stream) Terminal() bool { return isTerminal(s.w) }

func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && xterm.IsTerminal(int(f.Fd()))
}

// width returns the width of a stream's screen in columns: the terminal's, or COLUMNS if the stream is no
// terminal. 0 means no limit.
func (t *Terminal) width(of *Stream) int {
	if f, ok := of.w.(*os.File); ok {
		if width, _, err := xterm.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	width, err := strconv.Atoi(t.getenv("COLUMNS"))
	if err != nil || width < 0 {
		return 0
	}
	return width
}

// Cut shortens s to width columns. A shortened text ends with an ellipsis.
func Cut(s string, width int) string {
	if text.StringWidthWithoutEscSequences(s) <= width {
		return s
	}
	if width < 1 {
		return ""
	}
	return strings.TrimRight(text.Trim(s, width-1), " ") + "…"
}
