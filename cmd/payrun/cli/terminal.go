package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"syscall"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"golang.org/x/term"
)

// stream writes to an output that may go away. The first failure is kept and
// everything after it dropped: no work with the bank is ever given up because
// nobody reads on.
type stream struct {
	mu  sync.Mutex
	w   io.Writer
	err error
}

func (s *stream) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		_, s.err = s.w.Write(p)
	}
	return len(p), nil
}

// closed reports whether the reader went away, as `head` does.
func (s *stream) closed() bool { return errors.Is(s.err, syscall.EPIPE) }

// gone reports whether writing on is of no use: a view may stop early.
func (s *stream) gone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err != nil
}

// isTerminal reports whether a person sits at the other end.
func isTerminal(v any) bool {
	f, ok := v.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// say writes words for people beside the result; a document or --quiet
// silences them.
func (a *app) say(format string, args ...any) {
	if a.flags.json || a.flags.quiet {
		return
	}
	fmt.Fprintf(a.out, format+"\n", args...)
}

// warn tells people something to mind that changes nothing. A document goes
// to programs, which it would only confuse.
func (a *app) warn(format string, args ...any) {
	if !a.flags.json && !a.flags.quiet {
		fmt.Fprintf(a.err, "payrun: warning: %s\n", plain(fmt.Sprintf(format, args...)))
	}
}

// show writes a line of the result itself, for people.
func (a *app) show(format string, args ...any) {
	if !a.flags.json {
		fmt.Fprintf(a.out, format+"\n", args...)
	}
}

// sayNext ends a command that went well.
func (a *app) sayNext() {
	switch {
	case a.next == "" || a.flags.quiet:
	case a.flags.json:
		fmt.Fprintln(a.err, a.next)
	default:
		fmt.Fprintln(a.out, a.next)
	}
}

// complain ends a command that did not: one JSON line with --json, otherwise
// the error line and then the lines that say what to do.
func (a *app) complain(f *failure) {
	code := f.code
	if code == "" {
		code = codeOf(f.exit)
	}
	if a.flags.json {
		message := plain(f.what)
		for _, h := range f.hints {
			message += "; " + plain(h)
		}
		line, _ := json.Marshal(struct { // strings and a number: cannot fail
			Schema  string `json:"schema"`
			Code    string `json:"code"`
			Message string `json:"message"`
			Exit    int    `json:"exit"`
		}{"payrun.error/v1", code, message, f.exit})
		fmt.Fprintf(a.err, "%s\n", line)
		return
	}
	fmt.Fprintf(a.err, "payrun: %s\n", plain(f.what))
	for _, h := range f.hints {
		fmt.Fprintf(a.err, "  %s\n", plain(h))
	}
}

// color tells whether out may be coloured.
func (a *app) color() bool {
	return isTerminal(a.world.Stdout) && !a.flags.noColor &&
		a.world.Getenv("NO_COLOR") == "" && a.world.Getenv("TERM") != "dumb"
}

// paint gives s a colour where colours are wanted.
func (a *app) paint(c text.Color, s string) string {
	if !a.color() {
		return s
	}
	return c.EscapeSeq() + s + text.EscapeReset
}

// newTable starts a table of plain columns, with a line under its header on a
// terminal. right names the columns, from 1, that are numbers.
func (a *app) newTable(header table.Row, right ...int) table.Writer {
	t := table.NewWriter()
	t.SetOutputMirror(a.out)
	style := table.StyleLight
	style.Options = table.OptionsNoBordersAndSeparators
	style.Options.SeparateHeader = isTerminal(a.world.Stdout)
	style.Options.SeparateFooter = style.Options.SeparateHeader
	style.Box.PaddingLeft, style.Box.PaddingRight = "", "  "
	style.Format.Header = text.FormatDefault
	style.Format.Footer = text.FormatDefault
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	t.AppendHeader(header)
	var columns []table.ColumnConfig
	for _, n := range right {
		columns = append(columns, table.ColumnConfig{Number: n, Align: text.AlignRight, AlignHeader: text.AlignRight, AlignFooter: text.AlignRight})
	}
	t.SetColumnConfigs(columns)
	return t
}
