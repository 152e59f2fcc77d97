// Package term is where payrun meets a person: streams that may go away,
// tables, colours, questions and progress. A Terminal is a value that is
// passed in. It knows nothing of sheets, batches or banks.
package term

import (
	"fmt"
	"io"

	"payrun/ledger"
)

// Terminal is the input and the two outputs of one run of the program.
type Terminal struct {
	Out *Stream // documents and tables
	Err *Stream // questions, errors and logs; people's words where Out carries a document
	Options

	in     io.Reader
	getenv func(name string) string
	line   *line
}

// Options are what the person asked for.
type Options struct {
	JSON    bool // a program reads Out: words for people go to Err, or nowhere
	Quiet   bool // only what was asked for, and what failed
	Verbose bool // long lists whole
	Yes     bool // questions are answered
	NoInput bool // and never asked
	NoColor bool
}

// New returns the terminal of these streams. getenv gives "" for what is unset.
func New(in io.Reader, out, err io.Writer, getenv func(name string) string) *Terminal {
	t := &Terminal{Out: NewStream(out), Err: NewStream(err), in: in, getenv: getenv}
	t.line = &line{t: t}
	if t.Err.Terminal() {
		t.Out.line, t.Err.line = t.line, t.line
	}
	return t
}

// Beside is the terminal for what is shown before a question and is no result: all of it goes to Err,
// also if Out carries a document.
func (t *Terminal) Beside() *Terminal {
	beside := *t
	beside.Out, beside.JSON, beside.Quiet = t.Err, false, false
	return &beside
}

// Progressf writes a line for people, apart from the result. A document or --quiet silences it.
func (t *Terminal) Progressf(format string, args ...any) {
	if !t.Quiet {
		t.Resultf(format, args...)
	}
}

// Resultf writes a line of the result itself, for people, folded where the screen ends.
func (t *Terminal) Resultf(format string, args ...any) {
	t.Linef("%s", fold(fmt.Sprintf(format, args...), t.width(t.Out)))
}

// Linef is Resultf for what is taken as it is, such as a path: it is not folded.
func (t *Terminal) Linef(format string, args ...any) {
	if !t.JSON {
		fmt.Fprintf(t.Out, format+"\n", args...)
	}
}

// Errorf writes a line to Err, folded: what went wrong, or what comes before a question.
func (t *Terminal) Errorf(format string, args ...any) {
	fmt.Fprintln(t.Err, fold(fmt.Sprintf(format, args...), t.width(t.Err)))
}

// Warnf writes something to mind that changes nothing, to Err: never into a document.
func (t *Terminal) Warnf(format string, args ...any) {
	if !t.Quiet {
		t.Errorf("payrun: warning: %s", ledger.Plain(fmt.Sprintf(format, args...)))
	}
}

// Last writes the words that end a command that went well. They never stand
// in a document.
func (t *Terminal) Last(words string) {
	switch {
	case words == "" || t.Quiet:
	case t.JSON:
		t.Errorf("%s", words)
	default:
		t.Resultf("%s", words)
	}
}

// Most is the length of a list that is shown: limit, or everything with
// --verbose.
func (t *Terminal) Most(limit int) int {
	if t.Verbose {
		return int(^uint(0) >> 1)
	}
	return limit
}
